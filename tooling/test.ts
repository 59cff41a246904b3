// Runs groups of tests: passes only when files and tests were found, all of them passed, and every file ended by itself.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, globSync, mkdirSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { availableParallelism, freemem, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { parseArgs } from 'node:util';
import { sourceNewerThanBundle } from './bundle.ts';
import {
  isMadeElsewhere,
  ownProcess,
  type SharedProcess,
  shareProcesses,
  sharesItsService,
} from './shared-processes.ts';
import { type Told, watchFiles } from './unended-files.ts';

// npm runs scripts in the folder of the project.
const root = process.cwd();
/**
 * Processes at once: most wait half of their time, and none is given a processor of its own. With one more the whole takes as
 * long, because processors are busy anyway (98 % on two of them), and what scripts do gets late.
 */
const atOnce = 2 * availableParallelism();
/** s that one test may take. */
const testMost = 300;

/** Where the files of a group are. */
const groups: Readonly<Record<string, readonly string[]>> = {
  unit: ['src/!(sandbox)/**/*.test.ts'],
  scripts: ['src/sandbox/**/*.test.ts', 'tooling/**/*.test.ts'],
  project: ['tests/*.test.ts'],
  store: ['tests/store/**/*.test.ts'],
  rest: ['tests/rest/**/!(browser-assets).test.ts'],
  flows: ['tests/flows/**/*.test.ts'],
  egress: ['tests/egress/**/*.test.ts'],
  escape: ['tests/escape/**/*.test.ts'],
  // What a browser shows in the last seconds of a run: where all processors are taken by what comes before scripts it shows nothing.
  assets: ['tests/rest/browser-assets.test.ts'],
};

/** Files of a group. @throws {Error} when it has none: a group that tests nothing must not pass */
function filesOf(group: string): readonly string[] {
  const patterns = groups[group];
  if (patterns === undefined) {
    throw new Error(
      `no group of tests is called ${JSON.stringify(group)}; there are all, ${Object.keys(groups).join(', ')}`,
    );
  }
  const files = patterns.flatMap((pattern) => globSync(pattern, { cwd: root, exclude: ['**/node_modules/**'] }));
  if (files.length === 0) throw new Error(`the group ${group} has no test file (${patterns.join(', ')})`);
  return files.map((file) => join(root, file));
}

/** Groups whose files keep processes of their own: each of them is a network, a containment, or minutes of a browser. */
const apart: ReadonlySet<string> = new Set(['egress', 'escape', 'assets']);
/** How much longer they take than others of their size: what they try is started in there. They must not come last. */
const apartWeight = 20;
/** Bytes of flows that share a process, most of which start and end services again and again: minutes of tests. */
const flowsBytes = 45_000;

/** The processes of a group. @param folder for what loads several files */
function processesOf(group: string, files: readonly string[], folder: string): readonly SharedProcess[] {
  if (apart.has(group)) return files.map(ownProcess).map((own) => ({ ...own, bytes: own.bytes * apartWeight }));
  if (group !== 'flows') return shareProcesses(files, folder);
  const [common, others] = [files.filter(sharesItsService), files.filter((file) => !sharesItsService(file))];
  return [
    ...shareProcesses(common, join(folder, 'common')),
    ...shareProcesses(others, join(folder, 'others'), flowsBytes),
  ];
}

/**
 * In turn a flow, which waits most of its time, and one that computes: neither leaves processors idle while it lasts. Of each sort
 * the larger first: what takes long is not left to the end, where nothing runs beside it.
 */
function inTurn(processes: readonly SharedProcess[]): SharedProcess[] {
  const sorted = processes.toSorted((a, b) => b.bytes - a.bytes);
  const isFlow = ({ files }: SharedProcess): boolean => files.some((file) => file.includes('/tests/flows/'));
  const [flows, others] = [sorted.filter(isFlow), sorted.filter((each) => !isFlow(each))];
  return sorted.flatMap((_, place) => [...flows.slice(place, place + 1), ...others.slice(place, place + 1)]);
}

/** Where Linux keeps files in memory, and how much of both the databases of all files of tests at once may take, bytes. */
const inMemory = { folder: '/dev/shm', roomMost: 4 * 2 ** 30 };

/**
 * A folder for what tests write meanwhile: in memory where there is room. Hundreds of databases are made and removed again, and on
 * some disks that takes more of the processor than the tests do. What a full disk or the end of its power does is not shown
 * by them: that has disks of its own, and `npm run chaos` and `npm run bench` stay on the real one.
 */
function makeTemporaryFolder(): string {
  const { folder, roomMost } = inMemory;
  const memory = existsSync(folder) ? statfsSync(folder) : { bavail: 0, bsize: 0 };
  const hasRoom = memory.bavail * memory.bsize > roomMost && freemem() > 2 * roomMost;
  const isChosen = process.env['TMPDIR'] !== undefined;
  const made = mkdtempSync(join(hasRoom && !isChosen ? folder : tmpdir(), 'tocsin-tests-'));
  // Servers of tests run as another user when the tests are root.
  chmodSync(made, 0o755);
  return made;
}

/** What came of a run. */
interface Outcome {
  /** How many tests there were, and what came of them. */
  readonly counts: Readonly<Record<string, number>>;
  readonly isSuccess: boolean;
  /** Files in which no test was run. */
  readonly empty: readonly string[];
  /** Files that had to be ended, each with a sentence why. */
  readonly unended: readonly string[];
  /** What was not run on this machine, each with its reason; a whole `describe` is one. */
  readonly leftOut: readonly string[];
}

