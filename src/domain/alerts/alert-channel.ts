// Alert channels: where alerts are sent, and which of them.
import type { JsonObject } from '../json.ts';

/** Where alerts go, and which of them. `config` and `secrets` belong to the type. */
export interface AlertChannel {
  readonly accountId: string;
  /** Counts up per account. */
  readonly id: number;
  /** Names its kind. */
  readonly type: string;
  readonly config: JsonObject;
  /** What its kind keeps apart from `config`, sealed where it is stored. */
  readonly secrets: JsonObject;
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
