// Scripts of checks stay where they are put: attempts to get out, and bombs, in real processes on this machine.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { ScriptLimit } from '#domain/script.ts';
import type { Containment } from '#scripts/containment.ts';
import { currentRuntime, printed, runPlain, strongContainments } from '../support/script-runs.ts';
import { until } from '../support/until.ts';

const canary = 'tocsin-canary-8f1c';
/** What each process of a script begins with, by whatever path. */
const firstCode = '/start.mjs';
const checkout = join(import.meta.dirname, '..', '..');
const isRoot = process.getuid?.() === 0;
const dataFiles = ['hook.js', 'secret.key', 'tocsin.db'];
let dataFolder = '';
/** Its packages: one to write to, one that is native. */
let runtimeFolder = '';
/** Stands where the service does: what it was started with is in its environment for all to see who can. */
let service: ChildProcess;
// A place of its own: scripts of other tests run at the same time.
process.env['TMPDIR'] = mkdtempSync(join(tmpdir(), 'tsn-'));
chmodSync(tmpdir(), 0o755);
const strong = await strongContainments();
const refused = strong.flatMap(({ problem }) => problem ?? []);

before(() => {
  // A promise that cannot be tried must not seem kept.
  assert.ok(refused.length < strong.length, `scripts cannot be contained here: ${refused.join('; ')}`);
  dataFolder = mkdtempSync(join(tmpdir(), 'tocsin-escape-'));
  for (const name of dataFiles) {
    const text = name === 'hook.js' ? `const text = "${canary}" 5;` : canary;
    writeFileSync(join(dataFolder, name), text, { mode: 0o644 });
  }
  runtimeFolder = makeRuntime();
  const environment = { TOCSIN_ESCAPE_CANARY: canary };
  service = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { env: environment, stdio: 'ignore' });
});
after(() => {
  service.kill('SIGKILL');
  rmSync(tmpdir(), { recursive: true });
});

/** A runtime with what the attempts need of packages. The native one is the linter that lints this project. */
function makeRuntime(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-runtime-'));
  chmodSync(folder, 0o755);
  for (const name of ['lodash', 'native']) mkdirSync(join(folder, 'node_modules', name), { recursive: true });
  writeFileSync(join(folder, 'node_modules', 'lodash', 'lodash.js'), '');
  const [addon] = globSync(join(checkout, 'node_modules', '@oxlint', 'binding-*', '*.node'));
  assert.ok(addon !== undefined, 'no native module is installed: run npm ci');
  copyFileSync(addon, join(folder, 'node_modules', 'native', 'addon.node'));
  return folder;
}

/** Ways that lead out where nothing keeps a script in, and change nothing there but what can be removed again. */
const open = [
  'the environment of the parent',
  'the command lines of others',
  'a signal to the service',
  'a signal by a shell',
  'memory of the service',
  'the data folder',
  'the secret key',
  'the data folder by a link',
  'the data folder by a hard link',
  'the data folder by going up',
  'the data folder of a shell',
  'a file in the data folder',
  'the database through node:sqlite',
  'the source of the service',
  'the files of other runs',
  'packages of the runtime',
  'a package added to the runtime',
  'a mount in namespaces of its own',
  'a program by process.binding',
  'a native module',
  'calls of the system by perl',
];
/** Further ones, where the script is root. */
const openToRoot = ['the passwords of the machine', 'the home of root', 'programs of the machine', 'another user'];

