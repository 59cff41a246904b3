// Sends due deliveries and logs every attempt until each delivery is delivered or exhausted (decisions: Webhook delivery;
// claims are per channel: docs/decisions/0014).
import type { AlertChannel } from '#domain/alerts/alert-channel.ts';
import {
  afterAttempt,
  type Attempt,
  type DeliveryStep,
  type DueDelivery,
  type Message,
  type RetryPlan,
  type SendOutcome,
} from '#domain/alerts/delivery.ts';
import type { Rendered } from '#domain/results/recording.ts';
import type { TemplateVariables } from '#domain/alerts/template-variables.ts';
import { type BatchWriter, createBatchWriter } from '#lib/batch-writer.ts';
import type { Clock } from '#lib/clock.ts';
import { isPassing } from '#lib/passing.ts';
import {
  createLanes,
  createLookedChannels,
  type DeliveryLanes,
  type Held,
  type LookedChannels,
} from './parts/delivery-lanes.ts';
import { createRenderDeliveries, type RenderStore } from './parts/render-deliveries.ts';

interface Claimed {
  /** Its request is null until it is rendered. */
  readonly delivery: DueDelivery;
  readonly channel: AlertChannel;
  readonly number: number;
  /** Until when the receiver asked to wait, epoch ms; null = it did not. */
  readonly askedUntil: number | null;
}

/** A delivery whose request is known. */
type Sendable = DueDelivery & { readonly request: Message };

interface Settled {
  readonly attempt: Attempt;
  readonly alertChannelId: number;
  readonly isTest: boolean;
  readonly step: DeliveryStep;
}

function planOf({ isTest }: Held, { config }: AlertChannel): RetryPlan {
  if (isTest) return 'once';
  return config['longTail'] === true ? 'long-tail' : 'normal';
}

/** What this step needs of the store. */
interface DeliveryStore extends RenderStore {
  claimDeliveries(claim: {
    readonly owner: string;
    readonly now: number;
    readonly leaseMs: number;
    readonly most: number;
    readonly room: (accountId: string, alertChannelId: number, elsewhere: number) => number;
    readonly without: ReadonlySet<string>;
    readonly busy: (accountId: string, alertChannelId: number) => readonly string[];
    readonly lookedFrom: (accountId: string, alertChannelId: number) => number;
    readonly isShared: boolean;
  }): Promise<{
    readonly claimed: readonly Claimed[];
    readonly nextDueAt: number | null;
    readonly looked: readonly { readonly accountId: string; readonly alertChannelId: number }[];
  }>;
  /** Also brings forward what other processes left behind, and what is leased here unknown to us. */
  renewDeliveries(
    deliveries: readonly Held[],
    lease: { readonly owner: string; readonly now: number; readonly leaseMs: number },
  ): Promise<void>;
  settleAttempts(
    settled: readonly Settled[],
    rules: { readonly owner: string; readonly now: number },
  ): Promise<boolean[]>;
}

/** What the step is joined with. */
export interface SendDeliveriesOptions {
  readonly store: DeliveryStore;
  readonly clock: Clock;
  readonly owner: string;
  /** Whether other processes deliver as well. */
  readonly isShared: () => boolean;
  /** Whether deliveries are held: then none is taken. */
  readonly isHeld?: () => Promise<boolean>;
  /** Renders a delivery: once, before its first attempt. Runs in slices that give way to the event loop. */
  readonly render: (channel: AlertChannel, variables: TemplateVariables, createdAt: number) => Rendered;
  /** Sends a delivery once; never rejects. */
  readonly send: (delivery: Sendable, channel: AlertChannel, attempt: number) => Promise<SendOutcome>;
  /** Wakes this step: there is room again. */
  readonly wake: () => void;
  readonly onSettled?: (delivery: Held, attempt: Attempt, step: DeliveryStep) => void;
  /** Told when attempts have been logged, durably. */
  readonly onLogged?: () => void;
  readonly onError: (error: unknown) => void;
}

const leaseMs = 10_000;
/** Interval between checks whether a hold has ended, ms. */
const heldMs = 1000;
const claimsPerTurn = 400;
const underWayMost = 2000;
/** Maximum per account, so that one account's hanging channels leave room for other accounts. */
const ofAccountMost = 1500;
/** From this number on, each channel of the account gets one place, so that hanging channels leave room for others. */
const scarceFrom = 1200;
const perChannelMost = 4;
/** From this number on, freed places are refilled in batches, because each turn walks all waiting channels. */
const busyFrom = 100;
const gatherMs = 15;
const settlesPerCommit = 400;
const settleRetryMs = 500;

/** The step: its turn, and its end. */
export interface SendDeliveries {
  turn(): Promise<number>;
  /** Deliveries that are held. */
  readonly underWay: number;
  /** Waits for what is under way up to `graceMs`; the rest is interrupted and repeated at the next start. */
  stop(graceMs: number): Promise<void>;
}

