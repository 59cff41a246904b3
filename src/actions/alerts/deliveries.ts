// Actions on deliveries: list, retry, cancel and replay (decisions: Webhook delivery, Resources of our own).
import type { Page, Slice } from '#store/base/database.ts';
import type { DeliveryFilter, LoggedDelivery } from '#store/channels/deliveries.ts';
import type { DeliveryChange } from '#store/channels/delivery-changes.ts';
import type { Store } from '#store/store.ts';
import { type Caller, mayDo } from '#domain/accounts/api-key.ts';
import type { Attempt, Delivery, Message } from '#domain/deliveries/delivery.ts';
import { subscribersChannelId } from '#domain/deliveries/page-news.ts';
import { mask } from '#domain/deliveries/shown-url.ts';
import { createFairQueue } from '#lib/fair-queue.ts';
import { newId } from '#lib/id.ts';
import { maskAcknowledgeLinks } from './acknowledge-links.ts';
import type { Redactor, RedactorOf } from './delivery-redactor.ts';
import { holdWords, releaseHint } from './held-deliveries.ts';
import { requirePermission } from '../accounts/permission.ts';
import { notFound, Refusal, orNotFound } from '../refusal.ts';
import { type Hints, waitUntil } from '../checks/wait-until.ts';

export type { DeliveryFilter, LoggedDelivery };

export interface DeliveryDeps extends Pick<Store, 'deliveries' | 'heldDeliveries'> {
  readonly redactorOf: RedactorOf;
  /** Hints that deliveries are due; polling finds them anyway (design: wake). */
  readonly wake: () => void;
}

/** All responses are redacted. All actions but `list` refuse (`not-found`) unknown IDs. */
export type DeliveryActions = ReturnType<typeof createDeliveryActions>;

/** Longer than any attempt: 30 s for the response, plus the time to record it. */
const maxAttemptMs = 40_000;
const silence: Hints = () => () => {};

export function createDeliveryActions(deps: DeliveryDeps) {
  const { deliveries, heldDeliveries, redactorOf, wake } = deps;
  const find = async (caller: Caller, id: string): Promise<LoggedDelivery> => {
    const found = orNotFound(await deliveries.find(caller.accountId, id), 'delivery', id);
    return redacted(caller, found, await redactorOf(found.delivery));
  };
  return {
    /** Newest first. */
    async list(caller: Caller, filter: DeliveryFilter, page: Slice): Promise<Page<LoggedDelivery>> {
      requirePermission(caller, 'read');
      const { rows, total } = await deliveries.list(caller.accountId, filter, page);
      return { rows: await redactAll(caller, rows, redactorOf), total };
    },
    find(caller: Caller, id: string): Promise<LoggedDelivery> {
      requirePermission(caller, 'read');
      return find(caller, id);
    },
    /**
     * Makes a pending delivery due now; if it fails, the schedule of retries continues. Refuses (`conflict`) finished
     * deliveries, and all while deliveries are held.
     */
    async retry(caller: Caller, id: string): Promise<LoggedDelivery> {
      requirePermission(caller, 'write');
      const hold = await heldDeliveries.find();
      if (hold !== null) throw new Refusal('conflict', `${holdWords(hold)} ${releaseHint}`);
      requireDone(await deliveries.retry(caller.accountId, id), id);
      wake();
      return find(caller, id);
    },
    /**
     * Cancels a pending delivery. Waits for an attempt in progress; if it finishes the delivery, there is nothing left to
     * cancel. Refuses (`conflict`) finished deliveries.
     */
    async cancel(caller: Caller, id: string, signal: AbortSignal): Promise<LoggedDelivery> {
      requirePermission(caller, 'write');
      let change: DeliveryChange = 'under-way';
      const isOver = async () => {
        change = await deliveries.cancel(caller.accountId, id);
        return change !== 'under-way';
      };
      await waitUntil(isOver, { maxMs: maxAttemptMs, signal, hints: silence, pauseMs: { least: 20, max: 200 } });
      requireDone(change, id);
      return find(caller, id);
    },
    /**
     * Creates a new delivery of the same alert, rendered by the channel's current template, with IS_REPLAY and REPLAY_OF.
     * A message created without a template is sent byte for byte. Refuses (`conflict`) a pending delivery and one whose
     * channel was deleted.
     */
    async replay(caller: Caller, id: string): Promise<LoggedDelivery> {
      requirePermission(caller, 'write');
      const replayId = newId();
      requireDone(await deliveries.replay(caller.accountId, id, replayId), id);
      wake();
      return find(caller, replayId);
    },
    /**
     * Replays all deliveries of a channel that were created since then (epoch ms), were not received and not replayed
     * yet; returns their number.
     */
    async replayLost(caller: Caller, alertChannelId: number, since: number): Promise<number> {
      requirePermission(caller, 'write');
      const count = await deliveries.replayLost(caller.accountId, alertChannelId, since);
      if (count === null) throw notFound('alert channel', alertChannelId);
      if (count > 0) wake();
      return count;
    },
  };
}

