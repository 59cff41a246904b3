// What a scripted check runs: its script, the files beside it, and which sort of program that is (reference §4.3).
import type { JsonObject } from '#domain/json.ts';
import type { KeptOf, ScriptFile, ScriptKeeps, ScriptWork } from '#domain/checks/script.ts';
import type { SettingsProblem } from '../../kind.ts';
import { list, text } from '../read.ts';
import { sortOf } from './sort.ts';

/** The files of a scripted check. */
export interface ScriptSettings {
  readonly entry: string;
  /** The script itself first. */
  readonly files: readonly ScriptFile[];
  readonly sort: ScriptWork['sort'];
}

/** Where a script lies that says nothing of it. */
const defaultPath = 'check.spec.ts';
/** Names in a script's folder that are ours. */
const ourNames = ['node_modules', 'tmp'];

export function readScript(settings: JsonObject): ScriptSettings {
  const content = text(settings['script']);
  const entry = text(settings['scriptPath']) || defaultPath;
  const beside = list(settings['dependencies']).map((file) => ({
    path: text(file['path']),
    content: text(file['content']),
  }));
  const others = beside.filter(({ path }) => path !== entry);
  const isNamed = text(settings['scriptPath']) !== '';
  return {
    entry,
    files: [{ path: entry, content }, ...others],
    sort: sortOf({ path: entry, content }, others, isNamed),
  };
}

/** Bytes of a script and its files together. */
const mostBytes = 1 << 20;

/** What cannot be run; empty = fine. */
export function scriptProblems(settings: JsonObject): SettingsProblem[] {
  const { entry, files } = readScript(settings);
  const problems: SettingsProblem[] = [];
  if (text(settings['script']).trim() === '') problems.push({ path: 'script', message: 'must contain a program' });
  if (!/\.[cm]?[jt]s$/.test(entry)) {
    problems.push({ path: 'scriptPath', message: 'must end in .js, .mjs, .cjs, .ts, .mts or .cts' });
  }
  if (files.reduce((bytes, { content }) => bytes + Buffer.byteLength(content), 0) > mostBytes) {
    problems.push({ path: 'dependencies', message: 'must be at most 1 MB together with the script' });
  }
  for (const [index, { path }] of files.entries()) {
    const problem = pathProblem(path);
    if (problem !== null)
      problems.push({ path: index === 0 ? 'scriptPath' : `dependencies[${index - 1}].path`, message: problem });
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

/** What a run leaves, where its check says nothing of it. */
const keepsByDefault: ScriptKeeps = { screenshots: 'on-failure', trace: 'on-failure', video: 'off' };

/** What the runs of a check leave; those of a check that was saved before it could say so, what is usual. */
export function readKeeps(settings: JsonObject): ScriptKeeps {
  const kept = (name: keyof ScriptKeeps): KeptOf => {
    const value = settings[name];
    return value === 'off' || value === 'on-failure' || value === 'always' ? value : keepsByDefault[name];
  };
  return { screenshots: kept('screenshots'), trace: kept('trace'), video: kept('video') };
}
