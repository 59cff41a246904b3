// Runs test files side by side, those that failed once more alone, and lists at the end which failed and why:
// test.ts all, or test.ts [--sqlite] followed by names of groups.
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, globSync, mkdirSync, mkdtempSync, rmSync, statfsSync, statSync } from 'node:fs';
import { availableParallelism, cpus, freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { lightSettings, startPostgres } from '../tests/support/postgres/postgres.ts';
import { sourceNewerThanBundle } from './bundle.ts';

// npm runs scripts in the folder of the project.
const root = process.cwd();

const groups: Readonly<Record<string, string>> = {
  unit: '{src/!(sandbox),web}/**/*.test.ts',
  scripts: '{src/sandbox,tooling}/**/*.test.ts',
  project: 'tests/*.test.ts',
  store: 'tests/store/**/*.test.ts',
  rest: 'tests/rest/**/*.test.ts',
  flows: 'tests/flows/**/*.test.ts',
  egress: 'tests/egress/**/*.test.ts',
  escape: 'tests/escape/**/*.test.ts',
  web: 'tests/web/**/*.test.ts',
};

/** Scripts of package.json that `all` runs beside the test files. */
const scripts = [
  'chaos -- postgres --minutes 1',
  'chaos -- kill --rounds 7',
  'fuzz -- templates --cases 5000',
  'static',
];

/** Files per process, for groups in which loading modules takes longer than most tests; one for all other groups. */
const filesPerProcess: Readonly<Record<string, number>> = {
  unit: 100,
  store: 12,
  rest: 18,
  scripts: 7,
  project: 8,
  web: 4,
};

/** One per processor: on a busier machine, tests would miss their deadlines. */
const jobsAtOnce = availableParallelism();

/** One more job runs if at least this share of the processors' time was idle for so long: many tests mostly wait. */
const [enoughIdle, idleForMs] = [0.2, 1500];

/**
 * Files and scripts that mostly wait for intervals, leases and retries, and tolerate seconds of delay. One of them runs
 * beside the other jobs.
 */
const waiting: ReadonlySet<string> = new Set([
  'chaos -- postgres --minutes 1',
  'chaos -- kill --rounds 7',
  'tests/flows/active-hours.test.ts',
  'tests/flows/alert-storm.test.ts',
  'tests/flows/clock.test.ts',
  'tests/flows/crash.test.ts',
  'tests/flows/database-away.test.ts',
  'tests/flows/dependencies.test.ts',
  'tests/flows/migrate.test.ts',
  'tests/flows/missing-browser.test.ts',
  'tests/flows/overlap.test.ts',
  'tests/flows/readme.test.ts',
  'tests/flows/refused-connections.test.ts',
  'tests/flows/retries.test.ts',
  'tests/flows/roles.test.ts',
  'tests/flows/silence.test.ts',
  'tests/flows/two-apis.test.ts',
]);

/** Limit for a file or script, and for a single test. */
const [maxJobMs, maxTestMs] = [300_000, 240_000];

/**
 * Failed files up to this many run again, alone: a test that misses a deadline on a busy machine must not hide whether
 * the others are right. Scripts do not: a lost alert that they find once is lost.
 */
const maxRepeated = 5;

/** Jobs that are listed at the end with their CPU time, which is what limits a run on two processors. */
const mostListed = 10;

/** Lines at the end that say what failed, and names among them: CI shows only the last part of the output. */
const [maxSummaryLines, maxTitles] = [90, 20];

interface Job {
  readonly name: string;
  readonly command: readonly string[];
  /** Test files; none if it is a script. */
  readonly files: readonly string[];
  /** Bytes of the files: larger ones usually take longer. */
  readonly size: number;
}

interface Outcome {
  readonly name: string;
  readonly seconds: number;
  /** CPU time of all its processes; 0 if it is unknown, because it was killed. */
  readonly cpuSeconds: number;
  readonly output: string;
  /** Why it failed; null = it passed. */
  readonly failure: string | null;
  readonly tests: number;
}

/** @throws {Error} if a group is unknown or has no file: a run that tests nothing must not pass */
function filesOf(group: string): string[] {
  const pattern = groups[group];
  if (pattern === undefined) throw new Error(`unknown group ${group}; use all, ${Object.keys(groups).join(', ')}`);
  const files = globSync(pattern, { cwd: root, exclude: ['**/node_modules/**'] }).sort();
  if (files.length === 0) throw new Error(`the group ${group} has no test file (${pattern})`);
  return files;
}

function testJob(files: readonly string[]): Job {
  const [first = '', ...others] = files;
  const name = others.length === 0 ? first : `${first} … ${others.at(-1)}`;
  const options = ['--test', '--test-isolation=none', '--test-reporter=spec', `--test-timeout=${maxTestMs}`];
  const size = files.reduce((sum, file) => sum + statSync(join(root, file)).size, 0);
  return { name, command: [process.execPath, ...options, ...files], files, size };
}

function scriptJob(script: string): Job {
  return { name: script, command: ['npm', 'run', '-s', ...script.split(' ')], files: [], size: Infinity };
}

/** Jobs, longest first, so that no long job runs alone at the end. */
function jobsOf(names: readonly string[], isSqliteOnly: boolean): Job[] {
  const isAll = names.includes('all');
  const jobs = isAll ? scripts.map(scriptJob) : [];
  for (const group of isAll ? Object.keys(groups) : new Set(names)) {
    const files = filesOf(group).filter((file) => !(isSqliteOnly && file.includes('tests/store/postgres')));
    const processes = Math.ceil(files.length / (filesPerProcess[group] ?? 1));
    // Neighbours often take equally long: each process gets every nth file.
    for (let nth = 0; nth < processes; nth++) jobs.push(testJob(files.filter((_, index) => index % processes === nth)));
  }
  for (const name of waiting) {
    if (isAll && jobs.every((job) => job.name !== name)) throw new Error(`${name} is listed as waiting but is no job`);
  }
  return jobs.toSorted((a, b) => b.size - a.size);
}

const running = new Set<number>();

/** Ends a job with all processes that it started. */
function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // They have ended.
  }
}

