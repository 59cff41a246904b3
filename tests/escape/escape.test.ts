// Scripts of checks stay where they are put: attempts to get out, and bombs, in real processes on this machine.
import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
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
import { containmentHere, printed, runPlain } from '../support/script-runs.ts';
import { until } from '../support/until.ts';

const canary = 'tocsin-canary-8f1c';
const checkout = join(import.meta.dirname, '..', '..');
let dataFolder = '';
// A place of its own: scripts of other tests run at the same time.
process.env['TMPDIR'] = mkdtempSync(join(tmpdir(), 'tsn-'));
chmodSync(tmpdir(), 0o755);

before(async () => {
  const { containment, refused } = await containmentHere();
  // A promise that cannot be tried must not seem kept.
  assert.match(containment, /bubblewrap|namespaces/, `scripts cannot be contained here: ${refused.join('; ')}`);
  dataFolder = mkdtempSync(join(tmpdir(), 'tocsin-escape-'));
  for (const name of ['tocsin.db', 'secret.key']) writeFileSync(join(dataFolder, name), canary, { mode: 0o644 });
});
after(() => rmSync(tmpdir(), { recursive: true }));

describe('a script', () => {
  it('gets hold of nothing outside, in more than thirty ways', async () => {
    process.env['TOCSIN_ESCAPE_CANARY'] = canary;
    const tried = await besideAnother(() => attempted({}));
    delete process.env['TOCSIN_ESCAPE_CANARY'];
    assert.ok(tried.length >= 30, `${tried.length} attempts`);
    assert.deepEqual(
      tried.filter(({ got }) => got !== ''),
      [],
    );
    assert.deepEqual(readdirSync(dataFolder).toSorted(), ['secret.key', 'tocsin.db']);
  });

  it('would get hold of the files of another run, were it not kept apart', async () => {
    const only = 'the files of other runs';
    const level = process.getuid?.() === 0 ? 'user' : 'process';
    assert.deepEqual(await besideAnother(() => attempted({ only }, { level })), [{ name: only, got: 'read it' }]);
  });

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
  for (const [name, limit, source] of bombs) {
    it(`that ${name} is ended for it, by a reason of its own, and nothing of it is left`, async () => {
      const limits = {
        wallClockMs: limit === 'timeout' ? 1500 : 60_000,
        memoryBytes: 256 << 20,
        processes: 24,
        diskBytes: 16 << 20,
      };
      const outcome = await runPlain(source, { limits });
      assert.equal(outcome.ending, limit, JSON.stringify({ ...outcome, log: outcome.log.length }));
      await nothingLeft();
    });
  }

  it('that leaves processes running in sessions of their own ends with all of them', async () => {
    const outcome = await runPlain(`import { spawn } from 'node:child_process';
      for (let n = 0; n < 3; n++) spawn('setsid', ['sh', '-c', 'sleep 987654 & sleep 987654'], { detached: true, stdio: 'ignore' }).unref();
      await new Promise((resolve) => setTimeout(resolve, 300));`);
    assert.equal(outcome.ending, 'ended', JSON.stringify(outcome));
    await until('the sleepers to end', () => processes('987654').length === 0);
    await nothingLeft();
  });

  it('that closes its folders and links out of them leaves nothing, and nothing outside is touched', async () => {
    const outcome = await runPlain(`import fs from 'node:fs';
      fs.mkdirSync('closed/inner', { recursive: true }); fs.writeFileSync('closed/inner/file', 'x');
      fs.symlinkSync(${JSON.stringify(dataFolder)}, 'closed/link'); fs.chmodSync('closed/inner', 0); fs.chmodSync('closed', 0);`);
    assert.equal(outcome.ending, 'ended', JSON.stringify(outcome));
    assert.deepEqual(readdirSync(dataFolder).toSorted(), ['secret.key', 'tocsin.db']);
    await nothingLeft();
  });

  it('that is stopped from outside ends at once, without a fault of its own', async () => {
    const controller = new AbortController();
    const running = runPlain(`setInterval(() => {}, 1000);`, { signal: controller.signal });
    controller.abort();
    assert.equal((await running).ending, 'stopped');
    await nothingLeft();
  });
});

/** Tries all attempts, or `only` one, and tells what each got. */
async function attempted(
  change: { readonly only?: string },
  means: { readonly level?: 'user' | 'process' } = {},
): Promise<readonly { readonly name: string; readonly got: string }[]> {
  const targets = { servicePid: process.pid, dataFolder, checkout, runs: tmpdir(), canary, ...change };
  const content = readFileSync(join(import.meta.dirname, 'attempts.mjs'), 'utf8');
  const outcome = await runPlain(content, { ...means, environment: { TARGETS: JSON.stringify(targets) } });
  assert.equal(outcome.ending, 'ended', JSON.stringify(outcome));
  return printed(outcome)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { name: string; got: string });
}

/** Does something while another run is under way whose files hold the canary. */
async function besideAnother<Got>(act: () => Promise<Got>): Promise<Got> {
  const controller = new AbortController();
  const other = runPlain(`/* ${canary} */ setInterval(() => {}, 1000);`, { signal: controller.signal });
  const file = (name: string): string => join(tmpdir(), name, 'home', 'script.mjs');
  const isThere = (): boolean => readdirSync(tmpdir()).some((name) => existsSync(file(name)));
  try {
    await until('the files of the other run', isThere);
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
  await until('its processes to end', () => processes('inside/start.mjs').length === 0);
}
