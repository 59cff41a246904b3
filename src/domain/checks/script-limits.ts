// Resource limits of scripts.
import type { ScriptLimits } from './script.ts';

/** For a multi-step check. */
export const programLimits: ScriptLimits = {
  wallClockMs: 120_000,
  memoryBytes: 512 << 20,
  processes: 64,
  outputBytes: 4 << 20,
  diskBytes: 256 << 20,
};

/** For a setup or teardown script (docs/decisions/0086). */
export const hookLimits: ScriptLimits = { ...programLimits, wallClockMs: 10_000 };

/** For a browser check. */
export const browserLimits: ScriptLimits = {
  wallClockMs: 240_000,
  memoryBytes: 2 * 1024 ** 3,
  processes: 128,
  outputBytes: 8 << 20,
  diskBytes: 512 << 20,
};