/** Runs its arguments and prints the CPU time of all their processes to descriptor 3. A signal ends only the command. */
const measured = 'trap : INT TERM; "$@" 3>&-; status=$?; times >&3; exit $status';

/** CPU time of ended processes in seconds: user and system of the last line that `times` printed, such as `0m1.25s 0m0.5s`. */
function cpuSecondsOf(times: string): number {
  const numbers =
    times
      .trim()
      .split('\n')
      .at(-1)
      ?.match(/[\d.]+/g) ?? [];
  return numbers.map(Number).reduce((sum, each, index) => sum + each * (index % 2 === 0 ? 60 : 1), 0);
}

function run({ name, command, files }: Job): Promise<Outcome> {
  const startedAt = performance.now();
  const words = ['-c', measured, 'sh', ...command];
  const child = spawn('sh', words, { cwd: root, stdio: ['ignore', 'pipe', 'pipe', 'pipe'], detached: true });
  const pid = child.pid ?? 0;
  running.add(pid);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => (output += text));
  let times = '';
  child.stdio[3]?.on('data', (chunk: Buffer) => (times += chunk.toString()));
  child.on('error', (error) => (output += error.message));
  let isLate = false;
  const limit = setTimeout(() => {
    isLate = true;
    // On SIGTERM, a test process reports its results so far.
    kill(pid, 'SIGTERM');
    setTimeout(() => kill(pid, 'SIGKILL'), 5000).unref();
  }, maxJobMs);
  return new Promise((resolve) => {
    child.once('exit', () => kill(pid, 'SIGKILL'));
    child.once('close', (code, signal) => {
      clearTimeout(limit);
      running.delete(pid);
      const tests = Number(/^ℹ tests (\d+)$/m.exec(output)?.[1] ?? 0);
      // Node.js reports a file without tests as one passed test that has the name of the file.
      const empty = files.filter((file) => output.includes(`✔ ${file} (`));
      let failure: string | null = null;
      if (isLate) failure = `did not end within ${maxJobMs / 1000} s`;
      else if (code !== 0) failure = `ended with ${code ?? signal}`;
      // Node.js exits with 0 if only a hook of the file failed.
      else if (output.includes('\n✖ failing tests:\n')) failure = 'a hook failed';
      else if (files.length > 0 && (tests === 0 || empty.length > 0))
        failure = `no test in ${(tests === 0 ? files : empty).join(', ')}`;
      const outcome: Outcome = {
        name,
        seconds: (performance.now() - startedAt) / 1000,
        cpuSeconds: cpuSecondsOf(times),
        output,
        failure,
        tests,
      };
      const reason = failure === null ? '' : `: ${failure}`;
      console.log(`${failure === null ? 'ok  ' : 'FAIL'} ${timesOf(outcome)}  ${name}${reason}`);
      if (failure !== null) console.log(output);
      resolve(outcome);
    });
  });
}

