// Scripts that exhaust resources, at every level of containment: each is ended with its own reason, and nothing
// remains.
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import type { ScriptLimit, ScriptLimits } from '#domain/checks/script.ts';
import { type Containment, hasGateway, hasOwnGroups } from '#sandbox/containment/containment.ts';
import { shortfalls, uncountedAt } from '#sandbox/containment/protections.ts';
import { nothingLeft, processesThere, useOwnTmp } from '../support/scripts/left-behind.ts';
import { runPlain, strongContainments } from '../support/scripts/script-runs.ts';
import { until } from '../support/until.ts';

useOwnTmp();
const isRoot = process.getuid?.() === 0;
const strong = await strongContainments();
const notRoot = isRoot ? null : 'it needs root';
const notLinux = process.platform === 'linux' ? null : 'it needs Linux';
/** Every level, and why it cannot be tested here. */
const levels: readonly (readonly [Containment, string | null])[] = [
  ...strong.map(({ level, problem }) => [level, problem] as const),
  ['user', notRoot],
  ['process', notLinux],
];
after(() => rmSync(tmpdir(), { recursive: true }));

interface Bomb {
  readonly name: string;
  readonly limit: ScriptLimit;
  readonly source: string;
  /** Whether it uses many processes, which must be identified without a process namespace. */
  readonly isMany?: boolean;
}

const wait = 'setInterval(() => {}, 1000);';
const spawning = `import { spawn } from 'node:child_process';`;
const bombs: readonly Bomb[] = [
  { name: 'runs forever', limit: 'deadline', source: `for (;;);` },
  {
    name: 'waits forever and ignores signals',
    limit: 'deadline',
    source: `process.on('SIGTERM', () => {}); ${wait}`,
  },
  {
    name: 'takes memory outside of the heap',
    limit: 'memory',
    source: `const all = []; for (;;) all.push(Buffer.alloc(4e6, 1));`,
  },
  {
    name: 'takes memory by many processes',
    limit: 'memory',
    source: `${spawning}
    const hold = 'const b = Buffer.alloc(6e7, 1); setInterval(() => b, 1000)';
    for (let n = 0; n < 8; n++) spawn(process.execPath, ['-e', hold]);
    ${wait}`,
    isMany: true,
  },
  {
    name: 'takes memory by processes that lost their parent',
    limit: 'memory',
    source: `${spawning}
    const hold = 'const b = Buffer.alloc(9e7, 1); setInterval(() => b, 1000)';
    for (let n = 0; n < 3; n++) spawn('sh', ['-c', '"$0" -e "$1" &', process.execPath, hold], { stdio: 'ignore' });
    ${wait}`,
    isMany: true,
  },
  {
    name: 'prints forever',
    limit: 'output',
    source: `import { writeSync } from 'node:fs'; const text = 'x'.repeat(65_536); for (;;) try { writeSync(1, text); } catch {}`,
  },
  {
    name: 'floods what it reports through',
    limit: 'output',
    source: `import { writeSync } from 'node:fs'; const text = 'x'.repeat(65_536); for (;;) try { writeSync(3, text); } catch {}`,
  },
  {
    name: 'fills the disk with one file',
    limit: 'disk',
    source: `import fs from 'node:fs'; const text = 'x'.repeat(1 << 20);
    for (;;) { try { fs.appendFileSync('big', text); } catch {} }`,
  },
  {
    name: 'fills the disk with many files',
    limit: 'disk',
    source: `import fs from 'node:fs'; for (let n = 0; ; n++) fs.writeFileSync('tmp/' + n, 'x');`,
  },
  {
    name: 'starts itself again and again',
    limit: 'processes',
    source: `${spawning}
    const bomb = 'const { spawn } = require("child_process"); for (;;) spawn(process.execPath, ["-e", process.env.BOMB], { detached: true, stdio: "ignore" })';
    process.env.BOMB = bomb; spawn(process.execPath, ['-e', bomb], { detached: true, stdio: 'ignore' });
    ${wait}`,
    isMany: true,
  },
  {
    name: 'starts shells forever',
    limit: 'processes',
    source: `${spawning} for (;;) spawn('sleep', ['1000']);`,
  },
  {
    name: 'starts processes that lose their parent',
    limit: 'processes',
    source: `${spawning} for (let n = 0; n < 40; n++) spawn('sh', ['-c', 'sleep 1000 &'], { stdio: 'ignore' }); ${wait}`,
    isMany: true,
  },
  {
    name: 'starts processes that lose their parent and their session',
    limit: 'processes',
    source: `${spawning} for (let n = 0; n < 40; n++) spawn('sh', ['-c', 'setsid sleep 1000 &'], { stdio: 'ignore' }); ${wait}`,
    isMany: true,
  },
];