/** Redacting a large body takes milliseconds: one per turn of the event loop, accounts in turn. */
const fairQueue = createFairQueue();

/** Looks up each channel and check once. */
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
    await fairQueue(caller.accountId, row.delivery.request?.body.length ?? 0);
    shown.push(redacted(caller, row, redactor));
  }
  return shown;
}

function redacted(caller: Caller, { delivery, log }: LoggedDelivery, redactor: Redactor): LoggedDelivery {
  const isWhole = mayDo(caller.role, 'write');
  if (!isWhole && delivery.alertChannelId === subscribersChannelId) return withoutSubscriber({ delivery, log });
  const sent: Message | null = delivery.request;
  const error = delivery.error === null ? null : redactedError(delivery, delivery.error, redactor);
  return {
    delivery: {
      ...delivery,
      request: sent === null ? null : isWhole ? redactor.request(sent) : redactor.address(redactor.request(sent)),
      error: error === null ? null : isWhole ? error : maskAcknowledgeLinks(error),
    },
    log: log.map((attempt) => {
      const shown = redactor.attempt(attempt, sent);
      return isWhole ? shown : { ...withoutAcknowledgeLinks(shown), headers: redactor.headers(shown.headers) };
    }),
  };
}

/** Addresses of subscribers, and links that end their subscriptions, are for those who may change pages. */
function withoutSubscriber({ delivery, log }: LoggedDelivery): LoggedDelivery {
  const { request, error } = delivery;
  return {
    delivery: {
      ...delivery,
      request: request && { method: request.method, url: mask, headers: [], body: mask },
      error: error && mask,
    },
    log: log.map((attempt) => ({
      ...attempt,
      headers: [],
      response: attempt.response && { ...attempt.response, headers: {}, body: mask },
      error: attempt.error && { ...attempt.error, message: mask },
    })),
  };
}

/** A receiver may repeat what it received. */
function withoutAcknowledgeLinks(attempt: Attempt): Attempt {
  const { response, error } = attempt;
  const headers = Object.entries(response?.headers ?? {}).map(([name, value]) => [name, maskAcknowledgeLinks(value)]);
  return {
    ...attempt,
    response: response && {
      ...response,
      headers: Object.fromEntries(headers),
      body: maskAcknowledgeLinks(response.body),
    },
    error: error && { ...error, message: maskAcknowledgeLinks(error.message) },
  };
}

/** The error of a delivery or an attempt may contain parts of the request, so it is redacted, too. */
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
  collecting: 'This grouped notification still collects alerts. Retry it to send it now; then it can be cancelled.',
  'not-ended': 'This delivery has not finished. Retry it to send it now.',
  'not-rendered': "This delivery could not be rendered, so there is nothing to send. Fix the channel's template.",
  'no-channel': 'The alert channel of this delivery was deleted.',
};