function timesOf({ seconds, cpuSeconds }: Outcome): string {
  return `${seconds.toFixed(1).padStart(6)} s, CPU ${cpuSeconds.toFixed(1).padStart(5)} s`;
}

/** Prints which jobs took the most CPU time. */
function printSlowest(outcomes: readonly Outcome[]): void {
  const total = outcomes.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0);
  const slowest = outcomes.toSorted((one, other) => other.cpuSeconds - one.cpuSeconds).slice(0, mostListed);
  console.log(`\n${total.toFixed(0)} s of CPU time, most of it in:`);
  for (const outcome of slowest) console.log(`${timesOf(outcome)}  ${outcome.name}`);
}

/** Output of a failed job about its failures: the end of a test report, or its last lines. */
function errorsOf({ output }: Outcome): string[] {
  const [, report] = output.split('✖ failing tests:\n');
  const lines = (report ?? output).trim().split('\n');
  return report === undefined ? lines.slice(-40) : lines;
}

/** Names of failed tests, each after its place. */
function titlesOf(outcome: Outcome): string[] {
  const titles = [
    ...errorsOf(outcome)
      .join('\n')
      .matchAll(/^test at (\S+?)(?::\d+)?\n✖ (.*)$/gm),
  ];
  if (titles.length === 0) return [`${outcome.name}: ${outcome.failure}`];
  return titles.map(([, place, title]) => `${place} ${title}`);
}

/** Prints the names of failed tests first, then their errors. */
function printFailures(failed: readonly Outcome[], total: number): void {
  const titles = failed.flatMap(titlesOf);
  console.log(`\n${failed.length} of ${total} failed:\n${titles.slice(0, maxTitles).join('\n')}`);
  const each = Math.floor((maxSummaryLines - Math.min(maxTitles, titles.length)) / failed.length) - 2;
  for (const outcome of failed) {
    const lines = errorsOf(outcome).slice(0, Math.max(each, 5));
    console.log(`\n${outcome.name}: ${outcome.failure}\n${lines.join('\n')}`);
  }
}

/** A folder for files written by tests, in memory if there is room; tests of disks and power failures use their own folders. */
function makeTemporaryFolder(): string {
  const [memory, room] = ['/dev/shm', 4 * 2 ** 30];
  const { bavail, bsize } = existsSync(memory) ? statfsSync(memory) : { bavail: 0, bsize: 0 };
  const isInMemory = process.env['TMPDIR'] === undefined && bavail * bsize > room && freemem() > 2 * room;
  const made = mkdtempSync(join(isInMemory ? memory : tmpdir(), 'tocsin-tests-'));
  // PostgreSQL runs as another user if the tests are root.
  chmodSync(made, 0o755);
  return made;
}

/** Share of the processors' time that is idle during the next ms, 0 to 1. */
async function idleShare(ms: number): Promise<number> {
  const read = (): { idle: number; all: number } => {
    const times = cpus().map((each) => each.times);
    const idle = times.reduce((sum, each) => sum + each.idle, 0);
    return { idle, all: times.reduce((sum, { user, nice, sys, irq }) => sum + user + nice + sys + irq, idle) };
  };
  const before = read();
  await pause(ms);
  const after = read();
  return (after.idle - before.idle) / Math.max(1, after.all - before.all);
}