const bombs: readonly (readonly [name: string, limit: ScriptLimit, source: string])[] = [
  ['runs for ever', 'timeout', `for (;;);`],
  ['waits for ever and hears no signal', 'timeout', `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000);`],
  ['takes memory outside of the heap', 'memory', `const all = []; for (;;) all.push(Buffer.alloc(4e6, 1));`],
  [
    'takes memory by many processes',
    'memory',
    `import { spawn } from 'node:child_process';
    const hold = 'const b = Buffer.alloc(6e7, 1); setInterval(() => b, 1000)';
    for (let n = 0; n < 8; n++) spawn(process.execPath, ['-e', hold]);
    setInterval(() => {}, 1000);`,
  ],
  [
    'prints for ever',
    'output',
    `import { writeSync } from 'node:fs'; const text = 'x'.repeat(65_536); for (;;) try { writeSync(1, text); } catch {}`,
  ],
  [
    'floods what it reports through',
    'output',
    `import { writeSync } from 'node:fs'; const text = 'x'.repeat(65_536); for (;;) try { writeSync(3, text); } catch {}`,
  ],
  [
    'fills the disk with one file',
    'disk',
    `import fs from 'node:fs'; const text = 'x'.repeat(1 << 20);
    for (;;) { try { fs.appendFileSync('big', text); } catch {} }`,
  ],
  [
    'fills the disk with many files',
    'disk',
    `import fs from 'node:fs'; for (let n = 0; ; n++) fs.writeFileSync('tmp/' + n, 'x');`,
  ],
  [
    'starts itself again and again',
    'processes',
    `import { spawn } from 'node:child_process';
    const bomb = 'const { spawn } = require("child_process"); for (;;) spawn(process.execPath, ["-e", process.env.BOMB], { detached: true, stdio: "ignore" })';
    process.env.BOMB = bomb; spawn(process.execPath, ['-e', bomb], { detached: true, stdio: 'ignore' });
    setInterval(() => {}, 1000);`,
  ],
  [
    'starts shells for ever',
    'processes',
    `import { spawn } from 'node:child_process'; for (;;) spawn('sleep', ['1000']);`,
  ],
];

for (const { level, problem, isPossible } of strong) {
  it(`a script is kept in by ${level} wherever its program works at all`, () => {
    if (isPossible) assert.equal(problem, null);
  });

  describe(`a script that is kept in by ${level}`, { skip: problem ?? false }, () => {
    it('gets hold of nothing outside, in more than thirty ways', async () => {
      process.env['TOCSIN_ESCAPE_CANARY'] = canary;
      const tried = await besideAnother(level, () => attempted({}, level));
      delete process.env['TOCSIN_ESCAPE_CANARY'];
      assert.ok(tried.length >= 30, `${tried.length} attempts`);
      assert.deepEqual(
        tried.filter(({ got }) => got !== ''),
        [],
      );
      assert.deepEqual(readdirSync(dataFolder).toSorted(), dataFiles);
      assert.ok(service.exitCode === null && service.signalCode === null);
    });

    for (const [name, limit, source] of bombs) {
      it(`that ${name} is ended for it, by a reason of its own, and nothing of it is left`, async () => {
        const limits = {
          wallClockMs: limit === 'timeout' ? 1500 : 60_000,
          memoryBytes: 256 << 20,
          processes: 24,
          diskBytes: 16 << 20,
        };
        const outcome = await runPlain(source, { limits, level });
        assert.equal(outcome.ending, limit, JSON.stringify({ ...outcome, log: outcome.log.length }));
        await nothingLeft();
      });
    }

    it('that leaves processes running in sessions of their own ends with all of them', async () => {
      const outcome = await runPlain(
        `import { spawn } from 'node:child_process';
        for (let n = 0; n < 3; n++) spawn('setsid', ['sh', '-c', 'sleep 987654 & sleep 987654'], { detached: true, stdio: 'ignore' }).unref();
        await new Promise((resolve) => setTimeout(resolve, 300));`,
        { level },
      );
      assert.equal(outcome.ending, 'ended', JSON.stringify(outcome));
      await until('the sleepers to end', () => processes('987654').length === 0);
      await nothingLeft();
    });

    it('that closes its folders and links out of them leaves nothing, and nothing outside is touched', async () => {
      const outcome = await runPlain(
        `import fs from 'node:fs';
        fs.mkdirSync('closed/inner', { recursive: true }); fs.writeFileSync('closed/inner/file', 'x');
        fs.symlinkSync(${JSON.stringify(dataFolder)}, 'closed/link'); fs.chmodSync('closed/inner', 0); fs.chmodSync('closed', 0);`,
        { level },
      );
      assert.equal(outcome.ending, 'ended', JSON.stringify(outcome));
      assert.deepEqual(readdirSync(dataFolder).toSorted(), dataFiles);
      await nothingLeft();
    });

    it('that is stopped from outside ends at once, without a fault of its own', async () => {
      const controller = new AbortController();
      const running = runPlain(`setInterval(() => {}, 1000);`, { level, signal: controller.signal });
      controller.abort();
      assert.equal((await running).ending, 'stopped');
      await nothingLeft();
    });
  });
}

