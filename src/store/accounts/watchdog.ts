// The state of the calls of the watchdog, which the processes share.
import type { WatchdogState } from '#domain/accounts/watchdog.ts';
import type { Database } from '../base/database.ts';
import { readFact, replaceFact } from '../base/installation-fact.ts';

export interface Watchdog {
  /** null = it was never called. */
  state(): Promise<WatchdogState | null>;
  /** Replaces the state; false = another process was first. */
  move(before: WatchdogState | null, after: WatchdogState): Promise<boolean>;
}

const key = 'watchdog';

export function createWatchdog({ reader, transaction }: Database): Watchdog {
  return {
    state: () => readFact<WatchdogState>(reader, key),
    move: (before, after) => transaction((tx) => replaceFact(tx, key, before, after)),
  };
}