/** Runs the processes and shows every test. @param patience s a process may stay after its last test */
async function runProcesses(processes: readonly SharedProcess[], patience: number): Promise<Outcome> {
  const ending = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => ending.abort(new Error(signal)));
  const filesOf = new Map(processes.map(({ entry, files }) => [entry, files]));
  const entries = [...filesOf.keys()];
  const stream = run({ files: entries, concurrency: atOnce, timeout: testMost * 1000, signal: ending.signal });
  const [tested, unended, leftOut] = [new Set<string>(), new Array<string>(), new Array<string>()];
  const silence = { ended: patience, running: testMost + patience };
  watchFiles(stream, silence, (entry, isDone) => {
    const why = isDone
      ? `it is still open ${silence.ended} s after its last test, so something in it is not closed`
      : `nothing came of it for ${silence.running} s`;
    const names = (filesOf.get(entry) ?? []).map((file) => relative(root, file));
    unended.push(`${names.join(' or ')} does not end: ${why}`);
    ending.abort(new Error(unended.join('\n')));
  });
  // A process without a test is reported as one passed test that bears the name of what it was started with.
  const note = ({ name, file, entryFile }: Told): void => {
    for (const told of [file, entryFile]) if (told !== undefined && told !== name) tested.add(told);
  };
  stream.on('test:pass', note).on('test:fail', note);
  stream.on('test:pass', ({ name, skip }) => {
    if (skip !== undefined) leftOut.push(`${name}: ${skip === true ? 'no reason is given' : skip}`);
  });
  let total: Pick<Outcome, 'counts' | 'isSuccess'> = { counts: {}, isSuccess: false };
  stream.on('test:summary', ({ file, counts, success }) => {
    if (file === undefined) total = { counts: { ...counts }, isSuccess: success };
  });
  const shown = stream.compose(new spec());
  for await (const text of shown) process.stdout.write(String(text));
  const empty = processes.flatMap(({ entry, files }) => {
    if (files.length === 1 || !tested.has(entry)) return tested.has(entry) ? [] : files;
    return files.filter((file) => !tested.has(file) && !isMadeElsewhere(file));
  });
  return { ...total, empty: empty.map((file) => relative(root, file)), unended, leftOut };
}

async function main(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { patience: { type: 'string', default: '20' }, sqlite: { type: 'boolean', default: false } },
  });
  const names = positionals.length === 0 || positionals.includes('all') ? Object.keys(groups) : positionals;
  // A minute is for one engine: what starts a server is left to the whole run, and said so.
  const isWanted = (file: string): boolean => !(values.sqlite && file.includes('tests/store/postgres'));
  // What somebody's shell still holds would leave out an engine without a word.
  const engines = process.env['TOCSIN_TEST_ENGINES'];
  if (values.sqlite) process.env['TOCSIN_TEST_ENGINES'] = 'SQLite';
  else delete process.env['TOCSIN_TEST_ENGINES'];
  const cache = join(root, 'node_modules', '.cache', 'node-compile');
  mkdirSync(cache, { recursive: true, mode: 0o755 });
  process.env['NODE_COMPILE_CACHE'] = cache;
  // Set when a test of this file runs it: the runner would then take itself for a test and run nothing.
  delete process.env['NODE_TEST_CONTEXT'];
  // Tests that start processes start the bundle, as people do.
  if (sourceNewerThanBundle() !== undefined) {
    const { status } = spawnSync(process.execPath, ['tooling/build.ts'], { stdio: 'inherit' });
    if (status !== 0) throw new Error('npm run build failed');
  }
  const startedAt = performance.now();
  const folder = makeTemporaryFolder();
  process.env['TMPDIR'] = folder;
  const processes = [...new Set(names)].flatMap((name) => {
    const files = filesOf(name).filter(isWanted);
    return processesOf(name, files, join(folder, `files-${name}`));
  });
  const { counts, isSuccess, empty, unended, leftOut } = await runProcesses(
    inTurn(processes),
    Number(values.patience),
  ).finally(() => rmSync(folder, { recursive: true, force: true }));
  const { tests = 0, passed = 0, failed = 0, cancelled = 0, skipped = 0, todo = 0 } = counts;
  console.log(
    `\n# files ${processes.flatMap(({ files }) => files).length} (${names.join(', ')}${values.sqlite ? '; SQLite only, npm test runs PostgreSQL as well' : ''})`,
  );
  const figures = { tests, pass: passed, fail: failed, cancelled, skipped, todo };
  for (const [word, count] of Object.entries(figures)) console.log(`# ${word} ${count}`);
  if (engines !== undefined && engines !== process.env['TOCSIN_TEST_ENGINES'])
    console.log(`# TOCSIN_TEST_ENGINES=${engines} was not heeded: it is for single files`);
  for (const line of leftOut) console.log(`# not run here: ${line}`);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log(`# took ${Math.floor(seconds / 60)} min ${seconds % 60} s`);
  if (unended.length > 0) throw new Error(unended.join('\n'));
  if (empty.length > 0) throw new Error(`no test was run in ${empty.join(', ')}`);
  if (isSuccess && passed === 0) throw new Error('no test passed');
  if (!isSuccess) process.exitCode = 1;
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(`tests: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
