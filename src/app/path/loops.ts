// The loops of this process: one per step, each running as often as its step requests.
import { errorMessage } from '#lib/errors.ts';
import { type Loop, startLoop } from '#lib/loop.ts';
import { heartbeatIntervalMs } from '#domain/accounts/process.ts';
import type { Damage } from '../store/damage.ts';
import type { Log } from '#lib/log.ts';
import type { Role } from '#config/variables.ts';
import { type LoopName, loopsOfAll, loopsOfRole } from '#config/roles.ts';

/** Maximum time between two ticks, ms. */
export const idleMs = 1000;
/** Loops with a longer maximum, ms; the others tick at least every second. */
const longPausesMs: Partial<Record<LoopName, number>> = {
  'judge-states': 5000,
  'apply-check-changes': 5000,
  'close-unserved-runs': 10_000,
  'roll-up': 60_000,
  'remove-old-rows': 600_000,
  'process-heartbeat': heartbeatIntervalMs,
  'keep-templates': 60_000,
  'call-watchdog': 10_000,
  'send-notices': 30_000,
};

/** How long a tick of loops may take that build documents for all accounts one after the other, ms. */
const longTicksMs: Partial<Record<LoopName, number>> = {
  'send-account-reports': 900_000,
  'report-failing-channels': 900_000,
  // Many requests to a slow bucket: each ends in time.
  'copy-pages-to-bucket': 900_000,
};

/** Starts the loops of the given roles. */
export function startLoops(
  roles: readonly Role[],
  ticks: Readonly<Record<LoopName, () => Promise<number>>>,
  { log, damage }: { readonly log: Log; readonly damage: Pick<Damage, 'noteError'> },
): Map<LoopName, Loop> {
  const loops = new Map<LoopName, Loop>();
  // A loop that several roles share runs once.
  for (const name of new Set([...loopsOfAll, ...roles.flatMap((role) => loopsOfRole[role])])) {
    const floorMs = longPausesMs[name] ?? idleMs;
    const onError = (error: unknown, failedInARow: number): void => {
      damage.noteError(error);
      log.error('step.failed', {
        step: name,
        error: errorMessage(error),
        failedInARow,
      });
    };
    const longestTickMs = longTicksMs[name] ?? 60_000;
    loops.set(name, startLoop({ tick: ticks[name], floorMs, longestTickMs, onError }));
  }
  return loops;
}