for (const [level, problem] of levels) {
  describe(`a script at the level ${level}`, { skip: problem ?? false }, () => {
    // A single process is the same at every level, so weak levels are only tested where it matters.
    for (const { name, limit, source } of bombs.filter(({ isMany = false }) => isMany || hasGateway(level))) {
      it(`that ${name} is ended with its own reason, and nothing remains`, async () => {
        const limits = {
          wallClockMs: limit === 'deadline' ? 1500 : 60_000,
          memoryBytes: 256 << 20,
          processes: 24,
          diskBytes: 16 << 20,
        };
        const outcome = await runPlain(source, { limits, level });
        assert.equal(outcome.ending, limit, JSON.stringify({ ...outcome, log: outcome.log.length }));
        await nothingLeft();
      });
    }

    it('that leaves processes in their own sessions is ended with all of them', async () => {
      const outcome = await runPlain(
        `${spawning}
        for (let n = 0; n < 3; n++) spawn('setsid', ['sh', '-c', 'sleep 987654 & sleep 987654'], { detached: true, stdio: 'ignore' }).unref();
        await new Promise((resolve) => setTimeout(resolve, 300));`,
        { level },
      );
      assert.equal(outcome.ending, 'ended', JSON.stringify(outcome));
      await until('the sleepers to end', () => processesThere('987654').length === 0);
      await nothingLeft();
    });

    it('that changes parent, session and folder at once is detected where documented', async () => {
      await triesToHide(level);
    });

    it('is measured except for the documented exceptions', async () => {
      const outcomes = await Promise.all(hidings.map(({ source, limits }) => runPlain(source, { level, limits })));
      // A missing resource is refused, so the script fails.
      const isHad = outcomes.map(({ ending, errors }) => ending === 'ended' && errors.length === 0);
      assert.deepEqual(
        hidings.filter((_, n) => isHad[n]).map(({ what }) => what),
        uncountedAt(level),
        JSON.stringify(outcomes.map(({ ending, errors }) => [ending, errors])),
      );
      await nothingLeft();
    });

    it('that closes its folders and links out of them leaves nothing, without effects outside', async () => {
      const outside = join(tmpdir(), `outside-${level}`);
      mkdirSync(outside);
      writeFileSync(join(outside, 'file'), '');
      const outcome = await runPlain(
        `import fs from 'node:fs';
        fs.mkdirSync('closed/inner', { recursive: true }); fs.writeFileSync('closed/inner/file', 'x');
        fs.symlinkSync(${JSON.stringify(outside)}, 'closed/link'); fs.chmodSync('closed/inner', 0); fs.chmodSync('closed', 0);`,
        { level },
      );
      assert.equal(outcome.ending, 'ended', JSON.stringify(outcome));
      assert.deepEqual(readdirSync(outside), ['file']);
      await nothingLeft();
    });

    it('that is stopped from outside ends at once without a failure', async () => {
      const controller = new AbortController();
      const running = runPlain(wait, { level, signal: controller.signal });
      controller.abort();
      assert.equal((await running).ending, 'stopped');
      await nothingLeft();
    });
  });
}

/** Syscall numbers of memfd_create by architecture. */
const memfdCreate = { x64: 319, arm64: 279 }[process.arch as string];
const hold = 'await new Promise((resolve) => setTimeout(resolve, 800));';
const least = { wallClockMs: 60_000, processes: 24 };
/** Uses more than the limit in uncounted ways, for longer than a check interval. Fails if the resource is missing. */
const hidings: readonly { readonly what: string; readonly source: string; readonly limits: Partial<ScriptLimits> }[] = [
  {
    what: '`memfd` memory',
    source: `import { execFileSync } from 'node:child_process';
    const code = 'for my $n (1..7) { my $fd = syscall(${memfdCreate}, my $name = "x", 0); die if $fd < 0; open(my $f, ">&=", $fd) or die;'
      + ' push @all, $f; for (1..16) { syswrite($f, "x" x (1 << 20)) == 1 << 20 or die } } select(undef, undef, undef, 0.4)';
    execFileSync('perl', ['-e', code]);`,
    limits: { ...least, memoryBytes: 96 << 20, diskBytes: 17 << 20 },
  },
  {
    what: 'files in `/dev/shm`',
    source: `import fs from 'node:fs';
    const folder = fs.mkdtempSync('/dev/shm/tsn-');
    try {
      for (let n = 0; n < 3; n++) fs.writeFileSync(folder + '/' + n, Buffer.alloc(7 << 20, 1));
      ${hold}
    } finally { fs.rmSync(folder, { recursive: true }); }`,
    limits: { ...least, memoryBytes: 256 << 20, diskBytes: 8 << 20 },
  },
  {
    what: 'deleted files that are still open',
    source: `import fs from 'node:fs';
    for (let n = 0; n < 3; n++) {
      const file = fs.openSync('big', 'w');
      fs.unlinkSync('big');
      fs.writeSync(file, Buffer.alloc(7 << 20, 1));
    }
    ${hold}`,
    limits: { ...least, memoryBytes: 256 << 20, diskBytes: 8 << 20 },
  },
];

/** Starts a process that can only be identified by what it cannot change. */
async function triesToHide(level: Containment): Promise<void> {
  // A sleep time in s that no other process uses.
  const time = `39.${process.pid}${levels.findIndex(([each]) => each === level)}`;
  // Its parent has moved and ended before it can be seen.
  const source = `${spawning}
    spawn('setsid', ['-f', 'sleep', '${time}'], { stdio: 'ignore', cwd: '/', env: { PATH: process.env.PATH ?? '/usr/bin:/bin' } });
    await new Promise((resolve) => setTimeout(resolve, 300));`;
  const { ending, errors } = await runPlain(source, { level });
  assert.deepEqual([ending, errors], ['ended', []]);
  const left = (): readonly string[] => readdirSync('/proc').filter((pid) => isSleeper(pid, time));
  const isPromised = !shortfalls(level, hasOwnGroups).some((each) =>
    each.startsWith('all processes of a run end with it'),
  );
  if (isPromised) await until('the sleeper to end', () => left().length === 0, { withinMs: 20_000 });
  for (const pid of left()) process.kill(Number(pid), 'SIGKILL');
  await nothingLeft();
}

function isSleeper(pid: string, time: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8') === `sleep\0${time}\0`;
  } catch {
    return false;
  }
}
