// Runs groups of tests: finds their files, and passes only when files and tests were found and all of them passed.
import { spawn } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// npm runs scripts in the folder of the project.
const root = process.cwd();
const closing = ['tests', 'pass', 'fail', 'cancelled', 'skipped', 'todo', 'duration_ms'];

/** Where the files of a group are. */
const groups: Readonly<Record<string, readonly string[]>> = {
  unit: ['src/**/*.test.ts', 'cli/**/*.test.ts', 'scripts/**/*.test.ts', 'tests/*.test.ts'],
  store: ['tests/store/**/*.test.ts'],
  rest: ['tests/rest/**/*.test.ts'],
  flows: ['tests/flows/**/*.test.ts'],
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
  return files;
}

/** Runs node's test runner: every test on stdout, and its closing figures in a file of their own. */
async function runNode(files: readonly string[], figures: string): Promise<number> {
  const cache = join(root, 'node_modules', '.cache', 'node-compile');
  mkdirSync(cache, { recursive: true });
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const options = [
    '--test',
    '--test-force-exit',
    '--test-concurrency=2',
    '--test-timeout=300000',
    '--test-reporter=spec',
    '--test-reporter-destination=stdout',
    '--test-reporter=tap',
    `--test-reporter-destination=${figures}`,
  ];
  const child = spawn(process.execPath, [...options, ...files], {
    cwd: root,
    env: { ...env, NODE_COMPILE_CACHE: cache },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  // An interrupted run ends its runner first; that decides the exit code.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

async function main(wanted: readonly string[]): Promise<number> {
  const names = wanted.length === 0 || wanted.includes('all') ? Object.keys(groups) : wanted;
  const files = [...new Set(names.flatMap(filesOf))].sort();
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-tests-'));
  try {
    const code = await runNode(files, join(folder, 'figures.tap'));
    const tap = readFileSync(join(folder, 'figures.tap'), 'utf8');
    const figures = tap.split('\n').filter((line) => closing.some((word) => line.startsWith(`# ${word} `)));
    console.log(`\n# files ${files.length} (${names.join(', ')})\n${figures.join('\n')}`);
    // A file without a test is reported as one passed test that bears the name of the file.
    const empty = [...tap.matchAll(/^ok \d+ - (.*\.test\.ts)$/gm)].map((match) => match[1]);
    if (empty.length > 0) throw new Error(`no test was run in ${empty.join(', ')}`);
    if (code === 0 && !/^# pass [1-9]/m.test(tap)) throw new Error('no test passed');
    return code;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(`tests: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
