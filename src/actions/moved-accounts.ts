// Where an account lives that was moved: asked on every request, so answered from memory that is at most a second old.
import type { AccountMove } from '#domain/account-move.ts';
import type { Clock } from '#lib/clock.ts';
import { Refusal } from './refusal.ts';

/** Looks moves up. */
export interface MovedAccounts {
  /**
   * Refuses with `moved` what another installation answers now, and with `unavailable` what has to wait for the seconds of
   * a switch. Not awaited when it is remembered.
   */
  readonly requireHere: (accountId: string, isReading: boolean) => void | Promise<void>;
  /** Accounts that are active neither here nor elsewhere at this moment, as the store says now. */
  readonly onTheirWay: () => Promise<ReadonlySet<string>>;
}

const believedMs = 1000;

export function createMovedAccounts(
  accountMoves: { all(): Promise<readonly AccountMove[]> },
  clock: Clock,
): MovedAccounts {
  let known: ReadonlyMap<string, AccountMove> = new Map();
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | null = null;
  const read = async (): Promise<void> => {
    try {
      const at = clock.now();
      known = new Map((await accountMoves.all()).map((move) => [move.accountId, move]));
      readAt = at;
    } finally {
      reading = null;
    }
  };
  return {
    requireHere(accountId, isReading) {
      const move = known.get(accountId);
      // Of one that is on its way the next second is another one: what has left is not to be taken for gone.
      const isSettled = move === undefined || move.state === 'left' || move.state === 'arrived';
      if (isSettled && Math.abs(clock.now() - readAt) < believedMs) return judge(move, isReading);
      reading ??= read();
      return reading.then(() => judge(known.get(accountId), isReading));
    },
    async onTheirWay() {
      await (reading ??= read());
      return new Set([...known.values()].filter(isOnItsWay).map(({ accountId }) => accountId));
    },
  };
}

/** One that comes back is answered where it was: whoever asks here is sent there. */
function isOnItsWay({ state, place }: AccountMove): boolean {
  return state === 'leaving' || state === 'handing' || (state === 'arriving' && place === null);
}

function judge(move: AccountMove | undefined, isReading: boolean): void {
  if (move === undefined || move.state === 'arrived') return;
  if (move.place !== null && !isOnItsWay(move)) {
    throw new Refusal('moved', `The account ${move.accountId} has moved to ${move.place}: use the same key there.`, {
      attributes: { movedTo: move.place },
    });
  }
  if (isReading && move.state !== 'arriving') return;
  throw movingRefusal(move.accountId);
}

/** Says that the account is on its way. */
export function movingRefusal(accountId: string): Refusal {
  return new Refusal('unavailable', `The account ${accountId} is being moved: try again in a few seconds.`, {
    retryAfterSeconds: 5,
  });
}