describe('a script', () => {
  it('would get hold of it in most of them, were it not contained', async () => {
    const only = isRoot ? [...open, ...openToRoot] : open;
    const tried = await besideAnother('process', () => attempted({ only }, 'process'));
    rmSync(join(dataFolder, 'planted'));
    rmSync(join(dataFolder, 'planted.db'));
    assert.deepEqual(tried.map(({ name }) => name).toSorted(), only.toSorted());
    assert.deepEqual(
      tried.filter(({ got }) => got === '' || got.startsWith('did not run')),
      [],
    );
  });

  it('would get hold of the files of another run, were it not kept apart', async () => {
    const name = 'the files of other runs';
    const level = isRoot ? 'user' : 'process';
    const tried = await besideAnother(level, () => attempted({ only: [name] }, level));
    assert.deepEqual(tried, [{ name, got: 'read it' }]);
  });
});

/** Tries all attempts, or `only` some, and tells what each got. */
async function attempted(
  change: { readonly only?: readonly string[] },
  level: Containment,
): Promise<readonly { readonly name: string; readonly got: string }[]> {
  const targets = { servicePid: service.pid, dataFolder, checkout, runs: tmpdir(), canary, ...change };
  const content = readFileSync(join(import.meta.dirname, 'attempts.mjs'), 'utf8');
  const runtime = { ...currentRuntime, folder: runtimeFolder };
  const outcome = await runPlain(content, { level, runtime, environment: { TARGETS: JSON.stringify(targets) } });
  assert.equal(outcome.ending, 'ended', JSON.stringify(outcome));
  return printed(outcome)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { name: string; got: string });
}

/** Does something while another run is under way whose files hold the canary. */
async function besideAnother<Got>(level: Containment, act: () => Promise<Got>): Promise<Got> {
  const controller = new AbortController();
  const other = runPlain(`/* ${canary} */ setInterval(() => {}, 1000);`, { level, signal: controller.signal });
  const file = (name: string): string => join(tmpdir(), name, 'home', 'script.mjs');
  const isThere = (): boolean => readdirSync(tmpdir()).some((name) => existsSync(file(name)));
  try {
    await until('the files of the other run', isThere);
    // What is looked for afterwards is found while it is there.
    await until('the process of the other run', () => processes(firstCode).length > 0);
    return await act();
  } finally {
    controller.abort();
    assert.equal((await other).ending, 'stopped');
  }
}

/** Processes with that in their command line whose files are here, by what is mounted for them or where they stand. */
function processes(part: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(part)) return false;
      const places = [readFileSync(`/proc/${pid}/mountinfo`, 'utf8'), readlinkSync(`/proc/${pid}/cwd`)];
      return places.some((text) => text.includes(basename(tmpdir())));
    } catch {
      return false;
    }
  });
}

/** No folder of a run and no process in one. */
async function nothingLeft(): Promise<void> {
  assert.deepEqual(
    readdirSync(tmpdir()).filter((name) => name.startsWith('tocsin-script-')),
    [],
  );
  await until('its processes to end', () => processes(firstCode).length === 0);
}
