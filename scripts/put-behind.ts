// Gives a session of processes less of the processor than others have.
import { existsSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';

/**
 * To be said of the first process of a session before it starts others: they have the same. Where the kernel shares the processor
 * among sessions (autogroup), `nice` is about processes of one session only, and the session is told as well.
 *
 * @param niceness 0 to 19, as `nice` counts
 */
export function putBehind(pid: number, niceness: number): void {
  try {
    setPriority(pid, niceness);
    const path = `/proc/${pid}/autogroup`;
    if (existsSync(path)) writeFileSync(path, String(niceness));
  } catch {
    // It has ended, or this machine has no such thing: it runs as all others do.
  }
}
