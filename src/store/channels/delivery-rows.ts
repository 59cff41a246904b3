// Maps deliveries to rows; input and output of claiming and settling.
import { addToCounts, createCounts } from '../base/counts.ts';
import type { Statement, Writes } from '../engines/statements.ts';
import type { AlertChannel } from '#domain/alerts/alert-channel.ts';
import type { AlertType } from '#domain/alerts/alert.ts';
import type {
  Attempt,
  Delivery,
  DeliveryContent,
  DeliveryStep,
  DueDelivery,
  Message,
  RenderInput,
} from '#domain/deliveries/delivery.ts';
import type { Rendered } from '#domain/results/recording.ts';
import type { TemplateVariables } from '#domain/deliveries/template-variables.ts';
import { flag, type IdBytes, idBytes, idBytesOrNull, idText, idTextOrNull, json, parsedOrNull } from '../base/codec.ts';
import { deliveryStatusCodes } from '../base/codes.ts';
import type { DeliveriesTable } from '../base/tables/schema.ts';
import type { Seal } from '../base/seal.ts';

/** Who claims deliveries, how many per channel, and for how long. Times are epoch ms. */
export interface DeliveryClaim {
  readonly owner: string;
  readonly now: number;
  readonly leaseMs: number;
  /** How many more of a channel may be in progress, given the number in other processes (decisions: Fairness). */
  readonly room: (accountId: string, alertChannelId: number, elsewhere: number) => number;
  /** Accounts to skip, including their channels; none by default. */
  readonly without?: ReadonlySet<string>;
  /** Checks of a channel with an attempt in progress here: their other deliveries wait (docs/decisions/0014). */
  readonly busy: (accountId: string, alertChannelId: number) => readonly string[];
  /**
   * Only deliveries of a channel due at this time or later are considered, epoch ms; 0 = all. Earlier ones wait for
   * attempts in progress here (docs/decisions/0014).
   */
  readonly scannedFrom: (accountId: string, alertChannelId: number) => number;
  /** Whether other processes deliver as well, or did until recently. */
  readonly isShared: boolean;
  readonly max: number;
  readonly seal: Seal;
  /** Cached channels: secrets are decrypted once per change of the row, not once per delivery. */
  readonly channels: Map<string, AlertChannel>;
  /** Updated by the iteration. */
  readonly place: WalkPlace;
}

/** A delivery claimed for its next attempt. */
export interface ClaimedDelivery {
  readonly delivery: DueDelivery;
  readonly channel: AlertChannel;
  /** Number of the attempt. */
  readonly number: number;
  /** Until when the receiver requested a delay, epoch ms; null = none. */
  readonly delayedUntil: number | null;
}

export interface ClaimedDeliveries {
  readonly claimed: readonly ClaimedDelivery[];
  /** When the next one is due, of channels with capacity; null if none waits. */
  readonly nextDueAt: number | null;
  /** Channels of which everything due was found; the rest waits for attempts in progress here. */
  readonly scanned: readonly Pick<Delivery, 'accountId' | 'alertChannelId'>[];
}

/** Columns of a new delivery; the others have their defaults. */
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
    digest_id: idBytesOrNull(delivery.digestId ?? null),
    is_digest: flag(delivery.isDigest === true),
    latest_of: idBytesOrNull(delivery.latestOf ?? null),
    page_change_id: idBytesOrNull(delivery.pageChangeId ?? null),
  };
}

/** Columns of a delivery without an attempt. */
export const unattempted = { attempts: 0, leased_by: null, attempt_started_at: null } as const;

const collecting = deliveryStatusCodes.encode('collecting');
const cancelled = deliveryStatusCodes.encode('cancelled');

/** Columns of a delivery that is cancelled. */
export const cancelledColumns = {
  status: cancelled,
  next_attempt_at: null,
  leased_by: null,
  attempt_started_at: null,
} as const;

/** Sends a delivery that collected alerts, unless it was cancelled. Its content is added separately. */
function releasing(delivery: Delivery): Statement {
  const row = newDeliveryRow(delivery);
  const { account_id, id, alert_id, check_result_id, alert_type, created_at, next_attempt_at, latest_of } = row;
  return {
    text: `UPDATE deliveries SET status = ${deliveryStatusCodes.encode('pending')}, alert_id = $3, check_result_id = $4,
        alert_type = $5, created_at = $6, next_attempt_at = $7, latest_of = $8
      WHERE account_id = $1 AND id = $2 AND status = ${collecting}`,
    values: [account_id, id, alert_id, check_result_id, alert_type, created_at, next_attempt_at, latest_of],
  };
}

/** A delivery that collected alerts and is cancelled. */
export interface Uncollected extends Pick<Delivery, 'accountId' | 'id'> {
  readonly reason: string;
}

/** Sends deliveries that collected alerts, and cancels others of these. */
export function releaseDeliveries(
  writes: Writes,
  { released, uncollected }: { readonly released: readonly Delivery[]; readonly uncollected: readonly Uncollected[] },
): void {
  for (const delivery of released) writes.change(releasing(delivery));
  sendContents(writes, released);
  for (const { accountId, id, reason } of uncollected) {
    writes.change({
      text: `UPDATE deliveries SET status = ${cancelled}, next_attempt_at = NULL, error = $1
        WHERE account_id = $2 AND id = $3 AND status = ${collecting}`,
      values: [reason, idBytes(accountId), idBytes(id)],
    });
  }
}

