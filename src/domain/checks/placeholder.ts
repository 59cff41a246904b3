// Variables in settings: placeholders, and names that scripts and templates read.
import type { JsonValue } from '../json.ts';

/** Matches `{{{NAME}}}` or `{{NAME}}`; the name is in the first or second group. */
export const placeholder: RegExp = /\{\{\{\s*([A-Za-z_$][\w$.-]*)\s*\}\}\}|\{\{\s*([A-Za-z_$][\w$.-]*)\s*\}\}/g;

/** Returns the names of the placeholders in a text. */
export function namesIn(text: string): string[] {
  if (!text.includes('{{')) return [];
  return [...text.matchAll(placeholder)].map(([, triple, double]) => triple ?? double ?? '');
}

const environment = /\bprocess\.env\b/;
const reads = [/\bprocess\.env\??\.([A-Za-z_]\w*)/g, /\bprocess\.env(?:\?\.)?\[\s*['"`]([A-Za-z_]\w*)['"`]\s*\]/g];
/** A script that unpacks names, as in `const { NAME, OTHER: local } = …`. */
const unpacks = /\{([^{}]*)\}\s*=\s*process\.env\b/g;

/** Names that a text uses: its placeholders, and those that it reads from its environment as a script. */
function namesUsedIn(text: string): string[] {
  if (!environment.test(text)) return namesIn(text);
  const read = reads.flatMap((pattern) => [...text.matchAll(pattern)].map(([, name = '']) => name));
  const unpacked = [...text.matchAll(unpacks)].flatMap(([, names = '']) =>
    names.split(',').map((name) => /^\s*([A-Za-z_]\w*)/.exec(name)?.[1] ?? ''),
  );
  return [...namesIn(text), ...read, ...unpacked].filter((name) => name !== '');
}

/** Names that any text of the settings uses. */
export function namesUsedBy(settings: JsonValue): ReadonlySet<string> {
  return new Set(textsOf(settings).flatMap(namesUsedIn));
}

/** Whether a template in the settings names a variable, which has only letters, digits and underscores. */
export function isNamedIn(settings: JsonValue, name: string): boolean {
  const word = new RegExp(`\\b${name}\\b`);
  return textsOf(settings).some(
    (text) =>
      text.includes(name) &&
      [...text.matchAll(/\{\{([^{}]*)\}\}/g)].some(([, tag = '']) => word.test(tag.replaceAll(/'[^']*'|"[^"]*"/g, ''))),
  );
}

function textsOf(value: JsonValue): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap((each) => textsOf(each)) : [];
}
