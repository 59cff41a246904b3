// Alert channels: destinations of alerts.
import type { JsonObject } from '../json.ts';
import type { ReportSchedule } from '../results/account-report.ts';
import type { ActiveHours } from './active-hours.ts';

/** A destination for alerts and the alerts it receives. The kind defines `config` and `secrets`. */
export interface AlertChannel {
  readonly accountId: string;
  /** Numbered per account. */
  readonly id: number;
  /** Name of its kind. */
  readonly type: string;
  readonly config: JsonObject;
  /** Secrets that the kind separates from `config`; stored encrypted. */
  readonly secrets: JsonObject;
  readonly sendRecovery: boolean;
  readonly sendFailure: boolean;
  readonly sendDegraded: boolean;
  readonly sslExpiry: boolean;
  /** Days, 1..30. */
  readonly sslExpiryThreshold: number;
  readonly autoSubscribe: boolean;
  /** Whether alerts of storms and of flapping checks are grouped (0127, 0138); otherwise it receives every alert. */
  readonly grouping: boolean;
  /** null = always active. */
  readonly activeHours: ActiveHours | null;
  /** When it receives reports on the account; null = never. */
  readonly report: ReportSchedule | null;
  /** Consecutive deliveries that were exhausted or redirected (docs/decisions/0026). */
  readonly exhaustedInARow: number;
  readonly failingSince: number | null;
  /** Epoch ms. */
  readonly createdAt: number;
  readonly updatedAt: number | null;
}

/** A subscription to one check or to every check of a group: exactly one of the two IDs is set. */
export interface Subscription {
  readonly accountId: string;
  readonly id: number;
  readonly alertChannelId: number;
  readonly checkId: string | null;
  readonly groupId: number | null;
  readonly activated: boolean;
  /** How long after an alert the channel is notified, if the alert is still open and not acknowledged; 0 = at once. */
  readonly escalationMinutes: number;
}

/** Whether messages of a channel arrive. */
export interface ChannelHealth {
  /** Start of the attempt that was received last, epoch ms; null = none of the newest deliveries was. */
  readonly lastDeliveredAt: number | null;
  /** Deliveries that wait for an attempt, at most `maxCounted`. */
  readonly waitingDeliveries: number;
}

/** Most waiting deliveries that are counted. */
export const maxCounted = 1000;

/** Longest `escalationMinutes`: a day. */
export const longestEscalationMinutes = 1440;

/** A channel subscribed to a check or group, as seen from the check or group. */
export type SubscribedChannel = Pick<Subscription, 'alertChannelId' | 'activated' | 'escalationMinutes'>;

/** Absent = at once. */
type HowSubscribed = Partial<Pick<Subscription, 'escalationMinutes'>>;

/** A channel to subscribe to a check or group. */
export type ChannelToSubscribe = Omit<SubscribedChannel, keyof HowSubscribed> & HowSubscribed;

/** A subscription of a channel, as seen from the channel: exactly one of the two IDs is set. */
export type SubscribedTo = Pick<Subscription, 'checkId' | 'groupId' | 'activated'> & HowSubscribed;

/**
 * The name of a channel; without one its type, its destination and its ID. The destination is shortened, because it is
 * sent to other receivers: a host without path, the beginning of an email address, or the end of a number.
 */
export function channelName({ id, type, config }: Pick<AlertChannel, 'id' | 'type' | 'config'>): string {
  const { name } = config;
  if (typeof name === 'string' && name.trim() !== '') return name;
  const target = targetOf(config);
  return `${type.toLowerCase()} ${target === null ? `channel ${id}` : `${target} (channel ${id})`}`;
}

function targetOf({ address, url, number }: AlertChannel['config']): string | null {
  if (typeof address === 'string' && address.includes('@')) {
    return `${address.slice(0, 1)}…${address.slice(address.lastIndexOf('@'))}`;
  }
  if (typeof number === 'string' && number.length > 4) return `…${number.slice(-4)}`;
  // A template has no host before it is rendered.
  const host = typeof url === 'string' && !url.includes('{{') ? URL.parse(url)?.host : undefined;
  return host === undefined || host === '' ? null : host;
}

/** A configuration from which a channel can be created unchanged. */
export interface ChannelPreset {
  readonly type: string;
  /** Value of a webhook's `preset` field. */
  readonly webhookType?: string;
  /** Display name. */
  readonly name: string;
  /** What to fill in and where to find it. */
  readonly note: string;
  /** Variables that its templates use, to be created in the account; credentials are marked as locked. */
  readonly variables: readonly { readonly key: string; readonly locked: boolean }[];
  readonly config: JsonObject;
}
