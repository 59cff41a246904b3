// The loops of this process: one per step, each turning as often as its step asks for.
import { type Loop, startLoop } from '#lib/loop.ts';
import { signPauseMs } from '#domain/accounts/process.ts';
import type { Log } from '#lib/log.ts';
import type { Role } from '#config/variables.ts';
import { type LoopName, loopsOfAll, loopsOfRole } from '#config/roles.ts';

/** A loop looks this often at the latest, ms. */
export const idleMs = 1000;
/** Loops whose turns are far apart, ms; the others look every second at the latest. */
const longPausesMs: Partial<Record<LoopName, number>> = {
  'judge-states': 5000,
  'close-unserved-runs': 10_000,
  'roll-up': 60_000,
  'remove-old-rows': 600_000,
  'sign-of-life': signPauseMs,
  'keep-templates': 60_000,
};

/** Starts the loops of these roles. */
export function startLoops(
  roles: readonly Role[],
  turns: Readonly<Record<LoopName, () => Promise<number>>>,
  log: Log,
): Map<LoopName, Loop> {
  const loops = new Map<LoopName, Loop>();
  // Several roles may share a loop: it turns once.
  for (const name of new Set([...loopsOfAll, ...roles.flatMap((role) => loopsOfRole[role])])) {
    const floorMs = longPausesMs[name] ?? idleMs;
    const onError = (error: unknown, failedInARow: number): void =>
      log.error('step.failed', {
        step: name,
        error: error instanceof Error ? error.message : String(error),
        failedInARow,
      });
    loops.set(name, startLoop({ turn: turns[name], floorMs, onError }));
  }
  return loops;
}
