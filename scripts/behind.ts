// Runs a program of ours in a session of its own that comes after others, nearer to what scripts of checks have:
// behind.ts scripts/test.ts rest flows. Ends as the program does.
//
// Where tests take all there is, a script that has 10 s for its answer would wait as long for its first line. What makes sessions without
// end, as some of tests/escape do, is none for it: each new one would come before the tests.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';

/** As `nice` counts: a tenth of what others have, and seven times what scripts have with their 19. */
const niceness = 10;

/** To be said of the first process of a session before it starts others: they have the same. */
function putBehind(pid: number): void {
  try {
    setPriority(pid, niceness);
    // Where the kernel shares the processor among sessions (autogroup), `nice` is about the processes of one session only.
    const path = `/proc/${pid}/autogroup`;
    if (existsSync(path)) writeFileSync(path, String(niceness));
  } catch {
    // It has ended, or this machine has no such thing: it runs as all others do.
  }
}

// The session of whoever asks stays as it is.
const how = { stdio: 'inherit', detached: true } as const;
const child = spawn(process.execPath, [...process.execArgv, ...process.argv.slice(2)], how);
const { pid } = child;
if (pid !== undefined) {
  putBehind(pid);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.kill(-pid, signal));
}
const [code] = (await once(child, 'close')) as [number | null];
process.exitCode = code ?? 1;
