// Slots, not timers: when a check is due follows from its id and its interval alone, so restarts and edits move nothing.

/** How often a check runs, in ms: its frequency in minutes, or its offset in seconds when the frequency is 0. */
export function intervalMs(frequency: number, frequencyOffset: number | null): number {
  return frequency > 0 ? frequency * 60_000 : (frequencyOffset ?? 10) * 1000;
}

/**
 * Where in its interval a check runs, in ms: spread by a hash of its id, so that checks of one interval do not run in
 * one herd.
 */
export function phaseMs(checkId: string, interval: number): number {
  return hash(checkId) % interval;
}

/** The first slot at or after `at` (epoch ms) of a check with that phase. */
export function nextSlot(at: number, interval: number, phase: number): number {
  return Math.ceil((at - phase) / interval) * interval + phase;
}

/** FNV-1a, 32 bits: stable over versions and machines, which is all that a phase needs. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193) >>> 0;
  }
  return value;
}
