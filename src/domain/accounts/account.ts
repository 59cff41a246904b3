// Accounts: their limits, their usage of them, and the calendar months of the execution limit.
import type { AlertSettings } from '../alerts/alert-settings.ts';
import type { JsonObject } from '../json.ts';

/** A tenant that owns checks, groups, channels and their data (spec §2.2). */
export interface Account {
  readonly id: string;
  readonly name: string | null;
  /** Name of the account's default runtime; null = the CURRENT one. */
  readonly runtimeId: string | null;
  /** Free JSON of the users; Tocsin does not interpret it (docs/decisions/0009). */
  readonly settings: JsonObject | null;
  /** For checks that use neither their own nor their group's settings. */
  readonly alertSettings: AlertSettings | null;
  /** Runs allowed per UTC calendar month; null = unlimited (decisions: Execution limit). */
  readonly executionLimit: number | null;
  /** Limits that an operator set for this account; null = none. */
  readonly limits: AccountLimits | null;
  /** IANA name of the zone in which messages and linked pages show times; null = the server's. */
  readonly timeZone: string | null;
  /** Whether people need a second factor to act on the account. API keys are not affected. */
  readonly requiresSecondFactor: boolean;
  /** Epoch ms. */
  readonly createdAt: number;
}

/** Resources of an account that are limited. */
export const limitWords = {
  checks: 'checks',
  checkGroups: 'check groups',
  alertChannels: 'alert channels',
  maintenanceWindows: 'maintenance windows',
  apiKeys: 'API keys',
  variables: 'variables',
  variableBytes: 'bytes of variables',
  scriptFileBytes: 'bytes of script files',
  clientCertificates: 'client certificates',
  privateLocations: 'private locations',
  snippets: 'snippets',
  statusPages: 'status pages',
  statusServices: 'services of status pages',
  statusIncidents: 'incidents of status pages',
  statusSubscribers: 'subscribers of status pages',
} as const;
export type LimitName = keyof typeof limitWords;

/** Maximum number of each resource; 0 = unlimited. */
export type AccountLimits = Readonly<Partial<Record<LimitName, number>>>;

/** Thrown if an account has reached a limit. */
export class LimitReachedError extends Error {
  override readonly name = 'LimitReachedError';
  readonly limited: LimitName;
  readonly used: number;
  readonly limit: number;

  constructor(limited: LimitName, used: number, limit: number) {
    const shown = (count: number): string => count.toLocaleString('en-US');
    super(
      `${shown(used)} of ${shown(limit)} ${limitWords[limited]} used. Delete some, or ask an operator to raise limits.${limited} of this account.`,
    );
    this.limited = limited;
    this.used = used;
    this.limit = limit;
  }
}

/** Usage of an account in one UTC calendar month. Times are epoch ms; `to` is exclusive. */
export interface Usage {
  readonly from: number;
  readonly to: number;
  readonly used: number;
  readonly limit: number | null;
}

/** Start (epoch ms) of the UTC calendar month that contains `at`. */
export function monthStart(at: number): number {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
}

/** Start (epoch ms) of the UTC calendar month after the one that contains `at`. */
export function monthEnd(at: number): number {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}

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
type UsageName = (typeof usageNames)[number];

/** How much is used, and of how much; null = unlimited. */
export interface UsageEntry {
  readonly name: UsageName;
  readonly used: number;
  readonly limit: number | null;
}

/** Users of one sort: their number, and some of them. */
export interface Users<User> {
  readonly total: number;
  readonly listed: readonly User[];
}

/** The checks and groups that name a resource. */
export interface ResourceUsers {
  readonly checks: Users<{ readonly id: string; readonly name: string }>;
  readonly groups: Users<{ readonly id: number; readonly name: string }>;
}

export function isUsed({ checks, groups }: ResourceUsers): boolean {
  return checks.total + groups.total > 0;
}
