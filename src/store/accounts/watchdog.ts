// The state of the calls of the watchdog, which the processes share.
import type { WatchdogState } from '#domain/accounts/watchdog.ts';
import type { Database } from '../base/database.ts';
import { readFact, replaceFact } from '../base/installation-fact.ts';

const key = 'watchdog';

export function createWatchdog({ reader, transaction }: Database) {
  return {
    /** null = it was never called. */
    state: (): Promise<WatchdogState | null> => readFact<WatchdogState>(reader, key),
    /** Replaces the state; false = another process was first. */
    move: (before: WatchdogState | null, after: WatchdogState) =>
      transaction((tx) => replaceFact(tx, key, before, after)),
  };
}
