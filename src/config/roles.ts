// The roles of a process and the loops of each, as data.
import type { Role } from './variables.ts';

/** The loops of a process, by name. */
export const loopNames = [
  'follow-clock',
  'schedule-runs',
  'judge-heartbeats',
  'judge-states',
  'record-reception',
  'apply-check-changes',
  'apply-folder',
  'take-up-pages',
  'run-checks',
  'run-trials',
  'run-tests',
  'close-unserved-runs',
  'send-deliveries',
  'report-failing-channels',
  'judge-storms',
  'send-account-reports',
  'roll-up',
  'remove-old-rows',
  'keep-templates',
  'process-heartbeat',
  'call-watchdog',
  'send-notices',
  'publish-status-pages',
  'copy-pages-to-folder',
  'copy-pages-to-bucket',
  'notify-subscribers',
  'confirm-subscribers',
] as const;
export type LoopName = (typeof loopNames)[number];

/** Loops of every process, whatever its roles. */
export const loopsOfAll: readonly LoopName[] = ['follow-clock', 'process-heartbeat'];

/**
 * Role → its loops. Results are recorded by the process that ran the check, so `record-results` belongs to `runner`.
 */
export const loopsOfRole: Readonly<Record<Role, readonly LoopName[]>> = {
  // Templates are compiled wherever a step renders: alerts of heartbeats, states and runs, and reports of failing
  // channels. Processes that serve the API save them and report invalid ones (docs/decisions/0060).
  api: ['keep-templates', 'record-reception', 'apply-check-changes', 'apply-folder', 'take-up-pages'],
  scheduler: ['schedule-runs', 'judge-heartbeats', 'judge-states', 'keep-templates'],
  runner: ['run-checks', 'run-trials', 'run-tests', 'close-unserved-runs', 'keep-templates'],
  upkeep: [
    'roll-up',
    'remove-old-rows',
    'call-watchdog',
    'send-notices',
    'publish-status-pages',
    'copy-pages-to-folder',
    'copy-pages-to-bucket',
    'notify-subscribers',
  ],
  deliverer: [
    'send-deliveries',
    'judge-storms',
    'send-account-reports',
    'report-failing-channels',
    'keep-templates',
    'confirm-subscribers',
  ],
};

/** The step that records results, which is no loop. */
export const recordStep = 'record-results';

/**
 * Role → the steps that must make progress somewhere, for the watchdog. Compiling templates in advance only saves time.
 */
export const stepsOfRole: Readonly<Record<Role, readonly string[]>> = {
  api: ['record-reception'],
  scheduler: loopsOfRole.scheduler.filter((name) => name !== 'keep-templates'),
  runner: [...loopsOfRole.runner.filter((name) => name !== 'keep-templates'), recordStep],
  deliverer: loopsOfRole.deliverer.filter((name) => name !== 'keep-templates'),
  upkeep: loopsOfRole.upkeep,
};
