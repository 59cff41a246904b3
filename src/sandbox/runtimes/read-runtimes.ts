// The runtimes installed on this server, read from their manifests and files (spec §2.1, §4.1; decisions: Runtimes).
import { errorMessage } from '#lib/errors.ts';
import { readdir, readFile, stat, realpath } from 'node:fs/promises';
import { basename, join } from 'node:path';
import {
  mayFollow,
  type Runtime,
  type RuntimeLife,
  type RuntimeStage,
  stageAt,
  runtimeStages,
} from '#domain/checks/runtime.ts';
import { commandName } from '#lib/package-files.ts';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** The part of a runtime that cannot be read from its files. */
interface Manifest {
  /** `YYYY.MM`, like its folder. */
  readonly name: string;
  readonly stage: RuntimeStage;
  readonly description: string | null;
  /** `MM/DD/YYYY`; null = none planned. */
  readonly runtimeEndOfLife: string | null;
  readonly multiStepSupport: boolean;
  /** `project` = the Node.js that runs Tocsin; `own` = node_modules/.bin/node in the runtime's folder. */
  readonly node: 'project' | 'own';
}

/** An invalid field and the allowed values. */
interface ManifestFault {
  readonly field: string;
  readonly message: string;
}

interface Field {
  readonly right: string;
  readonly optional?: true;
  readonly accepts: (value: unknown) => boolean;
}

const fields: Readonly<Record<keyof Manifest, Field>> = {
  name: {
    right: 'a year and a month as YYYY.MM',
    accepts: (value) => typeof value === 'string' && /^\d{4}\.(0[1-9]|1[0-2])$/.test(value),
  },
  stage: { right: `one of ${runtimeStages.join(', ')}`, accepts: (value) => runtimeStages.some((s) => s === value) },
  description: {
    right: 'a text, or left out',
    optional: true,
    accepts: (value) => typeof value === 'string' && value.trim() !== '',
  },
  runtimeEndOfLife: { right: 'a day as MM/DD/YYYY, or left out', optional: true, accepts: isCalendarDay },
  multiStepSupport: { right: 'true or false', accepts: (value) => typeof value === 'boolean' },
  node: { right: 'project or own', accepts: (value) => value === 'project' || value === 'own' },
};

/**
 * Parses a manifest (decisions: Runtimes).
 *
 * @param folder name of the runtime's folder, which must equal its name
 * @returns the manifest, or all errors. Unknown fields are errors, so that a misspelled date is not ignored
 */
function readManifest(text: string, folder: string): Manifest | readonly ManifestFault[] {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return [{ field: 'manifest.json', message: `is not JSON: ${error instanceof Error ? error.message : ''}` }];
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    return [{ field: 'manifest.json', message: 'must be a JSON object' }];
  }
  const values = new Map(Object.entries(json));
  const faults: ManifestFault[] = [...values.keys()]
    .filter((field) => !Object.hasOwn(fields, field))
    .map((field) => ({ field, message: `Unknown field. Known fields: ${Object.keys(fields).join(', ')}` }));
  for (const [field, { right, optional, accepts }] of Object.entries(fields)) {
    const value: unknown = values.get(field);
    if (value === undefined && optional === true) continue;
    if (!accepts(value)) faults.push({ field, message: `must be ${right}, not ${JSON.stringify(value) ?? 'missing'}` });
  }
  if (faults.length === 0 && values.get('name') !== folder) {
    faults.push({ field: 'name', message: `must equal the folder name, ${folder}` });
  }
  if (faults.length > 0) return faults;
  return {
    description: null,
    runtimeEndOfLife: null,
    ...(json as Pick<Manifest, 'name' | 'stage' | 'multiStepSupport' | 'node'>),
  };
}

function isCalendarDay(value: unknown): boolean {
  const [, month, day, year] = (typeof value === 'string' && /^(\d{2})\/(\d{2})\/(\d{4})$/.exec(value)) || [];
  if (month === undefined || day === undefined || year === undefined) return false;
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
}

