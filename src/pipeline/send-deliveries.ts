// Due deliveries are sent and every attempt is logged, until each is delivered or exhausted (decisions: Webhook delivery;
// they are claimed by channel: docs/decisions/0014).
import type { AlertChannel } from '#domain/alert-channel.ts';
import {
  afterAttempt,
  type Attempt,
  type DeliveryStep,
  type DueDelivery,
  type RetryPlan,
  type SendOutcome,
} from '#domain/delivery.ts';
import type { FailingChannel, RenderFailing } from '#domain/failing-channel.ts';
import { type BatchWriter, createBatchWriter } from '#lib/batch-writer.ts';
import type { Clock } from '#lib/clock.ts';
import { isPassing } from '#lib/passing.ts';

interface Claimed {
  readonly delivery: DueDelivery;
  readonly channel: AlertChannel;
  readonly number: number;
}

interface Settled {
  readonly attempt: Attempt;
  readonly alertChannelId: number;
  readonly isTest: boolean;
  readonly step: DeliveryStep;
}

/** What is kept of a delivery while its attempt is under way: the request is with the sender. */
type Held = Pick<DueDelivery, 'accountId' | 'id' | 'alertChannelId' | 'checkId' | 'isTest'>;

function planOf({ isTest }: Held, { config }: AlertChannel): RetryPlan {
  if (isTest) return 'once';
  return config['longTail'] === true ? 'long-tail' : 'normal';
}

/** What this step needs of the store. */
interface DeliveryStore {
  claimDeliveries(claim: {
    readonly owner: string;
    readonly now: number;
    readonly leaseMs: number;
    readonly most: number;
    readonly room: (accountId: string, alertChannelId: number, elsewhere: number) => number;
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
    rules: {
      readonly owner: string;
      readonly now: number;
      readonly renderFailing: RenderFailing;
      readonly onFailing: (failing: FailingChannel) => void;
    },
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
  /** Sends a delivery once; never rejects. */
  readonly send: (delivery: DueDelivery, channel: AlertChannel, attempt: number) => Promise<SendOutcome>;
  /** Wakes this step: there is room again. */
  readonly wake: () => void;
  readonly onSettled?: (delivery: Held, attempt: Attempt, step: DeliveryStep) => void;
  /** Told when attempts have been logged, durably. */
  readonly onLogged?: () => void;
  /** The message through another channel that one does not receive any more. */
  readonly renderFailing: RenderFailing;
  readonly onFailing: (failing: FailingChannel) => void;
  readonly onError: (error: unknown) => void;
}

const leaseMs = 10_000;
/** While deliveries are held, whether they still are is asked this often, ms. */
const heldMs = 1000;
const claimsPerTurn = 400;
const underWayMost = 2000;
/** From here on a channel gets one place: many that hang together leave room for the others. */
const scarceFrom = 1600;
const perChannelMost = 4;
/**
 * With so many under way no place is needed at once: those that become free are filled together, because each turn walks
 * all channels that wait.
 */
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
  // What a process has left behind when it ended is held for the rest of its lease, whether anybody still knows of it or not.
  let isSharedUntil = clock.now() + 2 * leaseMs;
  const writer = settleWriter(options, underWay);
  const start = ({ delivery, channel, number }: Claimed): void => {
    const { accountId, id, alertChannelId, checkId, isTest } = delivery;
    // Without what it sends: hundreds of requests that are kept until they are answered outlive the young generation.
    const held: Held = { accountId, id, alertChannelId, checkId, isTest };
    const plan = planOf(held, channel);
    underWay.set(id, held);
    lanes.enter(held);
    void options.send(delivery, channel, number).then((outcome) => {
      lanes.leave(held);
      looked.forget(accountId, alertChannelId);
      // Cut off by our own end: its lease runs out, and whoever takes it then logs it as interrupted and repeats it
      // (docs/decisions/0012).
      if (outcome.error?.class === 'interrupted') {
        underWay.delete(id);
        return;
      }
      const step = afterAttempt(outcome, number, plan);
      const attempt: Attempt = { ...outcome, accountId, deliveryId: id, number, nextAttemptAt: step.nextAttemptAt };
      options.onSettled?.(held, attempt, step);
      writer.add({ attempt, alertChannelId, isTest, step });
    });
  };
  const room = (accountId: string, alertChannelId: number, elsewhere: number): number => {
    const most = underWay.size < scarceFrom ? perChannelMost : 1;
    return Math.min(most - elsewhere - lanes.size(accountId, alertChannelId), underWayMost - underWay.size);
  };
  const renew = async (now: number): Promise<void> => {
    if (now - renewedAt < leaseMs / 3 && now >= renewedAt) return;
    await store.renewDeliveries([...underWay.values()], { owner, now, leaseMs });
    looked.forgetAll();
    // Only now: while leases could not be renewed, nothing may be taken, or what runs here would be taken again.
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
      const rules = { room, busy: lanes.checks, lookedFrom: looked.from, most: claimsPerTurn };
      looked.begin();
      const found = await store.claimDeliveries({ owner, now, leaseMs, isShared, ...rules }).catch((error: unknown) => {
        // Whether something was taken is not known: the next turn first sees to it.
        renewedAt = Number.NEGATIVE_INFINITY;
        throw error;
      });
      looked.note(found.looked, now);
      for (const claim of found.claimed) if (!underWay.has(claim.delivery.id)) start(claim);
      const pauseMs = found.nextDueAt === null ? leaseMs / 3 : found.nextDueAt - clock.now();
      return Math.max(0, Math.min(pauseMs, leaseMs / 3));
    },
    stop: (graceMs) => untilEmpty(underWay, graceMs),
  };
}

