// The files of a scripted check and its script type (reference §4.3).
import type { JsonObject } from '#domain/json.ts';
import {
  type KeepWhen,
  type ScriptFile,
  type ScriptKeeps,
  type ScriptSnapshot,
  type ScriptWork,
  snapshotsOf,
} from '#domain/checks/script.ts';
import type { SettingsProblem } from '../../kind.ts';
import { list, text } from '../read.ts';

export interface ScriptSettings {
  readonly entry: string;
  /** Starts with the script itself. */
  readonly files: readonly ScriptFile[];
  readonly sort: ScriptWork['sort'];
  readonly snapshots: readonly ScriptSnapshot[];
}

const defaultPath = 'check.spec.ts';
/** Reserved names in a script's folder. */
const ourNames = ['node_modules', 'tmp'];

export function readScript(settings: JsonObject): ScriptSettings {
  const content = text(settings['script']);
  const entry = text(settings['scriptPath']) || defaultPath;
  const others = list(settings['dependencies']).map((file) => ({
    path: text(file['path']),
    content: text(file['content']),
  }));
  const isNamed = text(settings['scriptPath']) !== '';
  return {
    entry,
    files: [{ path: entry, content }, ...others],
    sort: sortOf({ path: entry, content }, others, isNamed),
    snapshots: snapshotsOf(settings),
  };
}

/** Maximum bytes of a script and its files. */
const maxBytes = 1 << 20;

/** Returns all problems; empty if valid. */
export function scriptProblems(settings: JsonObject): SettingsProblem[] {
  const { entry, files, snapshots } = readScript(settings);
  const problems: SettingsProblem[] = [];
  if (text(settings['script']).trim() === '') problems.push({ path: 'script', message: 'must contain a program' });
  if (!/\.[cm]?[jt]s$/.test(entry)) {
    problems.push({ path: 'scriptPath', message: 'must end in .js, .mjs, .cjs, .ts, .mts or .cts' });
  }
  if (files.reduce((bytes, { content }) => bytes + Buffer.byteLength(content), 0) > maxBytes) {
    problems.push({ path: 'dependencies', message: 'must be at most 1 MB together with the script' });
  }
  const named = [
    ...files.map(({ path }, index) => [path, index === 0 ? 'scriptPath' : `dependencies[${index - 1}].path`] as const),
    ...snapshots.map(({ path }, index) => [path, `snapshots[${index}].path`] as const),
  ];
  return [...problems, ...pathProblems(named)];
}

/** Problems of paths, each with the field that it is in: also files in the place of another one. */
function pathProblems(named: readonly (readonly [path: string, field: string])[]): SettingsProblem[] {
  const fieldOf = new Map<string, string>();
  const problems: SettingsProblem[] = [];
  for (const [path, field] of named) {
    const other = fieldOf.get(path);
    const message = pathProblem(path) ?? (other === undefined ? null : `is also the path of ${other}`);
    if (message !== null) problems.push({ path: field, message });
    fieldOf.set(path, field);
  }
  for (const [path, field] of named) {
    const parts = path.split('/');
    const inside = parts.findIndex((_, depth) => depth > 0 && fieldOf.has(parts.slice(0, depth).join('/')));
    if (inside < 0) continue;
    const file = parts.slice(0, inside).join('/');
    problems.push({ path: field, message: `is inside of ${file}, which is a file (${fieldOf.get(file)})` });
  }
  return problems;
}

function pathProblem(path: string): string | null {
  const parts = path.split('/');
  const isRelative = parts.every((part) => part !== '' && part !== '.' && part !== '..' && !/[\\\0]/.test(part));
  if (!isRelative) return 'must be a relative path with / as separator and without . or .. parts';
  if (parts.some((part) => Buffer.byteLength(part) > 255) || path.length > 1000)
    return 'must have at most 1000 characters, and 255 bytes between separators';
  return ourNames.includes(parts[0] ?? '') ? `must not begin with ${ourNames.join(' or ')}` : null;
}

/** Default settings for stored files. */
const keepsByDefault: ScriptKeeps = { screenshots: 'on-failure', trace: 'on-failure', video: 'off' };

