// A group that only one run has: it marks the run's processes for as long as they last, and no program without rights of root leaves it.
import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** Numbers that neither systems nor containers give to anybody; the last one is not among them. */
const [first, beyond] = [0x7000_0000, 0x7ffe_0000];

/** Whether this process may give such numbers, if it is root: a container may know only the first few thousand. */
export const hasOwnGroups = isMapped();

/** A number for a run, hardly ever given twice; null where none can be given. */
export function ownGroup(): number | null {
  return hasOwnGroups ? randomInt(first, beyond) : null;
}

function isMapped(): boolean {
  try {
    const lines = readFileSync('/proc/self/gid_map', 'utf8').trim().split('\n');
    return lines.some((line) => {
      const [inside = 0, , count = 0] = line.trim().split(/\s+/).map(Number);
      return inside <= first && inside + count >= beyond;
    });
  } catch {
    return false;
  }
}
