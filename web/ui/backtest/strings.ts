// Texts of backtests.
import { plural } from '../text/format.ts';

interface Counts {
  readonly alerts: number;
  readonly reminders: number;
  readonly suppressed: number;
  readonly messages: number;
}

const times = (count: number): string => (count === 0 ? 'never' : count === 1 ? 'once' : `${count} times`);

const insteadOf = (changed: number, present: number): string =>
  changed === present ? String(changed) : `${changed} instead of ${present}`;

export const text = {
  title: 'What these settings would have done',
  about: 'Tocsin can replay the results of the last 30 days with these settings, before you save them.',
  run: 'Compare with the last 30 days',
  running: 'Replaying results…',
  sentence: (whose: string, changed: number, present: number, days: number) => {
    const period = `in the last ${plural(days, 'day')}`;
    const would = changed === 0 ? 'not have alerted' : `have alerted ${times(changed)}`;
    const compared = changed === present ? ', as with the present ones' : `; with the present ones, ${times(present)}`;
    return `With these settings ${whose} would ${would} ${period}${compared}.`;
  },
  details: (present: Counts, changed: Counts) =>
    `Messages to channels: ${insteadOf(changed.messages, present.messages)}. Reminders: ${insteadOf(changed.reminders, present.reminders)}.`,
  untold: (fields: readonly string[]) =>
    `The past cannot show what a change of these does, because other results would have come: ${fields.join(', ')}.`,
  some: (checks: number, all: number) => `Replayed ${checks} of ${all} checks.`,
  shortened: 'There are too many results. This is what would have happened until',
  alerts: 'Alerts of either settings',
  columns: { at: 'Time', alert: 'Alert', side: 'Settings' },
  types: {
    ALERT_FAILURE: 'failing',
    ALERT_DEGRADED: 'degraded',
    ALERT_RECOVERY: 'recovered',
    ALERT_DEGRADED_RECOVERY: 'recovered from degraded',
    ALERT_SSL: 'certificate expires',
  },
  reminder: 'reminder',
  suppressed: (by: string) => `suppressed, because ${by} failed`,
  both: 'Both',
  onlyPresent: 'Only the present ones',
  onlyChanged: 'Only the new ones',
  wasNotRaised: 'Not raised then: muted, in maintenance, or set otherwise.',
  newSettings: 'New',
  presentSettings: 'Present',
  more: (all: number) => `Show all ${all}`,
  most: (shown: number, all: number) => `The newest ${shown} of ${all} alerts.`,
} as const;
