// Reads deploy/ as its readers do: YAML with anchors and merges, variables of the compose file, the environment of the image.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';

export const root = fileURLToPath(new URL('../../..', import.meta.url));

/** What a YAML file holds. */
export type Value = string | number | boolean | null | readonly Value[] | Fields;
export interface Fields {
  readonly [name: string]: Value | undefined;
}

/** The documents of a file. Read by the rules of YAML 1.1, as Kubernetes does: 0440 is a mode. @throws for a wrong one */
export function readYaml(path: string): readonly Fields[] {
  return parseAllDocuments(readFileSync(root + path, 'utf8'), { version: '1.1', merge: true }).map((document) => {
    const [error] = document.errors;
    if (error !== undefined) throw new Error(`${path}: ${error.message}`);
    return document.toJS() as Fields;
  });
}

/** The value at a path of names. @throws {Error} when there is none */
export function at(value: Value | undefined, ...names: readonly string[]): Value {
  const found = names.reduce<Value | undefined>((inner, name) => (isFields(inner) ? inner[name] : undefined), value);
  if (found === undefined) throw new Error(`there is no ${names.join('.')} in ${JSON.stringify(value)?.slice(0, 200)}`);
  return found;
}

/** The same, for what has fields of its own. */
export function fieldsAt(value: Value | undefined, ...names: readonly string[]): Fields {
  const found = at(value, ...names);
  if (!isFields(found)) throw new Error(`${names.join('.')} has no fields`);
  return found;
}

/** The same, for a text, or a number or truth value written as one. */
export function textAt(value: Value | undefined, ...names: readonly string[]): string {
  const found = at(value, ...names);
  if (typeof found === 'object') throw new Error(`${names.join('.')} is no text`);
  return String(found);
}

/** What a list of things with fields holds; [] when there is no list. */
export function listOf(value: Value | undefined): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}

/** What a list of texts holds; [] when there is no list. */
export function textsOf(value: Value | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

/** Everything with fields below a value, itself included. */
export function fieldsBelow(value: Value | undefined): readonly Fields[] {
  if (Array.isArray(value)) return value.flatMap(fieldsBelow);
  return isFields(value) ? [value, ...Object.values(value).flatMap(fieldsBelow)] : [];
}

function isFields(value: Value | undefined): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A service of deploy/compose.postgres.yaml, its variables filled in. */
export interface ComposeService {
  readonly name: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly settings: Fields;
}

export const composePath = 'deploy/compose.postgres.yaml';

/** @param variables what deploy/.env and the shell hold @throws {Error} for one that is required and missing */
export function readCompose(variables: Readonly<Record<string, string>>): {
  readonly whole: Fields;
  readonly services: readonly ComposeService[];
} {
  const [read] = readYaml(composePath);
  const whole = JSON.parse(JSON.stringify(read), (_name, value: unknown) =>
    typeof value === 'string' ? fillText(value, variables) : value,
  ) as Fields;
  const services = Object.keys(fieldsAt(whole, 'services')).map((name) => {
    const settings = fieldsAt(whole, 'services', name);
    const environment = Object.keys(fieldsAt(settings, 'environment')).map((variable): [string, string] => [
      variable,
      textAt(settings, 'environment', variable),
    ]);
    return { name, environment: Object.fromEntries(environment), settings };
  });
  return { whole, services };
}

/** `${NAME}`, `${NAME:?why}` and `${NAME:-default}`, as compose reads them. */
function fillText(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$\{(\w+)(?:(:[?-])([^}]*))?\}/g, (_whole, name: string, how?: string, rest = '') => {
    const value = variables[name] ?? '';
    if (value !== '' || how === undefined) return value;
    if (how === ':?') throw new Error(`${name} is missing: ${rest}`);
    return rest;
  });
}

/** What the Dockerfile says of the image: its environment, the number of its user, its version. */
export function readImage(): {
  readonly environment: Readonly<Record<string, string>>;
  readonly uid: number;
  readonly tag: string;
  /** What it does to make itself, a line each. */
  readonly runs: readonly string[];
  /** What each of its stages says, a line each; the last one is the image. */
  readonly stages: readonly (readonly string[])[];
} {
  const text = readFileSync(`${root}Dockerfile`, 'utf8');
  const pairs = [...text.matchAll(/^ENV (.*)$/gm)].flatMap(([, line = '']) => line.split(' '));
  const { version } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as { version: string };
  const lines = text
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => /^[A-Z]/.test(line));
  const stages: string[][] = [];
  for (const line of lines) {
    if (line.startsWith('FROM ')) stages.push([]);
    stages.at(-1)?.push(line);
  }
  return {
    environment: Object.fromEntries(pairs.map((pair) => pair.split('=') as [string, string])),
    uid: Number(/--uid (\d+)/.exec(text)?.[1]),
    tag: `tocsin:${version}`,
    runs: lines.flatMap((line) => (line.startsWith('RUN ') ? line.slice('RUN '.length) : [])),
    stages,
  };
}

/** Whether a command of this machine ends with 0. */
export function succeeds(command: string, ...args: readonly string[]): boolean {
  return spawnSync(command, args).status === 0;
}
