// Writes resource files as YAML. Without packages, because the web UI uses it too.
import type { ResourceFile } from '#contract/projects/resource-file.ts';
import type { JsonValue } from '#domain/json.ts';

/** Longest list on one line, in characters. */
const longestLine = 100;

/** The sections of a file in its order, with an empty line between them and the resources of long ones. */
export function writeFile({ project, ...maps }: ResourceFile): string {
  const parts = project === undefined ? [] : [`project: ${scalar(project)}\n`];
  for (const [name, resources] of Object.entries(maps)) {
    if (resources === undefined || Object.keys(resources).length === 0) continue;
    const written = Object.entries(resources).map(([id, resource]) => entry(id, resource, '  '));
    const isLong = written.some((text) => text.trimEnd().includes('\n'));
    parts.push(`${name}:\n${written.join(isLong ? '\n' : '')}`);
  }
  return parts.join('\n');
}

/** A key and its value, with a line feed at the end. */
function entry(key: string, value: JsonValue, indent: string): string {
  return `${indent}${scalar(key)}:${after(value, indent)}`;
}

/** What follows a colon. */
function after(value: JsonValue, indent: string): string {
  const line = inline(value);
  if (line !== null) return ` ${line}\n`;
  const inner = `${indent}  `;
  if (typeof value === 'string') return ` ${block(value, inner)}`;
  if (Array.isArray(value)) return `\n${(value as readonly JsonValue[]).map((each) => item(each, inner)).join('')}`;
  return `\n${fields(value, inner)}`;
}

function fields(value: JsonValue, indent: string): string {
  return Object.entries(value ?? {})
    .map(([key, each]) => entry(key, each as JsonValue, indent))
    .join('');
}

/** An item of a list. The first field of an object stands beside its dash. */
function item(value: JsonValue, indent: string): string {
  const line = inline(value);
  if (line !== null) return `${indent}- ${line}\n`;
  const inner = `${indent}  `;
  if (typeof value === 'string') return `${indent}- ${block(value, inner)}`;
  if (Array.isArray(value)) {
    return `${indent}-\n${(value as readonly JsonValue[]).map((each) => item(each, inner)).join('')}`;
  }
  return `${indent}- ${fields(value, inner).slice(inner.length)}`;
}

/** The value on one line; null = it needs several. */
function inline(value: JsonValue): string | null {
  if (typeof value === 'string') return isBlock(value) ? null : scalar(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (!Array.isArray(value)) return Object.keys(value).length === 0 ? '{}' : null;
  const items = value as readonly JsonValue[];
  if (items.some((each) => typeof each === 'object' && each !== null)) return null;
  const line = `[${items.map((each) => (typeof each === 'string' ? scalar(each) : JSON.stringify(each))).join(', ')}]`;
  return line.length <= longestLine ? line : null;
}

/** Texts that mean something else without quotes in YAML 1.1 or 1.2: null, booleans. */
const reserved = /^(?:null|true|false|yes|no|on|off|y|n|~)$/i;

/** A text on one line, in quotes only if it needs them: those of JSON, which YAML reads as well. */
function scalar(text: string): string {
  const isPlain = /^[A-Za-z_/$][\w ./@+$-]*(?::\/\/[\w./@+$?=&%-]*)?$/.test(text);
  return isPlain && !text.endsWith(' ') && !reserved.test(text) ? text : JSON.stringify(text);
}

/** Whether a text of several lines can stand as it is, indented: empty lines at its end would join those after it. */
function isBlock(text: string): boolean {
  return (
    /^\S/.test(text) &&
    !text.endsWith('\n\n') &&
    text.trimEnd().includes('\n') &&
    !/[^\n\t\P{C}]|[\u2028\u2029]/u.test(text)
  );
}

function block(text: string, indent: string): string {
  const lines = text.replace(/\n$/, '').split('\n');
  const indented = lines.map((line) => (line === '' ? '' : indent + line));
  return `|${text.endsWith('\n') ? '' : '-'}\n${indented.join('\n')}\n`;
}
