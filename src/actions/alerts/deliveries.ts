// What a caller may see of deliveries and do with them by hand (decisions: Webhook delivery, Resources of our own).
import { type Caller, mayDo } from '#domain/accounts/api-key.ts';
import type { Attempt, Delivery, DeliveryStatus, Message } from '#domain/alerts/delivery.ts';
import type { DeliveryHold } from '#domain/alerts/delivery-hold.ts';
import { createTurns } from '#lib/fair-queue.ts';
import { newId } from '#lib/id.ts';
import type { Redactor, RedactorOf } from './delivery-redactor.ts';
import { holdWords, releaseHint } from './held-deliveries.ts';
import { requirePermission } from '../accounts/permission.ts';
import { notFound, Refusal } from '../refusal.ts';
import { type Hints, waitUntil } from '../checks/wait-until.ts';

/** A delivery with the log of its attempts, first to last. */
export interface LoggedDelivery {
  readonly delivery: Delivery;
  readonly log: readonly Attempt[];
}

/** Which deliveries. Instants are epoch ms, both included. */
export interface DeliveryFilter {
  readonly alertChannelId?: number;
  readonly checkId?: string;
  readonly statuses?: readonly DeliveryStatus[];
  readonly from?: number;
  readonly to?: number;
}

type DeliveryChange = 'done' | 'no-delivery' | 'ended' | 'under-way' | 'not-ended' | 'not-rendered' | 'no-channel';
type Page = { readonly limit: number; readonly offset: number };

/** What these actions need. */
export interface DeliveryMeans {
  readonly deliveries: {
    list(accountId: string, filter: DeliveryFilter, page: Page): Promise<{ rows: LoggedDelivery[]; total: number }>;
    find(accountId: string, id: string): Promise<LoggedDelivery | null>;
    retry(accountId: string, id: string): Promise<DeliveryChange>;
    cancel(accountId: string, id: string): Promise<DeliveryChange>;
    replay(accountId: string, id: string, newId: string): Promise<DeliveryChange>;
    replayExhausted(accountId: string, alertChannelId: number, since: number): Promise<number | null>;
  };
  readonly heldDeliveries: { find(): Promise<DeliveryHold | null> };
  readonly redactorOf: RedactorOf;
  /** A hint that deliveries are due: polling is the floor (design: wake). */
  readonly wake: () => void;
}

/** Everything that is shown is redacted. All but `list` refuse with `not-found`. */
export interface DeliveryActions {
  /** Newest first. */
  list(caller: Caller, filter: DeliveryFilter, page: Page): Promise<{ rows: LoggedDelivery[]; total: number }>;
  find(caller: Caller, id: string): Promise<LoggedDelivery>;
  /**
   * A pending one is due now, and goes on as scheduled should it fail again. Refuses (`conflict`) one that has ended,
   * and every one while deliveries are held.
   */
  retry(caller: Caller, id: string): Promise<LoggedDelivery>;
  /**
   * Ends a pending one. An attempt under way is not taken back: its end is awaited, and if it was the last or arrived,
   * there is nothing left to cancel. Refuses (`conflict`) one that has ended.
   */
  cancel(caller: Caller, id: string, signal: AbortSignal): Promise<LoggedDelivery>;
  /**
   * The same alert as a new delivery, rendered anew by the channel's current template, with IS_REPLAY and REPLAY_OF. A message that
   * was made without a template is sent byte for byte. Refuses (`conflict`) a pending delivery and one whose channel was deleted.
   */
  replay(caller: Caller, id: string): Promise<LoggedDelivery>;
  /** Every exhausted delivery of a channel made since then (epoch ms) and not replayed yet; answers with how many. */
  replayExhausted(caller: Caller, alertChannelId: number, since: number): Promise<number>;
}

/** Longer than any attempt can take: 30 s for the answer, a little for the log. */
const attemptMostMs = 40_000;
const silence: Hints = () => () => {};

