// Where a process is ended on a delivery's way, as the driver tells it to the process.

/** A transaction on a delivery's way. */
export type Transaction = 'claim' | 'settle' | 'replay';

/**
 * A point, and how many times it is passed by before the process ends at it: at a transaction, before it writes or once it
 * is committed; at a request, before its first byte or after its last one.
 */
export type Stop =
  | { readonly transaction: Transaction; readonly at: 'before' | 'after'; readonly times: number }
  | { readonly at: 'before-request' | 'after-request'; readonly times: number };

const variable = 'CHAOS_STOP';

/** What a process is started with to end itself there. */
export function stopStart(stop: Stop): { words: string[]; environment: Record<string, string> } {
  const preload = new URL('./stop-at.ts', import.meta.url).href;
  return { words: [`--import=${preload}`], environment: { [variable]: JSON.stringify(stop) } };
}

/** The point of this process; null = it ends as any other. */
export function readStop(environment: NodeJS.ProcessEnv): Stop | null {
  const text = environment[variable];
  return text === undefined ? null : (JSON.parse(text) as Stop);
}
