// Slots instead of timers: the schedule follows from a check's ID and interval alone, so that restarts and edits shift
// nothing.

/** Interval of a check in ms: its frequency in minutes, or its offset in seconds if the frequency is 0. */
export function intervalMs(frequency: number, frequencyOffset: number | null): number {
  return frequency > 0 ? frequency * 60_000 : (frequencyOffset ?? 10) * 1000;
}

/** Phase of a check within its interval, ms: a hash of its ID spreads checks of the same interval. */
export function phaseMs(checkId: string, interval: number): number {
  return hash(checkId) % interval;
}

/** The first slot at or after `at` (epoch ms) of a check with that phase. */
export function nextSlot(at: number, interval: number, phase: number): number {
  return Math.ceil((at - phase) / interval) * interval + phase;
}

/** FNV-1a, 32 bits: stable across versions and machines, and good enough for a phase. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193) >>> 0;
  }
  return value;
}