/** Returns which files a check stores. Checks saved before this setting existed get the defaults. */
export function readKeeps(settings: JsonObject): ScriptKeeps {
  const kept = (name: keyof ScriptKeeps): KeepWhen => {
    const value = settings[name];
    return value === 'off' || value === 'on-failure' || value === 'always' ? value : keepsByDefault[name];
  };
  return { screenshots: kept('screenshots'), trace: kept('trace'), video: kept('video') };
}

/** File names of test files. */
const testPath = /\.(?:spec|test)\.[cm]?[jt]s$/;

/**
 * A script contains tests if it calls Playwright's `test`, imported directly or through another file, under any name. A
 * script named like a test file also does if it or another file imports `test`. Anything else is a program: the test
 * runner would find no tests.
 *
 * @param isNamed whether the user chose the path; the default path means nothing
 */
function sortOf(script: ScriptFile, dependencies: readonly ScriptFile[], isNamed: boolean): ScriptWork['sort'] {
  const isOwn = takesTest(script.content);
  const isImported = dependencies.some(({ content }) => takesTest(content));
  if (!isOwn && !isImported) return 'plain';
  if (isNamed && testPath.test(script.path)) return 'spec';
  if (isOwn && callsTest.test(script.content)) return 'spec';
  const names = importedTests(script.content, isImported);
  return names.length > 0 && callsOf(names).test(script.content) ? 'spec' : 'plain';
}

// The text is untrusted, so no unbounded repetition: matching must be fast.
const playwright = /@playwright\/test\b|(['"`])playwright\/test\1/g;
const all = /\bexport\s{0,20}\*|\bimport\s{1,20}[\w$]{1,100}\s{1,20}from\s{0,20}(['"])@?playwright\/test\1/;
const callsTest = /\btest\s{0,20}(?:\.\s{0,20}\w{1,20}\s{0,20}){0,3}\(/;

/** Whether a text imports Playwright's `test`. Other imports only need a browser. */
function takesTest(content: string): boolean {
  const rest = content.replace(playwright, '');
  return rest !== content && (/\btest\b/.test(rest) || all.test(content));
}

/** Import forms, with the local name and the module. */
const imports = [
  /\bimport\s{1,20}([^'"`;()]{1,1000}?)\bfrom\s{0,20}(['"`])([^'"`\n]{1,1000})\2/g,
  /\b(?:const|let|var)\s{1,20}([^'"`;()=]{1,1000})=\s{0,20}(?:await\s{1,20}import|require)\s{0,20}\(\s{0,20}(['"`])([^'"`\n]{1,1000})\2/g,
];
/** Maximum names to search for, all in one pattern. */
const maxNames = 20;

/** Local names of Playwright's `test`, or of `test` from another file. */
function importedTests(content: string, isImported: boolean): string[] {
  const names: string[] = [];
  for (const pattern of imports) {
    for (const [, left = '', , from = ''] of content.matchAll(pattern)) {
      const isPlaywright = /^@?playwright\/test$/.test(from);
      if (isPlaywright || (isImported && !from.startsWith('node:'))) names.push(...testsOf(left.trim(), isPlaywright));
      if (names.length >= maxNames) return names;
    }
  }
  return names;
}

function testsOf(left: string, isPlaywright: boolean): string[] {
  const whole = /^(?:\*\s{0,20}as\s{1,20})?([\w$]{1,100})\s{0,20}(?:,|$)/.exec(left)?.[1];
  const renamed = /\btest(?:\s{1,20}as\s{1,20}|\s{0,20}:\s{0,20})([\w$]{1,100})/.exec(left)?.[1];
  const names = renamed !== undefined ? [renamed] : /\btest\b/.test(left) ? ['test'] : [];
  if (whole === undefined) return names;
  // A namespace import, or a default import of Playwright, which is `test` itself.
  return [...names, `${whole}.test`, ...(isPlaywright ? [whole] : [])];
}

/** Matches calls of these names and `test.extend`. */
function callsOf(names: readonly string[]): RegExp {
  const any = names.map((name) => name.replace(/[.$]/g, '\\$&')).join('|');
  return new RegExp(`(?<![\\w$.])(?:${any})\\s{0,20}(?:\\.\\s{0,20}\\w{1,20}\\s{0,20}){0,3}(?:\\(|<)`);
}
