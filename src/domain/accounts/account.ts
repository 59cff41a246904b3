// An account, and the months that its executions are counted in.
import type { AlertSettings } from '../alerts/alert-settings.ts';
import type { JsonObject } from '../json.ts';

/** A tenant: it owns checks, groups, channels and all that follows from them (spec §2.2). */
export interface Account {
  readonly id: string;
  readonly name: string | null;
  /** Name of the account's default runtime; null = the CURRENT one. */
  readonly runtimeId: string | null;
  /** The users' own: nothing here reads it (docs/decisions/0009). */
  readonly settings: JsonObject | null;
  /** Of checks for which neither their group's nor their own are in force. */
  readonly alertSettings: AlertSettings | null;
  /** Runs allowed per UTC calendar month; null = no limit (decisions: Execution limit). */
  readonly executionLimit: number | null;
  /** Of what it may have, where an operator set another number than is configured; null = nowhere. */
  readonly limits: AccountLimits | null;
  /** Epoch ms. */
  readonly createdAt: number;
}

/** What of an account is counted and limited. */
export const limitWords = {
  checks: 'checks',
  checkGroups: 'check groups',
  alertChannels: 'alert channels',
  maintenanceWindows: 'maintenance windows',
  apiKeys: 'API keys',
  variables: 'variables',
  variableBytes: 'bytes of variables',
  clientCertificates: 'client certificates',
} as const;
export type LimitName = keyof typeof limitWords;

/** How many of each an account may have; 0 = no limit. */
export type AccountLimits = Readonly<Partial<Record<LimitName, number>>>;

/** The account has as many of something as it may have. */
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

/** What an account has used in one UTC calendar month. Instants are epoch ms; `to` is exclusive. */
export interface Usage {
  readonly from: number;
  readonly to: number;
  readonly used: number;
  readonly limit: number | null;
}

/** First instant (epoch ms) of the UTC calendar month that holds `at`. */
export function monthStart(at: number): number {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
}

/** First instant (epoch ms) of the UTC calendar month after the one that holds `at`. */
export function monthEnd(at: number): number {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}
