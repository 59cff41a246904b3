// Puts what a script runs, and the thread that serves it, behind whatever else this machine has to do: a browser takes all of a processor that it can get
// (docs/decisions/0081).
import { existsSync, readFileSync, readlinkSync, stat, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';

/** The lowest share there is, as `nice` counts. */
const lowest = 19;

/** Whether the kernel knows sessions that share. */
const isKnown = existsSync('/proc/self/autogroup');

/**
 * Does what `nice` alone does not: where the kernel shares the processor among sessions (autogroup), and a browser is a
 * session of its own, its processes would get as much as the whole service. To be said again and again: a process may begin a session
 * at any time, as bubblewrap does before the script.
 *
 * @param niceness of the session, 0 to 19 as `nice` counts
 * @returns false when it can never be said. It may have to wait: the kernel takes such a word ten times a second
 */
export function yieldProcessor(pid: number, niceness = lowest): boolean {
  if (!isKnown) return false;
  const path = `/proc/${pid}/autogroup`;
  try {
    if (!readFileSync(path, 'utf8').endsWith(`nice ${niceness}\n`)) writeFileSync(path, String(niceness));
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EAGAIN';
  }
}

/** The same for the thread that calls it, and for nothing else of this process: on Linux a priority is that of a thread. */
export function yieldOwnThread(): void {
  // Threads that all of the process shares are made when they are first needed, and as willing as who needs them: before it is.
  stat('/', () => undefined);
  try {
    const [processId, , threadId] = readlinkSync('/proc/thread-self').split('/').map(Number);
    // A /proc of other numbers than ours would name somebody else.
    if (processId === process.pid && threadId !== undefined && threadId !== processId) setPriority(threadId, lowest);
  } catch {
    // There is no such way here: it stays as it is.
  }
}
