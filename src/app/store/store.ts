// Opens the configured store, and the clock that goes with it: this machine's or the database's.
import { errorMessage } from '#lib/errors.ts';
import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '#lib/clock.ts';
import { createFollowedClock } from '#lib/followed-clock.ts';
import type { Log } from '#lib/log.ts';
import type { SchemaMigration } from '#store/base/migrate.ts';
import { isServerAway } from '#store/base/unavailable.ts';
import type { Config } from '#config/config.ts';
import { checkLargeFile } from '#store/engines/sqlite/check-file.ts';
import { createDamage } from './damage.ts';
import type { OpenedStore } from './opened-store.ts';

/** The clock, which tests may replace. */
export interface Clocks {
  readonly clock: Clock;
  /** Monotonic clock, ms. */
  readonly steadyNow: () => number;
}

const firstPauseMs = 250;
const longestPauseMs = 5000;

/**
 * Opens the store; waits while a PostgreSQL does not respond. Throws what `openStore` and `openPostgresStore` throw,
 * except if the server is unavailable.
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
    onMigrating: ({ from, to }: SchemaMigration) =>
      log.info('store.migrating', from === null ? { by: 'another process', to } : { from, to }),
  };
  const { database, listen } = config;
  // Engines are large, so each is loaded only if it is used.
  if (database.kind === 'sqlite') {
    const { openStore } = await import('#store/sqlite-store.ts');
    const clock = createFollowedClock(clocks.clock, clocks.steadyNow);
    const damage = createDamage(true, clock, log);
    await checkLargeFile(database.path, { onLate: damage.note });
    return { store: openStore({ ...options, path: database.path, clock }), clock, measureTime: null, damage };
  }
  const listenAddress = listen === null ? {} : { listenAddress: listen === 'off' ? null : listen };
  const { address } = database;
  const { openOnPostgres } = await import('./postgres.ts');
  return whenDatabaseIsThere(log, () =>
    openOnPostgres({ ...options, ...listenAddress, address, steadyNow: clocks.steadyNow, log }),
  );
}

/**
 * Retries a part of the start while PostgreSQL is unavailable, so that an outage during the start does not fail it.
 * Throws what `work` throws, except if the server is unavailable. `work` may run more than once.
 */
export async function whenDatabaseIsThere<Answer>(log: Log, work: () => Promise<Answer>): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (!isServerAway(error)) throw error;
      log.warn('store.waiting', { error: errorMessage(error), tries });
    }
    const pauseMs = Math.min(firstPauseMs * 2 ** Math.min(tries - 1, 8), longestPauseMs);
    await pause(pauseMs * (0.5 + Math.random() / 2));
  }
}
