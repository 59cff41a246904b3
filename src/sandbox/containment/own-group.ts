// A group id that only one run has. It marks the run's processes; a program without root privileges cannot drop it.
import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** Range that neither systems nor containers use; the last one is excluded. */
const [first, beyond] = [0x7000_0000, 0x7ffe_0000];

/** Whether root can use these ids. A container may map only the first few thousand. */
export const hasOwnGroups = isMapped();

/** Returns a group id that is almost always unused, or null if none is available. */
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