export interface InstalledRuntime extends Runtime {
  /** Its folder, which contains node_modules. */
  readonly folder: string;
  /** The Node.js for its scripts. */
  readonly nodeBinary: string;
}

export interface RuntimeProblem {
  /** Name of its folder. */
  readonly runtime: string;
  readonly message: string;
  /**
   * Whether the server must not start, because a rule about stages is violated. Otherwise it starts without the
   * runtime.
   */
  readonly refusesStart: boolean;
}

export interface InstalledRuntimes {
  /** Usable runtimes, newest first, without those REMOVED by stage or date. */
  readonly runtimes: readonly InstalledRuntime[];
  readonly problems: readonly RuntimeProblem[];
  /** Available but not installed, newest first: their packages are missing. */
  readonly notInstalled: readonly string[];
  /** REMOVED by stage or date, newest first, installed or not. */
  readonly ended: readonly RuntimeLife[];
  /** Stages in all manifests, to be remembered as last seen. */
  readonly stages: ReadonlyMap<string, RuntimeStage>;
}

interface ReadRuntimesOptions {
  /** Epoch ms, for end-of-life dates. */
  readonly now: number;
  /** The Node.js of runtimes with `project` in their manifest. */
  readonly projectNode: string;
  /** Last seen stage by runtime name. Going back prevents the start. */
  readonly lastStages: ReadonlyMap<string, RuntimeStage>;
}

/** Reads all runtimes below `dir`. Broken ones are skipped and reported; never throws for them. */
export async function readRuntimes(dir: string, options: ReadRuntimesOptions): Promise<InstalledRuntimes> {
  const names = await runtimeFolders(dir);
  const problems: RuntimeProblem[] = [];
  const report = (runtime: string, message: string, refusesStart = false): void => {
    problems.push({ runtime, message, refusesStart });
  };

  const manifests: Manifest[] = [];
  for (const name of names) {
    const manifest = await manifestOf(dir, name);
    if ('name' in manifest) manifests.push(manifest);
    else for (const { field, message } of manifest) report(name, `${field} ${message}`);
  }
  for (const { runtime, message } of stageFaults(manifests, options)) report(runtime, message, true);

  const versionOf = memoize(nodeVersion);
  const runtimes: InstalledRuntime[] = [];
  const notInstalled: string[] = [];
  const ended = manifests.filter((manifest) => stageAt(manifest, options.now) === 'REMOVED');
  for (const manifest of manifests) {
    if (ended.includes(manifest)) continue;
    // `npm ci` installs the CURRENT one; the others are installed on request.
    if (manifest.stage !== 'CURRENT' && !(await isFetched(join(dir, manifest.name)))) {
      notInstalled.push(manifest.name);
      continue;
    }
    try {
      runtimes.push(await installed(join(dir, manifest.name), manifest, options.projectNode, versionOf));
    } catch (error) {
      report(manifest.name, errorMessage(error));
    }
  }
  if (!runtimes.some(({ stage }) => stage === 'CURRENT')) {
    report('runtimes', 'no installed runtime is CURRENT: checks without a runtime setting cannot run scripts');
  }
  const stages = new Map(manifests.map(({ name, stage }) => [name, stage]));
  return { runtimes, problems, notInstalled, ended, stages };
}

/** Names of the folders below `dir`, newest first. Empty if it does not exist. */
async function runtimeFolders(dir: string): Promise<readonly string[]> {
  const entries = await readdir(dir, { withFileTypes: true }).catch(() => []);
  const folders = entries.filter(
    (entry) => (entry.isDirectory() || entry.isSymbolicLink()) && !entry.name.startsWith('.'),
  );
  return folders.map(({ name }) => name).toSorted((a, b) => (a < b ? 1 : -1));
}

async function manifestOf(dir: string, name: string): Promise<ReturnType<typeof readManifest>> {
  const text = await readFile(join(dir, name, 'manifest.json'), 'utf8').catch(() => null);
  return text === null ? [{ field: 'manifest.json', message: 'cannot be read' }] : readManifest(text, name);
}

