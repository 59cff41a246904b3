// Puts what a script runs behind whatever else this machine has to do: a browser takes all of a processor that it can get
// (docs/decisions/0085).
import { writeFileSync } from 'node:fs';

/** The lowest share there is, as `nice` counts. */
const lowest = 19;

/**
 * Does what `nice` alone does not: where the kernel shares the processor among sessions (autogroup), and a browser is a
 * session of its own, its processes would get as much as the whole service.
 *
 * @returns false when it could not be said yet: the kernel takes such a word ten times a second
 */
export function yieldProcessor(pid: number): boolean {
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(lowest));
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'EAGAIN');
  }
}
