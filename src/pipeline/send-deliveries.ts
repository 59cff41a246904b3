// Sends due deliveries and records every attempt until a delivery is delivered or exhausted (decisions: Webhook
// delivery; claims are per channel: docs/decisions/0014).
import type { AlertChannel } from '#domain/alerts/alert-channel.ts';
import {
  afterAttempt,
  type Attempt,
  type DeliveryStep,
  type DueDelivery,
  type Message,
  type RetryPlan,
  type SendOutcome,
  type RenderInput,
} from '#domain/deliveries/delivery.ts';
import { subscribersChannelId } from '#domain/deliveries/page-news.ts';
import type { Rendered } from '#domain/results/recording.ts';
import { type BatchWriter, createBatchWriter } from '#lib/batch-writer.ts';
import type { Clock } from '#lib/clock.ts';
import { isTemporary } from '#lib/errors.ts';
import {
  createLanes,
  createScannedChannels,
  type DeliveryLanes,
  type Held,
  type ScannedChannels,
} from './parts/delivery-lanes.ts';
import { createRenderDeliveries, type RenderStore } from './parts/render-deliveries.ts';

interface Claimed {
  /** The request is null until it is rendered. */
  readonly delivery: DueDelivery;
  readonly channel: AlertChannel;
  readonly number: number;
  /** Until when the receiver requested a delay, epoch ms; null = none. */
  readonly delayedUntil: number | null;
}

/** A delivery whose request is rendered. */
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

interface DeliveryStore extends RenderStore {
  claimDeliveries(claim: {
    readonly owner: string;
    readonly now: number;
    readonly leaseMs: number;
    readonly max: number;
    readonly room: (accountId: string, alertChannelId: number, elsewhere: number) => number;
    readonly without: ReadonlySet<string>;
    readonly busy: (accountId: string, alertChannelId: number) => readonly string[];
    readonly scannedFrom: (accountId: string, alertChannelId: number) => number;
    readonly isShared: boolean;
  }): Promise<{
    readonly claimed: readonly Claimed[];
    readonly nextDueAt: number | null;
    readonly scanned: readonly { readonly accountId: string; readonly alertChannelId: number }[];
  }>;
  /** Also makes deliveries of dead processes due, and those leased here that this process does not know of. */
  renewDeliveries(
    deliveries: readonly Held[],
    lease: { readonly owner: string; readonly now: number; readonly leaseMs: number },
  ): Promise<void>;
  settleAttempts(
    settled: readonly Settled[],
    rules: { readonly owner: string; readonly now: number },
  ): Promise<boolean[]>;
}

export interface SendDeliveriesOptions {
  readonly store: DeliveryStore;
  readonly clock: Clock;
  readonly owner: string;
  /** Whether other processes deliver as well. */
  readonly isShared: () => boolean;
  /** Whether deliveries are held: then none is claimed. */
  readonly isHeld?: () => Promise<boolean>;
  /** Renders a delivery once, before its first attempt. Yields to the event loop between slices. */
  readonly render: (channel: AlertChannel, input: RenderInput, createdAt: number) => Rendered;
  /**
   * Whether a delivery may be sent by its channel now, asked before its first attempt and before it is rendered; false =
   * it waits or is moved to another channel, without a lease. null = its channel is always active.
   */
  readonly admitFirst?: (delivery: Held, channel: AlertChannel) => Promise<boolean> | null;
  /**
   * Whether a delivery may be sent now; false = its account has reached a limit, and the delivery waits without a lease.
   * null = its channel has no limit.
   */
  readonly admit?: (delivery: Held, channel: AlertChannel) => Promise<boolean> | null;
  /** Sends a delivery once; never rejects. */
  readonly send: (delivery: Sendable, channel: AlertChannel, attempt: number) => Promise<SendOutcome>;
  /** Wakes this step when there is capacity again. */
  readonly wake: () => void;
  /** Called for a delivery that has ended because it could not be rendered. */
  readonly onUnrendered?: (delivery: Held, reason: string) => void;
  readonly onSettled?: (delivery: Held, attempt: Attempt, step: DeliveryStep) => void;
  /** Called when attempts have been recorded durably. */
  readonly onLogged?: () => void;
  readonly onError: (error: unknown) => void;
}