/** Violations of rules between runtimes: at most one is CURRENT, and stages never go back. */
function stageFaults(
  manifests: readonly Manifest[],
  { now, lastStages }: ReadRuntimesOptions,
): readonly { runtime: string; message: string }[] {
  const current = manifests.filter((manifest) => stageAt(manifest, now) === 'CURRENT').map(({ name }) => name);
  const tooMany = current.slice(1).map((runtime) => ({
    runtime,
    message: `stage CURRENT is held by ${current.join(' and ')}; only one runtime may have it`,
  }));
  const stepsBack = manifests.flatMap(({ name: runtime, stage }) => {
    const last = lastStages.get(runtime);
    if (last === undefined || mayFollow(last, stage)) return [];
    return [{ runtime, message: `stage cannot go back from ${last} to ${stage}` }];
  });
  return [...tooMany, ...stepsBack];
}

/** Whether its packages are installed, or it needs none. */
async function isFetched(folder: string): Promise<boolean> {
  if (await stat(join(folder, 'node_modules')).catch(() => null)) return true;
  const declared = await readPackage(join(folder, 'package.json'));
  return declared !== null && Object.keys(declared.dependencies ?? {}).length === 0;
}

async function installed(
  folder: string,
  { node, ...manifest }: Manifest,
  projectNode: string,
  versionOf: (binary: string) => Promise<string>,
): Promise<InstalledRuntime> {
  const nodeBinary = node === 'project' ? projectNode : join(folder, 'node_modules', '.bin', 'node');
  const dependencies = await installedPackages(folder);
  return { ...manifest, dependencies, nodeJsVersion: await versionOf(nodeBinary), folder, nodeBinary };
}

/** Returns the installed version of every declared package. @throws {Error} that lists missing ones */
async function installedPackages(folder: string): Promise<Readonly<Record<string, string>>> {
  const declared = await readPackage(join(folder, 'package.json'));
  if (declared === null) throw new Error('package.json cannot be read');
  const names = Object.keys(declared.dependencies ?? {}).toSorted();
  const files = names.map((name) => readPackage(join(folder, 'node_modules', name, 'package.json')));
  const versions = (await Promise.all(files)).map((file) => file?.version);
  const missing = names.filter((_, index) => versions[index] === undefined);
  if (missing.length > 0) {
    throw new Error(
      `is not installed: ${missing.join(', ')} missing; ${commandName} runtimes install ${basename(folder)} fetches them`,
    );
  }
  return Object.fromEntries(names.map((name, index) => [name, versions[index] ?? '']));
}

async function readPackage(file: string): Promise<{ version?: string; dependencies?: Record<string, string> } | null> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch {
    return null;
  }
}

function memoize<T>(ask: (key: string) => T): (key: string) => T {
  const answers = new Map<string, T>();
  return (key) => {
    const answer = answers.get(key) ?? ask(key);
    answers.set(key, answer);
    return answer;
  };
}

const run = promisify(execFile);

/**
 * Returns the version of a Node.js binary by running it with an empty environment. The version of the current process
 * is known without running it, which would delay every start.
 *
 * @returns `v<major>.<minor>.<patch>` (spec §2.1)
 * @throws {Error} with a message if the binary does not exist or does not answer within 10 s
 */
async function nodeVersion(binary: string): Promise<string> {
  if ((await realpath(binary).catch(() => null)) === process.execPath) return process.version;
  const { stdout } = await run(binary, ['-p', 'process.version'], { env: {}, timeout: 10_000 }).catch(
    (error: unknown) => {
      throw new Error(`Node.js at ${binary} cannot be executed`, { cause: error });
    },
  );
  const version = stdout.trim();
  if (/^v\d+\.\d+\.\d+/.test(version)) return version;
  throw new Error(`${binary} is not Node.js: its version output is ${JSON.stringify(version.slice(0, 40))}`);
}
