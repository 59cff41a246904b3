// The five points at which `npm run chaos -- deliver` kills the service, and how to detect that one was reached.
import type { Random } from './random.ts';
import type { DeliveriesState } from './recorded.ts';

/** State after the process has ended. */
export interface Met {
  readonly deliveriesState: DeliveriesState;
  /** Whether the receiver got that attempt from this process. */
  readonly hasArrived: (deliveryId: string, number: number) => boolean;
}

/** A point. */
export interface Point {
  readonly name: string;
  /** Where the process ends, randomly and by how often the point was reached. */
  readonly stop: (random: Random, before: number) => Stop;
  /** Number of deliveries at the point; null = the result of the replay decides. */
  readonly metBy: ((met: Met) => number) | null;
}

const upTo = (max: number, random: Random): number => 1 + Math.floor(random() * max);

export const points: readonly Point[] = [
  {
    name: 'after claim',
    stop: (random) => ({ transaction: 'claim', at: 'after', times: upTo(3, random) }),
    metBy: ({ deliveriesState }) => deliveriesState.inProgress.length,
  },
  {
    name: 'before send',
    stop: (random) => ({ at: 'before-request', times: upTo(20, random) }),
    metBy: ({ deliveriesState, hasArrived }) =>
      deliveriesState.inProgress.filter(({ id, number }) => !hasArrived(id, number)).length,
  },
  {
    name: 'after send, before record',
    // Without a response, and with one that is about to be recorded.
    stop: (random, before) =>
      before % 2 === 0
        ? { at: 'after-request', times: upTo(20, random) }
        : { transaction: 'settle', at: 'before', times: upTo(5, random) },
    metBy: ({ deliveriesState, hasArrived }) =>
      deliveriesState.inProgress.filter(({ id, number }) => hasArrived(id, number)).length,
  },
  {
    name: 'after record, before next due',
    stop: (random) => ({ transaction: 'settle', at: 'after', times: upTo(3, random) }),
    metBy: ({ deliveriesState }) => deliveriesState.waiting,
  },
  {
    name: 'during replay',
    // Before and after the first hundred, and the same for the rest: a channel is replayed again after each kill.
    stop: (_, before) => ({ transaction: 'replay', at: before % 2 === 0 ? 'before' : 'after', times: 1 }),
    metBy: null,
  },
];

/** A transaction of a delivery. */
export type Transaction = 'claim' | 'settle' | 'replay';

/**
 * A point, and how often it is passed before the process is killed: before a transaction writes or after its commit;
 * before the first byte of a request or after its last one.
 */
export type Stop =
  | { readonly transaction: Transaction; readonly at: 'before' | 'after'; readonly times: number }
  | { readonly at: 'before-request' | 'after-request'; readonly times: number };

const variable = 'CHAOS_STOP';

/** Arguments and environment that make a process kill itself there. */
export function stopStart(stop: Stop): { words: string[]; environment: Record<string, string> } {
  const preload = new URL('./stop-at.ts', import.meta.url).href;
  return { words: [`--import=${preload}`], environment: { [variable]: JSON.stringify(stop) } };
}

/** The point of this process; null = it does not kill itself. */
export function readStop(environment: NodeJS.ProcessEnv): Stop | null {
  const text = environment[variable];
  return text === undefined ? null : (JSON.parse(text) as Stop);
}