const leaseMs = 10_000;
/** Interval between checks whether a hold has ended, ms. */
const heldMs = 1000;
const claimsPerTick = 400;
const maxInProgress = 2000;
/** Maximum per account, so that one account's hanging channels leave room for other accounts. */
const maxPerAccount = 1500;
/**
 * From this number on, each channel of the account gets one slot, so that hanging channels leave capacity for others.
 */
const scarceFrom = 1200;
const maxPerChannel = 4;
/** Of all accounts to subscribers of status pages, so that alerts have slots whatever becomes of them. */
const maxToSubscribers = 200;
/** From this number on, freed slots are refilled in batches, because each tick scans all waiting channels. */
const busyFrom = 100;
const gatherMs = 15;
const settlesPerCommit = 400;
const settleRetryMs = 500;

/** The step: its tick, and its shutdown. */
export interface SendDeliveries {
  tick(): Promise<number>;
  /** Numbers of leased deliveries. */
  readonly inProgress: number;
  /** Whether ended attempts have waited for more than a minute while none was recorded. */
  readonly isStalled: boolean;
  /** Waits for attempts in progress up to `graceMs`; the rest is interrupted and repeated after the next start. */
  stop(graceMs: number): Promise<void>;
}

export function createSendDeliveries(options: SendDeliveriesOptions): SendDeliveries {
  const { store, clock, owner } = options;
  const inProgress = new Map<string, Held>();
  const lanes = createLanes();
  const scanned = createScannedChannels();
  let renewedAt = Number.NEGATIVE_INFINITY;
  // A process that ended holds its deliveries until its leases expire, even if it is no longer listed.
  let isSharedUntil = clock.now() + 2 * leaseMs;
  const attempts = createAttempts(options, { inProgress, lanes, scanned });
  const room = (accountId: string, alertChannelId: number, elsewhere: number): number => {
    const ofAccount = lanes.ofAccount(accountId);
    const max = ofAccount < scarceFrom ? maxPerChannel : 1;
    return Math.min(
      max - elsewhere - lanes.size(accountId, alertChannelId),
      alertChannelId === subscribersChannelId ? maxToSubscribers - lanes.toSubscribers : max,
      maxPerAccount - ofAccount,
      maxInProgress - inProgress.size,
    );
  };
  const renew = async (now: number): Promise<void> => {
    if (now - renewedAt < leaseMs / 3 && now >= renewedAt) return;
    await store.renewDeliveries([...inProgress.values()], { owner, now, leaseMs });
    scanned.forgetAll();
    // Set only after success: without renewed leases, a claim could take deliveries that this process is sending.
    renewedAt = now;
  };
  return {
    get inProgress() {
      return inProgress.size;
    },
    get isStalled() {
      return attempts.isStalled();
    },
    async tick() {
      const now = clock.now();
      await renew(now);
      if ((await options.isHeld?.()) === true) return heldMs;
      if (options.isShared()) isSharedUntil = now + 2 * leaseMs;
      const isShared = now < isSharedUntil;
      const without = new Set(lanes.accountsWith(maxPerAccount));
      const rules = { room, without, busy: lanes.checks, scannedFrom: scanned.from, max: claimsPerTick };
      scanned.begin();
      const found = await store.claimDeliveries({ owner, now, leaseMs, isShared, ...rules }).catch((error: unknown) => {
        // The claim may have leased deliveries: renew on the next tick.
        renewedAt = Number.NEGATIVE_INFINITY;
        throw error;
      });
      scanned.note(found.scanned, now);
      for (const claim of found.claimed) if (!inProgress.has(claim.delivery.id)) attempts.start(claim);
      const pauseMs = found.nextDueAt === null ? leaseMs / 3 : found.nextDueAt - clock.now();
      return Math.max(0, Math.min(pauseMs, leaseMs / 3));
    },
    async stop(graceMs) {
      attempts.stop();
      await untilEmpty(inProgress, graceMs);
    },
  };
}

/** Attempts in progress, which later claims must skip. */
interface InProgress {
  readonly inProgress: Map<string, Held>;
  readonly lanes: DeliveryLanes;
  readonly scanned: ScannedChannels;
}