export function createDeliveryActions(means: DeliveryMeans): DeliveryActions {
  const { deliveries, heldDeliveries, redactorOf, wake } = means;
  const find = async (caller: Caller, id: string): Promise<LoggedDelivery> => {
    const found = await deliveries.find(caller.accountId, id);
    if (found === null) throw notFound('delivery', id);
    return redacted(caller, found, await redactorOf(found.delivery));
  };
  return {
    async list(caller, filter, page) {
      requirePermission(caller, 'read');
      const { rows, total } = await deliveries.list(caller.accountId, filter, page);
      return { rows: await redactAll(caller, rows, redactorOf), total };
    },
    find(caller, id) {
      requirePermission(caller, 'read');
      return find(caller, id);
    },
    async retry(caller, id) {
      requirePermission(caller, 'write');
      const hold = await heldDeliveries.find();
      if (hold !== null) throw new Refusal('conflict', `${holdWords(hold)} ${releaseHint}`);
      requireDone(await deliveries.retry(caller.accountId, id), id);
      wake();
      return find(caller, id);
    },
    async cancel(caller, id, signal) {
      requirePermission(caller, 'write');
      let change: DeliveryChange = 'under-way';
      const isOver = async () => {
        change = await deliveries.cancel(caller.accountId, id);
        return change !== 'under-way';
      };
      await waitUntil(isOver, { mostMs: attemptMostMs, signal, hints: silence, pauseMs: { least: 20, most: 200 } });
      requireDone(change, id);
      return find(caller, id);
    },
    async replay(caller, id) {
      requirePermission(caller, 'write');
      const replayId = newId();
      requireDone(await deliveries.replay(caller.accountId, id, replayId), id);
      wake();
      return find(caller, replayId);
    },
    async replayExhausted(caller, alertChannelId, since) {
      requirePermission(caller, 'write');
      const count = await deliveries.replayExhausted(caller.accountId, alertChannelId, since);
      if (count === null) throw notFound('alert channel', alertChannelId);
      if (count > 0) wake();
      return count;
    },
  };
}

/** Masking a large body takes milliseconds: one in each turn of the loop, accounts in turn. */
const turn = createTurns();

/** Each channel and check is looked up once. */
export async function redactAll(
  caller: Caller,
  rows: readonly LoggedDelivery[],
  redactorOf: RedactorOf,
): Promise<LoggedDelivery[]> {
  const redactors = new Map<string, Redactor>();
  const shown: LoggedDelivery[] = [];
  for (const row of rows) {
    const key = `${row.delivery.alertChannelId} ${row.delivery.checkId}`;
    const redactor = redactors.get(key) ?? (await redactorOf(row.delivery));
    redactors.set(key, redactor);
    await turn(caller.accountId, row.delivery.request?.body.length ?? 0);
    shown.push(redacted(caller, row, redactor));
  }
  return shown;
}

function redacted(caller: Caller, { delivery, log }: LoggedDelivery, redactor: Redactor): LoggedDelivery {
  const isWhole = mayDo(caller.role, 'write');
  const sent: Message | null = delivery.request;
  return {
    delivery: {
      ...delivery,
      request: sent === null ? null : isWhole ? redactor.request(sent) : redactor.address(redactor.request(sent)),
      error: delivery.error === null ? null : redactedError(delivery, delivery.error, redactor),
    },
    log: log.map((attempt) => {
      const shown = redactor.attempt(attempt, sent);
      return isWhole ? shown : { ...shown, headers: redactor.headers(shown.headers) };
    }),
  };
}

/** The reason of a delivery may quote what was sent, as that of an attempt may: it is redacted as one. */
function redactedError(delivery: Delivery, message: string, redactor: Redactor): string {
  const attempt: Attempt = {
    accountId: delivery.accountId,
    deliveryId: delivery.id,
    number: delivery.attempts,
    startedAt: delivery.createdAt,
    durationMs: 0,
    headers: [],
    response: null,
    error: { class: 'protocol', message },
    nextAttemptAt: null,
  };
  return redactor.attempt(attempt, delivery.request).error?.message ?? message;
}

function requireDone(change: DeliveryChange, id: string): void {
  if (change === 'done') return;
  if (change === 'no-delivery') throw notFound('delivery', id);
  throw new Refusal('conflict', reasons[change]);
}

const reasons: Readonly<Record<Exclude<DeliveryChange, 'done' | 'no-delivery'>, string>> = {
  ended: 'This delivery has finished. Replay it to send it again.',
  'under-way': 'An attempt of this delivery is in progress. Try again when it has finished.',
  'not-ended': 'This delivery has not finished. Retry it to send it now.',
  'not-rendered': "This delivery could not be rendered, so there is nothing to send. Fix the channel's template.",
  'no-channel': 'The alert channel of this delivery was deleted.',
};