/** Takes jobs from the list until it is empty, and adds their outcomes. */
async function runAll(jobs: Job[], outcomes: Outcome[]): Promise<void> {
  const take = (isWanted: (job: Job) => boolean): Job | undefined => {
    const at = jobs.findIndex(isWanted);
    return at === -1 ? undefined : jobs.splice(at, 1)[0];
  };
  const isWaiting = ({ name }: Job): boolean => waiting.has(name);
  const work = async (next: () => Job | undefined): Promise<void> => {
    for (let job = next(); job !== undefined; job = next()) outcomes.push(await run(job));
  };
  const workWhileIdle = async (): Promise<void> => {
    while (jobs.length > jobsAtOnce) {
      if ((await idleShare(idleForMs)) < enoughIdle) continue;
      // Failed scripts do not run again, so they run only beside the usual number of jobs.
      const job = take((each) => each.files.length > 0 && isWaiting(each)) ?? take(({ files }) => files.length > 0);
      if (job === undefined) return;
      outcomes.push(await run(job));
    }
  };
  await Promise.all([
    ...Array.from({ length: jobsAtOnce }, () => work(() => take((job) => !isWaiting(job)) ?? take(isWaiting))),
    work(() => take(isWaiting)),
    workWhileIdle(),
  ]);
}

/**
 * Runs files that failed once more, one at a time, and replaces their outcomes.
 *
 * @returns names of the tests that passed only then
 */
async function repeatFailed(outcomes: Outcome[], jobs: readonly Job[]): Promise<string[]> {
  const failed = outcomes.filter(({ failure }) => failure !== null);
  if (failed.length > maxRepeated) return [];
  const unstable: string[] = [];
  for (const outcome of failed) {
    const job = jobs.find(({ name, files }) => name === outcome.name && files.length > 0);
    if (job === undefined) continue;
    const again = await run(job);
    outcomes[outcomes.indexOf(outcome)] = again;
    if (again.failure === null) unstable.push(...titlesOf(outcome));
  }
  return unstable;
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { sqlite: { type: 'boolean', default: false } },
  });
  const startedAt = performance.now();
  const jobs = jobsOf(positionals.length === 0 ? ['all'] : positionals, values.sqlite);
  // Tests that start processes start the bundle, as users do.
  if (sourceNewerThanBundle() !== undefined) {
    const { status } = spawnSync(process.execPath, [join(import.meta.dirname, 'build.ts')], { stdio: 'inherit' });
    if (status !== 0) throw new Error('npm run build failed');
  }
  process.env['TEST_BUNDLE_CHECKED'] = 'yes';
  const folder = makeTemporaryFolder();
  process.env['TMPDIR'] = folder;
  process.env['NODE_COMPILE_CACHE'] = join(root, 'node_modules', '.cache', 'node-compile');
  mkdirSync(process.env['NODE_COMPILE_CACHE'], { recursive: true, mode: 0o755 });
  // Set if a test runs this file, or left in the shell.
  for (const name of ['NODE_TEST_CONTEXT', 'TOCSIN_TEST_ENGINES']) delete process.env[name];
  if (values.sqlite) process.env['TOCSIN_TEST_ENGINES'] = 'SQLite';
  const server = values.sqlite
    ? null
    : await startPostgres(null, undefined, { ...lightSettings, max_connections: '500' });
  if (server !== null)
    process.env['TEST_POSTGRES_SERVER'] = JSON.stringify({ port: server.port, socketDir: server.socketDir });
  const outcomes: Outcome[] = [];
  const allJobs = [...jobs];
  let unstable: readonly string[] = [];
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      jobs.length = allJobs.length = 0;
      for (const pid of running) kill(pid, signal);
    });
  }
  const total = jobs.length;
  try {
    await runAll(jobs, outcomes);
    unstable = await repeatFailed(outcomes, allJobs);
  } finally {
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  const skipped = outcomes.flatMap(({ name, output }) =>
    [...output.matchAll(/^ *﹣ (.*)$/gm)].map(([, said]) => `skipped in ${name}: ${said}`),
  );
  for (const line of skipped) console.log(line);
  for (const title of unstable) console.log(`unstable, passed only when run again: ${title}`);
  printSlowest(outcomes);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  const tests = outcomes.reduce((sum, { tests }) => sum + tests, 0);
  const failed = outcomes.filter(({ failure }) => failure !== null);
  if (failed.length > 0) printFailures(failed, total);
  console.log(
    `${tests} tests in ${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')} min, ${failed.length} of ${total} files and scripts failed`,
  );
  if (failed.length > 0 || outcomes.length < total) process.exitCode = 1;
}

try {
  await main();
} catch (error) {
  console.error(`tests: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
