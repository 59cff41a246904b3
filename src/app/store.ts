// Opens the store that the configuration names, and the clock that goes with it: this machine's, or the database's.
import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '#lib/clock.ts';
import { createFollowedClock } from '#lib/followed-clock.ts';
import type { Log } from '#lib/log.ts';
import type { MigrationNews } from '#store/base/migrate.ts';
import { isServerAway } from '#store/base/unavailable.ts';
import type { Config } from '#config/config.ts';
import type { OpenedStore } from './opened-store.ts';

/** Time as a test may turn it; a process takes the machine's own. */
export interface Clocks {
  readonly clock: Clock;
  /** A clock that is never set, ms. */
  readonly steadyNow: () => number;
}

const firstPauseMs = 250;
const longestPauseMs = 5000;

/**
 * Opens the store; a PostgreSQL that does not answer yet is waited for. Throws what `openStore` and `openPostgresStore`
 * throw, but for a server that is away.
 */
export async function openConfiguredStore(
  config: Config,
  secretKey: Uint8Array,
  clocks: Clocks,
  log: Log,
): Promise<OpenedStore> {
  const options = {
    secretKey,
    ownLocation: config.location.code,
    limits: config.accountLimits,
    onMigrating: ({ from, to }: MigrationNews) =>
      log.info('store.migrating', from === null ? { by: 'another process', to } : { from, to }),
  };
  const { database, listen } = config;
  // An engine is loaded where it is used: neither of them is little.
  if (database.kind === 'sqlite') {
    const { openStore } = await import('#store/sqlite-store.ts');
    const clock = createFollowedClock(clocks.clock, clocks.steadyNow);
    return { store: openStore({ ...options, path: database.path, clock }), clock, measureTime: null };
  }
  const listenAddress = listen === null ? {} : { listenAddress: listen === 'off' ? null : listen };
  const { address } = database;
  const { openOnPostgres } = await import('./postgres.ts');
  return whenDatabaseIsThere(log, () =>
    openOnPostgres({ ...options, ...listenAddress, address, steadyNow: clocks.steadyNow, log }),
  );
}

/**
 * Does a part of a start, again and again while the PostgreSQL is away: a start in the middle of which it goes away is
 * none that failed. Throws what `work` throws, but for a server that is away; `work` may be done more than once.
 */
export async function whenDatabaseIsThere<Answer>(log: Log, work: () => Promise<Answer>): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (!isServerAway(error)) throw error;
      log.warn('store.waiting', { error: error instanceof Error ? error.message : String(error), tries });
    }
    const pauseMs = Math.min(firstPauseMs * 2 ** Math.min(tries - 1, 8), longestPauseMs);
    await pause(pauseMs * (0.5 + Math.random() / 2));
  }
}
