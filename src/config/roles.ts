// What a process does, as data: each role and the loops it turns.
import type { Role } from './variables.ts';

/** The loops of a process, by name. */
export const loopNames = [
  'follow-clock',
  'schedule-runs',
  'judge-heartbeats',
  'judge-states',
  'hear-pings',
  'run-checks',
  'close-unserved-runs',
  'send-deliveries',
  'report-failing-channels',
  'roll-up',
  'remove-old-rows',
  'keep-templates',
  'sign-of-life',
] as const;
export type LoopName = (typeof loopNames)[number];

/** Loops of every process, whatever its roles. */
export const loopsOfAll: readonly LoopName[] = ['follow-clock', 'sign-of-life'];

/** Role → its loops. `record-results` belongs to whoever runs checks: findings are recorded where they are made. */
export const loopsOfRole: Readonly<Record<Role, readonly LoopName[]>> = {
  // Templates are kept ready wherever a step renders: alerts of heartbeats, of states and of runs, and reports of failing
  // channels; and where they are saved, and broken ones told by whom people ask (docs/decisions/0060).
  api: ['keep-templates', 'hear-pings'],
  scheduler: ['schedule-runs', 'judge-heartbeats', 'judge-states', 'keep-templates'],
  runner: ['run-checks', 'close-unserved-runs', 'keep-templates'],
  deliverer: ['send-deliveries', 'report-failing-channels', 'keep-templates'],
  upkeep: ['roll-up', 'remove-old-rows'],
};
