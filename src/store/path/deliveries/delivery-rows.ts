// How a delivery stands in its rows, and what a claim of deliveries and a settling of attempts ask and get.
import type { AlertChannel } from '#domain/alerts/alert-channel.ts';
import type { AlertType } from '#domain/alerts/alert.ts';
import type { Attempt, Delivery, DeliveryStep, DueDelivery, Message } from '#domain/alerts/delivery.ts';
import type { Rendered } from '#domain/results/recording.ts';
import {
  flag,
  type IdBytes,
  idBytes,
  idBytesOrNull,
  idText,
  idTextOrNull,
  json,
  parsedOrNull,
} from '../../base/codec.ts';
import { deliveryStatusCodes } from '../../base/codes.ts';
import type { DeliveriesTable } from '../../base/tables/schema.ts';
import type { Seal } from '../../base/seal.ts';

/** Who takes deliveries, how many per channel, and for how long. Instants are epoch ms. */
export interface DeliveryClaim {
  readonly owner: string;
  readonly now: number;
  readonly leaseMs: number;
  /** How many more of a channel may be under way, when other processes have so many (decisions: Fairness). */
  readonly room: (accountId: string, alertChannelId: number, elsewhere: number) => number;
  /** Accounts of which nothing is taken and whose channels are not walked; none by default. */
  readonly without?: ReadonlySet<string>;
  /** The checks of a channel of which an attempt is under way here: what else waits of them is left (docs/decisions/0014). */
  readonly busy: (accountId: string, alertChannelId: number) => readonly string[];
  /**
   * Of a channel, what is due then or later is looked at, epoch ms; 0 = everything. Before it nothing is due but what waits for
   * attempts under way here (docs/decisions/0014).
   */
  readonly lookedFrom: (accountId: string, alertChannelId: number) => number;
  /** Whether other processes deliver as well, or did until a moment ago. */
  readonly isShared: boolean;
  readonly most: number;
  readonly seal: Seal;
  /** Channels as they were last read: secrets are opened once per change of the row, not once per delivery. */
  readonly channels: Map<string, AlertChannel>;
  /** Moves with the walk. */
  readonly place: WalkPlace;
}

/** A delivery taken for its next attempt. */
export interface ClaimedDelivery {
  readonly delivery: DueDelivery;
  readonly channel: AlertChannel;
  /** The number its attempt carries. */
  readonly number: number;
  /** Until when the receiver asked to wait, epoch ms; null = it did not. */
  readonly askedUntil: number | null;
}

export interface ClaimedDeliveries {
  readonly claimed: readonly ClaimedDelivery[];
  /** When the next one is due, of channels that have room; null when none waits. */
  readonly nextDueAt: number | null;
  /** Channels of which all that is due was found; what was not taken waits for attempts that were under way here. */
  readonly looked: readonly Pick<Delivery, 'accountId' | 'alertChannelId'>[];
}

/** What is written of a delivery that begins; the other columns begin as the table says. */
export function newDeliveryRow(delivery: Delivery) {
  return {
    account_id: idBytes(delivery.accountId),
    id: idBytes(delivery.id),
    alert_channel_id: delivery.alertChannelId,
    alert_id: idBytesOrNull(delivery.alertId),
    check_id: idBytesOrNull(delivery.checkId),
    check_result_id: idBytesOrNull(delivery.checkResultId),
    alert_type: delivery.alertType,
    status: deliveryStatusCodes.encode(delivery.status),
    created_at: delivery.createdAt,
    next_attempt_at: delivery.nextAttemptAt,
    replay_of: idBytesOrNull(delivery.replayOf),
    is_test: flag(delivery.isTest),
    error: delivery.error,
  };
}

/** What they send, of those that could be rendered. */
export function requestRows(deliveries: readonly Delivery[]) {
  return deliveries.flatMap(({ accountId, id, request }) =>
    request === null ? [] : [{ account_id: idBytes(accountId), delivery_id: idBytes(id), request: json(request) }],
  );
}

/** What they are rendered from, of those that are not rendered yet. */
export function contentRows(deliveries: readonly Delivery[]) {
  return deliveries.flatMap(({ accountId, id, content }) =>
    content === undefined ? [] : [{ account_id: idBytes(accountId), delivery_id: idBytes(id), content: json(content) }],
  );
}