/** Adds and counts a test message or a replay. */
export function addDelivery(writes: Writes, delivery: Delivery): void {
  sendDeliveries(writes, [delivery]);
  const counts = createCounts();
  counts.addDeliveries([delivery]);
  writes.send('account_counts', counts.rows(), addToCounts);
}

/** Adds deliveries with their content; the caller counts them. */
export function sendDeliveries(writes: Writes, deliveries: readonly Delivery[]): void {
  writes.send('deliveries', deliveries.map(newDeliveryRow));
  sendContents(writes, deliveries);
}

function sendContents(writes: Writes, deliveries: readonly Delivery[]): void {
  writes.send('delivery_requests', requestRows(deliveries));
  writes.send('delivery_contents', contentRows(deliveries));
}

/** Their requests, if they were rendered. */
export function requestRows(deliveries: readonly Delivery[]) {
  return deliveries.flatMap(({ accountId, id, request }) =>
    request === null ? [] : [{ account_id: idBytes(accountId), delivery_id: idBytes(id), request: json(request) }],
  );
}

/** Their input for rendering, if they are not rendered yet. */
export function contentRows(deliveries: readonly Delivery[]) {
  return deliveries.flatMap(({ accountId, id, content }) =>
    content === undefined ? [] : [{ account_id: idBytes(accountId), delivery_id: idBytes(id), content: json(content) }],
  );
}

/** Maximum number of channels per claim. */
export const maxLanes = 1000;
/** When the rest of them, or a channel that another process is claiming from, is considered again, ms. */
export const retryMs = 20;

/** Where the iteration over the channels continues: after the last channel. */
export interface WalkPlace {
  accountId: IdBytes;
  alertChannelId: number;
}

/** Before all channels. */
export function walkStart(): WalkPlace {
  return { accountId: new Uint8Array(), alertChannelId: 0 };
}

/** A claimed delivery that was rendered, or could not be. */
export interface RenderedDelivery {
  readonly accountId: string;
  readonly id: string;
  readonly rendered: Rendered;
}

/** What a delivery is rendered from. */
export function renderInput(
  variables: TemplateVariables,
  { digest, report, news, fault }: DeliveryContent,
  timeZone: string | null,
): RenderInput {
  return {
    variables,
    timeZone,
    ...(digest !== undefined && { digest }),
    ...(report !== undefined && { report }),
    ...(news !== undefined && { news }),
    ...(fault !== undefined && { fault }),
  };
}

/** Outcome of an attempt. */
export interface SettledAttempt {
  readonly attempt: Attempt;
  readonly alertChannelId: number;
  /** A test message does not affect the channel's state. */
  readonly isTest: boolean;
  readonly step: DeliveryStep;
}

/** Who settles, and when, epoch ms. */
export interface SettleRules {
  readonly owner: string;
  readonly now: number;
}

/** The row of a delivery joined with its request. */
export type DeliveryRow = DeliveriesTable & { readonly request: string | null };

/**
 * The first of each channel and check, of rows ordered by due time: the others start when its attempt has ended
 * (docs/decisions/0014).
 * @param nameOf channel and check of a row; null = it belongs to no check, and waits for none
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
    alertType: row.alert_type as AlertType | null,
    status: deliveryStatusCodes.decode(row.status),
    request: parsedOrNull<Message>(row.request),
    attempts: row.attempts,
    createdAt: row.created_at,
    nextAttemptAt: row.next_attempt_at,
    replayOf: idTextOrNull(row.replay_of),
    isTest: row.is_test === 1,
    error: row.error,
    ...(row.digest_id !== null && { digestId: idText(row.digest_id) }),
    ...(row.is_digest === 1 && { isDigest: true }),
    ...(row.routed_from !== null && { routedFrom: row.routed_from }),
    ...(row.latest_of !== null && { latestOf: idText(row.latest_of) }),
    ...(row.page_change_id !== null && { pageChangeId: idText(row.page_change_id) }),
  };
}

/** Request and response headers and body of an attempt, as stored in its row. */
export type StoredExchange = Pick<Attempt, 'headers' | 'response' | 'isSentTwice' | 'bodyProblem'>;

export function exchangeText({ headers, response, isSentTwice, bodyProblem }: StoredExchange): string {
  return json({
    headers,
    response,
    ...(isSentTwice === true && { isSentTwice }),
    ...(bodyProblem !== undefined && { bodyProblem }),
  });
}

/**
 * Whether an attempt may have been sent without its outcome being recorded. A delivery that was not rendered was not
 * sent.
 */
export function isInterrupted(row: Pick<DeliveryRow, 'attempt_started_at' | 'request'>): boolean {
  return row.attempt_started_at !== null && row.request !== null;
}

/**
 * An attempt interrupted by the end of its process: recorded as such, and repeated with the same number.
 * @param repeatedAt epoch ms; null = not repeated, because its delivery ends now
 */
export function interruptedAttempt(
  row: Pick<DeliveryRow, 'account_id' | 'id' | 'attempts' | 'attempt_started_at' | 'request'>,
  now: number,
  repeatedAt: number | null = now,
): Attempt {
  const then = repeatedAt === null ? 'the delivery has ended' : 'the attempt is repeated';
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
      message: `Tocsin was stopped during this attempt, so it is unknown whether it arrived; ${then}`,
    },
    nextAttemptAt: repeatedAt,
  };
}
