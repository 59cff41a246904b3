// Gives scripts and their gateway thread the lowest CPU priority, because a browser uses all the CPU it can get
// (docs/decisions/0081).
import { existsSync, readFileSync, readlinkSync, stat, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';

/** Lowest priority of `nice`. */
const lowest = 19;

/** Whether the kernel schedules by session. */
const isKnown = existsSync('/proc/self/autogroup');

/**
 * Lowers the priority of a whole session. With autogroup scheduling, `nice` is not enough: a browser has its own
 * session and would get as much CPU as the whole service. Repeat it, because a process may start a session at any time,
 * as bubblewrap does.
 *
 * @returns false if it can never succeed. It may have to be retried: the kernel accepts ten changes per second
 */
export function yieldProcessor(pid: number): boolean {
  if (!isKnown) return false;
  const path = `/proc/${pid}/autogroup`;
  try {
    if (!readFileSync(path, 'utf8').endsWith(`nice ${lowest}\n`)) writeFileSync(path, String(lowest));
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EAGAIN';
  }
}

/** Lowers the priority of the calling thread only; Linux priorities are per thread. */
export function yieldOwnThread(): void {
  // Shared pool threads inherit the priority of the thread that creates them, so create them before.
  stat('/', () => undefined);
  try {
    const [processId, , threadId] = readlinkSync('/proc/thread-self').split('/').map(Number);
    // A /proc of another namespace would refer to another process.
    if (processId === process.pid && threadId !== undefined && threadId !== processId) setPriority(threadId, lowest);
  } catch {
    // Not supported here.
  }
}
