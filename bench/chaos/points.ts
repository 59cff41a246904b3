// The five points at which `npm run chaos -- deliver` ends the service, and how it is seen that one was met.
import type { Dice } from './dice.ts';
import type { Stop } from './stop.ts';
import type { Standing } from './tried.ts';

/** What was there when the process had ended. */
export interface Met {
  readonly standing: Standing;
  /** Whether the receiver has that attempt of that delivery from this process. */
  readonly hasArrived: (deliveryId: string, number: number) => boolean;
}

/** One of the points. */
export interface Point {
  readonly name: string;
  /** Where the process ends, by the dice and by how often this point was met before. */
  readonly stop: (dice: Dice, before: number) => Stop;
  /** How many deliveries were at the point; null = that of the replay is judged by its answer. */
  readonly metBy: ((met: Met) => number) | null;
}

const upTo = (max: number, dice: Dice): number => 1 + Math.floor(dice() * max);

export const points: readonly Point[] = [
  {
    name: 'after claim',
    stop: (dice) => ({ transaction: 'claim', at: 'after', times: upTo(3, dice) }),
    metBy: ({ standing }) => standing.inProgress.length,
  },
  {
    name: 'before send',
    stop: (dice) => ({ at: 'before-request', times: upTo(20, dice) }),
    metBy: ({ standing, hasArrived }) => standing.inProgress.filter(({ id, number }) => !hasArrived(id, number)).length,
  },
  {
    name: 'after send, before record',
    // Without an answer, and with one that is about to be recorded.
    stop: (dice, before) =>
      before % 2 === 0
        ? { at: 'after-request', times: upTo(20, dice) }
        : { transaction: 'settle', at: 'before', times: upTo(5, dice) },
    metBy: ({ standing, hasArrived }) => standing.inProgress.filter(({ id, number }) => hasArrived(id, number)).length,
  },
  {
    name: 'after record, before next due',
    stop: (dice) => ({ transaction: 'settle', at: 'after', times: upTo(3, dice) }),
    metBy: ({ standing }) => standing.waiting,
  },
  {
    name: 'during replay',
    // The first hundred are not committed, are, and so is the rest: a channel is replayed anew after each kill.
    stop: (_, before) => ({ transaction: 'replay', at: before % 2 === 0 ? 'before' : 'after', times: 1 }),
    metBy: null,
  },
];
