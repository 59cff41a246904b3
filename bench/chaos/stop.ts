// Where a process is killed during a delivery, as passed from the driver to the process.

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