async function untilEmpty(underWay: ReadonlyMap<string, Held>, mostMs: number): Promise<void> {
  const deadline = performance.now() + mostMs;
  while (underWay.size > 0 && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Logs what came of attempts, many to a commit, and then forgets them. */
function settleWriter(options: SendDeliveriesOptions, underWay: Map<string, Held>): BatchWriter<Settled> {
  const { store, clock, owner, renderFailing, onFailing } = options;
  const wakeLater = gathered(options.wake, gatherMs);
  return createBatchWriter<Settled>({
    write: async (batch) => {
      await store.settleAttempts(batch, { owner, now: clock.now(), renderFailing, onFailing });
      for (const { attempt } of batch) underWay.delete(attempt.deliveryId);
      if (underWay.size < busyFrom) options.wake();
      else wakeLater();
      options.onLogged?.();
    },
    isPassing,
    onError: options.onError,
    // Its lease runs out, and it is tried again under the same id.
    onDropped: ({ attempt }) => underWay.delete(attempt.deliveryId),
    batchMost: settlesPerCommit,
    waitingMost: Number.POSITIVE_INFINITY,
    retryMs: settleRetryMs,
  });
}

/** A wake for all that ask for one within `afterMs`. */
function gathered(wake: () => void, afterMs: number): () => void {
  let timer: NodeJS.Timeout | null = null;
  return () => {
    timer ??= setTimeout(() => {
      timer = null;
      wake();
    }, afterMs).unref();
  };
}

/**
 * Which attempts of each channel are under way: how many (decisions: Fairness), and of which checks. Those of one channel and
 * check begin one after the other, because over several connections the newer one could arrive first (decisions: Ordering).
 */
function createLanes() {
  const lanes = new Map<string, Map<string, string | null>>();
  const nameOf = (accountId: string, alertChannelId: number): string => `${accountId}/${alertChannelId}`;
  return {
    size: (accountId: string, alertChannelId: number): number =>
      lanes.get(nameOf(accountId, alertChannelId))?.size ?? 0,
    checks: (accountId: string, alertChannelId: number): string[] => {
      const checks: string[] = [];
      for (const id of lanes.get(nameOf(accountId, alertChannelId))?.values() ?? []) {
        if (id !== null && !checks.includes(id)) checks.push(id);
      }
      return checks;
    },
    enter({ accountId, alertChannelId, id, checkId }: Held): void {
      const name = nameOf(accountId, alertChannelId);
      lanes.set(name, (lanes.get(name) ?? new Map<string, string | null>()).set(id, checkId));
    },
    leave({ accountId, alertChannelId, id }: Held): void {
      const name = nameOf(accountId, alertChannelId);
      const lane = lanes.get(name);
      lane?.delete(id);
      if (lane?.size === 0) lanes.delete(name);
    },
  };
}

/** A row may be committed so long after the time that stands in it. */
const commitsWithinMs = 1000;

/**
 * How far channels were looked at in vain: thousands of deliveries that wait for one attempt are not walked past again until it
 * ends (docs/decisions/0070). Forgotten with every renewal, for the sake of what is made due at an earlier time than its own.
 */
function createLookedChannels() {
  const times = new Map<string, number>();
  /** Channels of which an attempt ended while a claim was under way: what that one saw waits for it no more. */
  const ended = new Set<string>();
  const nameOf = (accountId: string, alertChannelId: number): string => `${accountId}/${alertChannelId}`;
  return {
    from: (accountId: string, alertChannelId: number): number => times.get(nameOf(accountId, alertChannelId)) ?? 0,
    note(channels: readonly Pick<Held, 'accountId' | 'alertChannelId'>[], now: number): void {
      for (const { accountId, alertChannelId } of channels) {
        const name = nameOf(accountId, alertChannelId);
        if (!ended.has(name)) times.set(name, now - commitsWithinMs);
      }
    },
    forget(accountId: string, alertChannelId: number): void {
      const name = nameOf(accountId, alertChannelId);
      times.delete(name);
      ended.add(name);
    },
    forgetAll: (): void => times.clear(),
    begin: (): void => ended.clear(),
  };
}
