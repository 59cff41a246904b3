// Texts of ledgers.
import { plural } from '../text/format.ts';

export const text = {
  period: 'Period',
  periods: { day: 'Day', month: 'Month' },
  runs: 'Runs',
  alerts: 'Alerts',
  deliveries: 'Deliveries',
  due: 'Counted when due',
  became: 'What became of them',
  total: 'Total',
  difference: 'Difference',
  asOf: 'As of',
  refresh: 'Refresh',
  scheduled: 'Scheduled',
  onDemand: 'Triggered or started by saving',
  outcomes: {
    passed: 'Passed',
    degraded: 'Degraded',
    failed: 'Failed',
    unknown: 'Unknown',
    missed: 'Missed',
    running: 'Running now',
    waiting: 'Waiting now',
  },
  alertsDue: 'Due',
  alertEnds: {
    notified: 'Sent to a channel',
    suppressed: 'Suppressed by a failing dependency',
    muted: 'Muted or in maintenance',
    unsubscribed: 'No channel notified',
    expired: 'Deleted after the retention',
  },
  added: 'Added',
  expired: 'Deleted after the retention',
  balanced: 'Everything adds up.',
  balancedWhy: 'Every run, alert and delivery that was due is accounted for.',
  unbalanced: 'The sums do not add up.',
  lost: (difference: number, [one, many]: readonly [string, string]) =>
    `${plural(difference, one, many)} counted, but not found.`,
  surplus: (difference: number, [one, many]: readonly [string, string]) =>
    `${plural(difference, one, many)} found, but not counted.`,
  lostWhy:
    'Tocsin counts in the same transaction in which it stores. A difference means that the database was changed without Tocsin, or is damaged.',
  nouns: { runs: ['run', 'runs'], alerts: ['alert', 'alerts'], deliveries: ['delivery', 'deliveries'] },
} as const;
