// The form of heartbeat checks.
import type { CheckForm } from '../../form.ts';

const units = [
  ['days', 'days'],
  ['hours', 'hours'],
  ['minutes', 'minutes'],
  ['seconds', 'seconds'],
] as const;

export const heartbeatForm: CheckForm = {
  type: 'HEARTBEAT',
  label: 'Heartbeat',
  about: 'expects calls of a job, and alerts if they stay away',
  hasInterval: false,
  shortestInterval: 30,
  start: { heartbeat: { period: 1, periodUnit: 'days', grace: 30, graceUnit: 'minutes' } },
  target: [
    { path: 'heartbeat.period', label: 'A call every', input: 'number' },
    { path: 'heartbeat.periodUnit', label: 'Unit', input: 'choice', options: units },
    { path: 'heartbeat.grace', label: 'Late calls are accepted for', input: 'number' },
    { path: 'heartbeat.graceUnit', label: 'Unit of the grace period', input: 'choice', options: units },
  ],
  sections: [],
};