export function createSendDeliveries(options: SendDeliveriesOptions): SendDeliveries {
  const { store, clock, owner } = options;
  const underWay = new Map<string, Held>();
  const lanes = createLanes();
  const looked = createLookedChannels();
  let renewedAt = Number.NEGATIVE_INFINITY;
  // A process that ended holds its deliveries until its leases expire, even if it is no longer listed.
  let isSharedUntil = clock.now() + 2 * leaseMs;
  const attempts = createAttempts(options, { underWay, lanes, looked });
  const room = (accountId: string, alertChannelId: number, elsewhere: number): number => {
    const ofAccount = lanes.ofAccount(accountId);
    const most = ofAccount < scarceFrom ? perChannelMost : 1;
    return Math.min(
      most - elsewhere - lanes.size(accountId, alertChannelId),
      ofAccountMost - ofAccount,
      underWayMost - underWay.size,
    );
  };
  const renew = async (now: number): Promise<void> => {
    if (now - renewedAt < leaseMs / 3 && now >= renewedAt) return;
    await store.renewDeliveries([...underWay.values()], { owner, now, leaseMs });
    looked.forgetAll();
    // Set only after success: without renewed leases, a claim could take deliveries that this process is sending.
    renewedAt = now;
  };
  return {
    get underWay() {
      return underWay.size;
    },
    async turn() {
      const now = clock.now();
      await renew(now);
      if ((await options.isHeld?.()) === true) return heldMs;
      if (options.isShared()) isSharedUntil = now + 2 * leaseMs;
      const isShared = now < isSharedUntil;
      const without = new Set(lanes.accountsWith(ofAccountMost));
      const rules = { room, without, busy: lanes.checks, lookedFrom: looked.from, most: claimsPerTurn };
      looked.begin();
      const found = await store.claimDeliveries({ owner, now, leaseMs, isShared, ...rules }).catch((error: unknown) => {
        // The claim may have taken something: renew on the next turn.
        renewedAt = Number.NEGATIVE_INFINITY;
        throw error;
      });
      looked.note(found.looked, now);
      for (const claim of found.claimed) if (!underWay.has(claim.delivery.id)) attempts.start(claim);
      const pauseMs = found.nextDueAt === null ? leaseMs / 3 : found.nextDueAt - clock.now();
      return Math.max(0, Math.min(pauseMs, leaseMs / 3));
    },
    async stop(graceMs) {
      attempts.stop();
      await untilEmpty(underWay, graceMs);
    },
  };
}

/** Attempts in progress, which later claims must skip. */
interface UnderWay {
  readonly underWay: Map<string, Held>;
  readonly lanes: DeliveryLanes;
  readonly looked: LookedChannels;
}

/** Renders claimed deliveries that are not rendered yet, and sends each of them once. */
function createAttempts(options: SendDeliveriesOptions, { underWay, lanes, looked }: UnderWay) {
  const writer = settleWriter(options, underWay);
  /** Forgets a delivery that ended or whose lease may expire and be claimed again. */
  const drop = (held: Held): void => {
    lanes.leave(held);
    looked.forget(held.accountId, held.alertChannelId);
    underWay.delete(held.id);
    options.wake();
  };

  const send = (delivery: Sendable, { channel, number, askedUntil }: Claimed): void => {
    const { accountId, id, alertChannelId, checkId, isTest } = delivery;
    // Excludes the request: hundreds of retained requests would outlive the garbage collector's young generation.
    const held: Held = { accountId, id, alertChannelId, checkId, isTest };
    underWay.set(id, held);
    lanes.enter(held);
    const plan = planOf(held, channel);
    void options.send(delivery, channel, number).then((outcome) => {
      lanes.leave(held);
      looked.forget(accountId, alertChannelId);
      // Interrupted by shutdown: the lease expires, and the next owner logs and repeats the attempt (docs/decisions/0012).
      if (outcome.error?.class === 'interrupted') {
        underWay.delete(id);
        return;
      }
      const step = afterAttempt(outcome, number, plan, askedUntil);
      const attempt: Attempt = { ...outcome, accountId, deliveryId: id, number, nextAttemptAt: step.nextAttemptAt };
      options.onSettled?.(held, attempt, step);
      writer.add({ attempt, alertChannelId, isTest, step });
    });
  };
  const rendering = createRenderDeliveries<Claimed>({ ...options, send, drop: ({ delivery }) => drop(delivery) });
  const start = (claimed: Claimed): void => {
    const { delivery } = claimed;
    const { request } = delivery;
    if (request !== null) return send({ ...delivery, request }, claimed);
    underWay.set(delivery.id, delivery);
    lanes.enter(delivery);
    rendering.add(claimed);
  };
  return { start, stop: () => rendering.stop() };
}

async function untilEmpty(underWay: ReadonlyMap<string, Held>, mostMs: number): Promise<void> {
  const deadline = performance.now() + mostMs;
  while (underWay.size > 0 && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Logs the outcomes of attempts in batches, then forgets them. */
function settleWriter(options: SendDeliveriesOptions, underWay: Map<string, Held>): BatchWriter<Settled> {
  const { store, clock, owner } = options;
  const wakeLater = gathered(options.wake, gatherMs);
  return createBatchWriter<Settled>({
    write: async (batch) => {
      await store.settleAttempts(batch, { owner, now: clock.now() });
      for (const { attempt } of batch) underWay.delete(attempt.deliveryId);
      if (underWay.size < busyFrom) options.wake();
      else wakeLater();
      options.onLogged?.();
    },
    isPassing,
    onError: options.onError,
    // The lease expires, and the delivery is retried under the same id.
    onDropped: ({ attempt }) => underWay.delete(attempt.deliveryId),
    batchMost: settlesPerCommit,
    waitingMost: Number.POSITIVE_INFINITY,
    retryMs: settleRetryMs,
  });
}

/** Combines all wakes within `afterMs` into one. */
function gathered(wake: () => void, afterMs: number): () => void {
  let timer: NodeJS.Timeout | null = null;
  return () => {
    timer ??= setTimeout(() => {
      timer = null;
      wake();
    }, afterMs).unref();
  };
}
