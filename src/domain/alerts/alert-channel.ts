// Alert channels: where alerts are sent, and which of them.
import type { JsonObject } from '../json.ts';

export const channelTypes = ['WEBHOOK'] as const;
export type ChannelType = (typeof channelTypes)[number];

/** Where alerts go, and which of them. `config` belongs to the type; the secret is kept apart from it. */
export interface AlertChannel {
  readonly accountId: string;
  /** Counts up per account. */
  readonly id: number;
  readonly type: ChannelType;
  readonly config: JsonObject;
  /** Signs deliveries (spec §6.4); null = unsigned. */
  readonly secret: string | null;
  /** The secret before the last rotation and the instant (epoch ms) until which it signs too. */
  readonly previousSecret: { readonly secret: string; readonly until: number } | null;
  readonly sendRecovery: boolean;
  readonly sendFailure: boolean;
  readonly sendDegraded: boolean;
  readonly sslExpiry: boolean;
  /** Days, 1..30. */
  readonly sslExpiryThreshold: number;
  readonly autoSubscribe: boolean;
  /** Deliveries since the last received one that were exhausted or redirected (docs/decisions/0026). */
  readonly exhaustedInARow: number;
  readonly failingSince: number | null;
  /** Epoch ms. */
  readonly createdAt: number;
  readonly updatedAt: number | null;
}

/** A channel told of one check or of every check of a group: exactly one of the two ids is set. */
export interface Subscription {
  readonly accountId: string;
  readonly id: number;
  readonly alertChannelId: number;
  readonly checkId: string | null;
  readonly groupId: number | null;
  readonly activated: boolean;
}

/** A channel that is subscribed to a check or a group, seen from there. */
export type SubscribedChannel = Pick<Subscription, 'alertChannelId' | 'activated'>;

/** What a channel is subscribed to, seen from the channel: exactly one of the two ids is set. */
export type SubscribedTo = Pick<Subscription, 'checkId' | 'groupId' | 'activated'>;
