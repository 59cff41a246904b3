// Calls by token that come while their account is being moved: held until the switch is over (docs/decisions/0109).
import { movingRefusal } from './moved-accounts.ts';
import { Refusal } from './refusal.ts';

/** How a call is held. */
export interface Holding {
  /** Asked for when the call is held; aborts when the client goes away. */
  readonly gone: () => AbortSignal;
  /** Milliseconds, where they are fewer than any call is held. */
  readonly mostMs?: number;
}

/** What is said of a call whose account is on its way, or elsewhere: nothing was done then. */
interface Moving {
  readonly outcome: 'moving';
  readonly accountId: string;
}

export interface HeldCalls {
  /**
   * Does what a call asks for; while its account is on its way it waits, and does it then. Refuses with `moved` once
   * another installation answers, and with `unavailable` when that takes too long, too many are held, the client goes away
   * or this process stops: then nothing was done.
   */
  take<Answer extends { readonly outcome: string }>(
    work: () => Promise<Answer>,
    holding: Holding,
  ): Promise<Exclude<Answer, { readonly outcome: 'moving' }>>;
}

export interface HoldBounds {
  /** How long a call is held, ms. */
  readonly mostMs: number;
  /** How many are held at once by this process. */
  readonly most: number;
  /** Between two looks for all that are held, ms. */
  readonly lookMs: number;
}

/** What this needs. */
export interface HeldMeans {
  readonly movedAccounts: {
    requireHere(accountId: string, isReading: boolean): void | Promise<void>;
    onTheirWay(): Promise<ReadonlySet<string>>;
  };
  /** Aborts when this process stops: nobody may hold it up by waiting. */
  readonly stopping?: AbortSignal;
  readonly bounds?: HoldBounds;
}

/** Held for less than the 30 s after which clients and proxies that end such calls begin to do so. */
const usual: HoldBounds = { mostMs: 25_000, most: 1000, lookMs: 250 };

export function createHeldCalls({ movedAccounts, stopping, bounds = usual }: HeldMeans): HeldCalls {
  const waits = createWaits(() => movedAccounts.onTheirWay(), bounds);
  stopping?.addEventListener('abort', () => waits.endAll());

  return {
    async take(work, { gone, mostMs = bounds.mostMs }) {
      const endsAt = performance.now() + Math.min(mostMs, bounds.mostMs);
      let client: AbortSignal | null = null;
      for (;;) {
        const answer = await work();
        if (!isMoving(answer)) return answer as Exclude<typeof answer, { readonly outcome: 'moving' }>;
        const { accountId } = answer;
        await requireNotElsewhere(movedAccounts, accountId);
        client ??= gone();
        const isHeld = stopping?.aborted !== true && (await waits.wait(accountId, client, endsAt));
        if (!isHeld) throw movingRefusal(accountId);
      }
    },
  };
}

function isMoving(answer: { readonly outcome: string }): answer is Moving {
  return answer.outcome === 'moving';
}

/** That it is on its way is no reason to refuse here, and that nothing is remembered of it is none to ask at once again. */
async function requireNotElsewhere(movedAccounts: HeldMeans['movedAccounts'], accountId: string): Promise<void> {
  try {
    await movedAccounts.requireHere(accountId, false);
  } catch (error) {
    if (!(error instanceof Refusal && error.code === 'unavailable')) throw error;
  }
}

/** One that waits. */
interface Waiter {
  readonly accountId: string;
  /** Of the steady clock, ms. */
  readonly endsAt: number;
  readonly end: (isOver: boolean) => void;
}

/** Waits for accounts to be where they stay: all of them share one look at the store, which nobody takes while none waits. */
function createWaits(onTheirWay: () => Promise<ReadonlySet<string>>, { most, lookMs }: HoldBounds) {
  const waiters = new Set<Waiter>();
  let timer: NodeJS.Timeout | undefined;
  let isLooking = false;

  const look = async (): Promise<void> => {
    isLooking = true;
    try {
      const moving = await onTheirWay();
      for (const { accountId, end } of waiters) if (!moving.has(accountId)) end(true);
    } catch {
      // A store that is away says nothing of it: time goes on, and ends the wait.
    } finally {
      isLooking = false;
    }
  };
  const turn = (): void => {
    const now = performance.now();
    for (const { endsAt, end } of waiters) if (endsAt <= now) end(false);
    if (waiters.size > 0 && !isLooking) void look();
  };

  return {
    /** Resolves with whether it is worth asking again; false at once when too many wait. */
    wait(accountId: string, client: AbortSignal, endsAt: number): Promise<boolean> {
      if (waiters.size >= most || client.aborted || performance.now() >= endsAt) return Promise.resolve(false);
      return new Promise((resolve) => {
        const leave = (): void => waiter.end(false);
        const waiter: Waiter = {
          accountId,
          endsAt,
          end(isOver) {
            waiters.delete(waiter);
            client.removeEventListener('abort', leave);
            if (waiters.size === 0) {
              clearInterval(timer);
              timer = undefined;
            }
            resolve(isOver);
          },
        };
        waiters.add(waiter);
        client.addEventListener('abort', leave);
        timer ??= setInterval(turn, lookMs);
      });
    },
    endAll(): void {
      for (const { end } of waiters) end(false);
    },
  };
}
