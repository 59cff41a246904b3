// The files of a scripted check and its script type (reference §4.3).
import type { JsonObject } from '#domain/json.ts';
import type { KeepWhen, ScriptFile, ScriptKeeps, ScriptWork } from '#domain/checks/script.ts';
import type { SettingsProblem } from '../../kind.ts';
import { list, text } from '../read.ts';
import { sortOf } from './sort.ts';

/** Files of a scripted check. */
export interface ScriptSettings {
  readonly entry: string;
  /** Starts with the script itself. */
  readonly files: readonly ScriptFile[];
  readonly sort: ScriptWork['sort'];
}

/** Default path of a script. */
const defaultPath = 'check.spec.ts';
/** Reserved names in a script's folder. */
const ourNames = ['node_modules', 'tmp'];

export function readScript(settings: JsonObject): ScriptSettings {
  const content = text(settings['script']);
  const entry = text(settings['scriptPath']) || defaultPath;
  const dependencies = list(settings['dependencies']).map((file) => ({
    path: text(file['path']),
    content: text(file['content']),
  }));
  const others = dependencies.filter(({ path }) => path !== entry);
  const isNamed = text(settings['scriptPath']) !== '';
  return {
    entry,
    files: [{ path: entry, content }, ...others],
    sort: sortOf({ path: entry, content }, others, isNamed),
  };
}

/** Maximum bytes of a script and its files. */
const maxBytes = 1 << 20;

/** Returns all problems; empty if valid. */
export function scriptProblems(settings: JsonObject): SettingsProblem[] {
  const { entry, files } = readScript(settings);
  const problems: SettingsProblem[] = [];
  if (text(settings['script']).trim() === '') problems.push({ path: 'script', message: 'must contain a program' });
  if (!/\.[cm]?[jt]s$/.test(entry)) {
    problems.push({ path: 'scriptPath', message: 'must end in .js, .mjs, .cjs, .ts, .mts or .cts' });
  }
  if (files.reduce((bytes, { content }) => bytes + Buffer.byteLength(content), 0) > maxBytes) {
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