/** Renders claimed deliveries that are not rendered yet, and sends each of them once. */
function createAttempts(options: SendDeliveriesOptions, { inProgress, lanes, scanned }: InProgress) {
  const writer = settleWriter(options, inProgress);
  /** Forgets a delivery that ended, or whose lease may expire and be claimed again. */
  const drop = (held: Held): void => {
    lanes.leave(held);
    scanned.forget(held.accountId, held.alertChannelId);
    inProgress.delete(held.id);
    options.wake();
  };

  /** Goes on with a delivery once it is admitted. @param admission null = at once */
  const admitted = (admission: Promise<boolean> | null, held: Held, goOn: () => void): void => {
    if (admission === null) return goOn();
    void admission
      .catch((error: unknown) => {
        options.onError(error);
        return false;
      })
      .then((isAdmitted) => (isAdmitted ? goOn() : drop(held)));
  };

  const attempt = (delivery: Sendable, held: Held, { channel, number, delayedUntil }: Claimed): void => {
    const { accountId, id, alertChannelId, isTest } = held;
    const plan = planOf(held, channel);
    void options.send(delivery, channel, number).then((outcome) => {
      lanes.leave(held);
      scanned.forget(accountId, alertChannelId);
      // Interrupted by shutdown: the lease expires, and the next owner records and repeats the attempt
      // (docs/decisions/0012).
      if (outcome.error?.class === 'interrupted') {
        inProgress.delete(id);
        return;
      }
      const step = afterAttempt(outcome, number, plan, delayedUntil);
      const ended: Attempt = { ...outcome, accountId, deliveryId: id, number, nextAttemptAt: step.nextAttemptAt };
      options.onSettled?.(held, ended, step);
      writer.add({ attempt: ended, alertChannelId, isTest, step });
    });
  };
  const send = (delivery: Sendable, claimed: Claimed): void => {
    const { accountId, id, alertChannelId, checkId, isTest } = delivery;
    // Excludes the request: hundreds of retained requests would outlive the garbage collector's young generation.
    const held: Held = { accountId, id, alertChannelId, checkId, isTest };
    inProgress.set(id, held);
    lanes.enter(held);
    admitted(options.admit?.(held, claimed.channel) ?? null, held, () => attempt(delivery, held, claimed));
  };
  const rendering = createRenderDeliveries<Claimed>({ ...options, send, drop: ({ delivery }) => drop(delivery) });
  const start = (claimed: Claimed): void => {
    const { delivery, channel, number } = claimed;
    const { request } = delivery;
    const admission = number > 1 ? null : (options.admitFirst?.(delivery, channel) ?? null);
    if (request !== null && admission === null) return send({ ...delivery, request }, claimed);
    inProgress.set(delivery.id, delivery);
    lanes.enter(delivery);
    admitted(admission, delivery, () => {
      if (request === null) return rendering.add(claimed);
      lanes.leave(delivery);
      send({ ...delivery, request }, claimed);
    });
  };
  return { start, stop: () => rendering.stop(), isStalled: () => writer.isStalled };
}

async function untilEmpty(inProgress: ReadonlyMap<string, Held>, maxMs: number): Promise<void> {
  const deadline = performance.now() + maxMs;
  while (inProgress.size > 0 && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Records the outcomes of attempts in batches, then forgets them. */
function settleWriter(options: SendDeliveriesOptions, inProgress: Map<string, Held>): BatchWriter<Settled> {
  const { store, clock, owner } = options;
  const wakeLater = gathered(options.wake, gatherMs);
  return createBatchWriter<Settled>({
    write: async (batch) => {
      await store.settleAttempts(batch, { owner, now: clock.now() });
      for (const { attempt } of batch) inProgress.delete(attempt.deliveryId);
      if (inProgress.size < busyFrom) options.wake();
      else wakeLater();
      options.onLogged?.();
    },
    isTemporary,
    onError: options.onError,
    // The lease expires, and the delivery is retried under the same ID.
    onDropped: ({ attempt }) => inProgress.delete(attempt.deliveryId),
    maxBatch: settlesPerCommit,
    maxWaiting: Number.POSITIVE_INFINITY,
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
