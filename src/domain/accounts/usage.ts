// What an account uses of its limits.
import { limitWords, type LimitName } from './account.ts';

const limitNames = Object.keys(limitWords) as LimitName[];

/** What is counted: resources, runs of the UTC month and of the last full hour, messages of this hour, and queues. */
export const usageNames = [
  ...limitNames,
  'runsOfMonth',
  'runsOfHour',
  'emailsOfHour',
  'statusEmailsOfHour',
  'telephoneOfHour',
  'triggeredRuns',
  'checkTrials',
  'auditEntries',
] as const;
export type UsageName = (typeof usageNames)[number];

/** How much is used, and of how much; null = unlimited. */
export interface UsageEntry {
  readonly name: UsageName;
  readonly used: number;
  readonly limit: number | null;
}
