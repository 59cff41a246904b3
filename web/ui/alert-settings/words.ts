// Sentences about alert settings, and where a check takes them from.
import type { AnswerOf } from '#contract/operations.ts';
import { count } from '../text/format.ts';

/** The alert settings of an account, a group or a check. */
export type AlertSettings = NonNullable<AnswerOf<'getCheckGroup'>['alertSettings']>;

const ordinals = ['', 'first', 'second', 'third', 'fourth', 'fifth'];

/** `on the second failed run in a row` @param settings without an escalation: the default */
export function escalationWords(settings: AlertSettings | null | undefined): string {
  const { escalationType, runBasedEscalation, timeBasedEscalation } = settings ?? {};
  if (escalationType === 'TIME_BASED') {
    return `after failing for ${timeBasedEscalation?.minutesFailingThreshold || 5} minutes`;
  }
  const runs = runBasedEscalation?.failedRunThreshold || 1;
  return `on the ${ordinals[runs] ?? runs} failed run${runs === 1 ? '' : ' in a row'}`;
}

/** `a reminder every 10 minutes until recovery` */
export function reminderWords(settings: AlertSettings | null | undefined): string {
  const { amount = 0, interval } = settings?.reminders ?? {};
  if (amount === 0) return 'no reminders';
  const minutes = interval || 5;
  const every = minutes === 1 ? 'every minute' : `every ${minutes} minutes`;
  return amount >= untilRecovery
    ? `a reminder ${every} until recovery`
    : `${count(amount)} ${amount === 1 ? 'reminder' : 'reminders'}, ${every}`;
}

/** Number of reminders that stands for "until recovery". */
export const untilRecovery = 100_000;

/** `if at least 50% of its locations fail`; '' = if one does. */
export function locationWords(settings: AlertSettings | null | undefined): string {
  const { enabled = false, percentage } = settings?.parallelRunFailureThreshold ?? {};
  return enabled ? `if at least ${percentage || 10}% of its locations fail` : '';
}

/** `Alert on the first failed run, no reminders.` */
export function settingsWords(settings: AlertSettings | null | undefined): string {
  const where = locationWords(settings);
  return [`Alert ${escalationWords(settings)}`, ...(where === '' ? [] : [where]), reminderWords(settings)].join(', ');
}