/** Channels looked at in one claim at most. */
export const lanesMost = 1000;
/** When the rest of them, or a channel that somebody else takes from just now, is looked at, ms. */
export const lookAgainMs = 20;

/** Where the walk over the channels goes on: after the channel that it ended with. */
export interface WalkPlace {
  accountId: IdBytes;
  alertChannelId: number;
}

/** Before every channel. */
export function walkStart(): WalkPlace {
  return { accountId: new Uint8Array(), alertChannelId: 0 };
}

/** A claimed delivery that was rendered, or could not be. */
export interface RenderedDelivery {
  readonly accountId: string;
  readonly id: string;
  readonly rendered: Rendered;
}

/** What an attempt came to. */
export interface SettledAttempt {
  readonly attempt: Attempt;
  readonly alertChannelId: number;
  /** A test message says nothing of how well the channel does. */
  readonly isTest: boolean;
  readonly step: DeliveryStep;
}

/** Who settles, and when, epoch ms. */
export interface SettleRules {
  readonly owner: string;
  readonly now: number;
}

/** The row of a delivery with its request beside it. */
export type DeliveryRow = DeliveriesTable & { readonly request: string | null };

/**
 * The first of each channel and check, of rows in the order in which they are due: the others begin when its attempt has ended
 * (docs/decisions/0014).
 *
 * @param nameOf the channel and check of a row; null = it belongs to no check, and waits for nobody
 */
export function firstOfEachCheck<Row>(rows: readonly Row[], nameOf: (row: Row) => string | null): readonly Row[] {
  if (rows.length < 2) return rows;
  const seen = new Set<string>();
  return rows.filter((row) => {
    const name = nameOf(row);
    if (name === null) return true;
    if (seen.has(name)) return false;
    seen.add(name);
    return true;
  });
}

export function deliveryOf(row: DeliveryRow): Delivery {
  return {
    accountId: idText(row.account_id),
    id: idText(row.id),
    alertChannelId: row.alert_channel_id,
    alertId: idTextOrNull(row.alert_id),
    checkId: idTextOrNull(row.check_id),
    checkResultId: idTextOrNull(row.check_result_id),
    alertType: row.alert_type as AlertType,
    status: deliveryStatusCodes.decode(row.status),
    request: parsedOrNull<Message>(row.request),
    attempts: row.attempts,
    createdAt: row.created_at,
    nextAttemptAt: row.next_attempt_at,
    replayOf: idTextOrNull(row.replay_of),
    isTest: row.is_test === 1,
    error: row.error,
  };
}

/** What went to and fro in an attempt, as it stands in the attempt's row. */
export type StoredExchange = Pick<Attempt, 'headers' | 'response' | 'isSentTwice' | 'bodyProblem'>;

export function exchangeText({ headers, response, isSentTwice, bodyProblem }: StoredExchange): string {
  return json({
    headers,
    response,
    ...(isSentTwice === true && { isSentTwice }),
    ...(bodyProblem !== undefined && { bodyProblem }),
  });
}

/** Whether an attempt may have been sent and nobody knows its end. One that was not rendered yet was not sent. */
export function isInterrupted(row: Pick<DeliveryRow, 'attempt_started_at' | 'request'>): boolean {
  return row.attempt_started_at !== null && row.request !== null;
}

/**
 * An attempt under way when its process ended: shown in the log as such, repeated with the same number.
 *
 * @param repeatedAt epoch ms; null = it is not repeated, because its delivery is ended now
 */
export function interruptedAttempt(
  row: Pick<DeliveryRow, 'account_id' | 'id' | 'attempts' | 'attempt_started_at' | 'request'>,
  now: number,
  repeatedAt: number | null = now,
): Attempt {
  const then = repeatedAt === null ? 'its delivery was cancelled' : 'it is repeated';
  return {
    accountId: idText(row.account_id),
    deliveryId: idText(row.id),
    number: row.attempts + 1,
    startedAt: row.attempt_started_at ?? now,
    durationMs: 0,
    headers: parsedOrNull<Message>(row.request)?.headers ?? [],
    response: null,
    error: {
      class: 'interrupted',
      message: `Tocsin was cut off while this attempt was under way: whether it arrived is unknown; ${then}`,
    },
    nextAttemptAt: repeatedAt,
  };
}
