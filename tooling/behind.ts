// Runs a program of ours in a session of its own that comes after others, nearer to what scripts of checks have:
// behind.ts tooling/test.ts rest flows. Ends as the program does.
//
// Where tests take all there is, a script that has 10 s for its answer would wait as long for its first line. Programs that begin
// sessions without end, as the bombs of tests/escape do, are not for it: each of their sessions would come before the tests.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setPriority } from 'node:os';
import { yieldProcessor } from '#sandbox/containment/yield-processor.ts';

/**
 * As `nice` counts: a twentieth of what others have, and four times what scripts have with their 19. A browser that a
 * test starts is a session of its own against all other tests: with less of a share it is late for what has 30 s.
 */
const niceness = 13;

/** To be said of the first process of a session before it starts others: they have the same. */
function putBehind(pid: number): void {
  try {
    setPriority(pid, niceness);
    yieldProcessor(pid, niceness);
  } catch {
    // It has ended: nothing of it runs.
  }
}

let pid: number | undefined;
// Before there is anything to be ended: what came between would end this process alone.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => void (pid !== undefined && process.kill(-pid, signal)));
}
// The session of whoever asks stays as it is.
const how = { stdio: 'inherit', detached: true } as const;
const child = spawn(process.execPath, [...process.execArgv, ...process.argv.slice(2)], how);
pid = child.pid;
if (pid !== undefined) putBehind(pid);
const [code] = (await once(child, 'close')) as [number | null];
process.exitCode = code ?? 1;
