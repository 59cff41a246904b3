// Opens the store that the configuration names, and the clock that goes with it: this machine's, or the database's.
import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '#lib/clock.ts';
import { createFollowedClock, type FollowedClock } from '#lib/followed-clock.ts';
import type { Log } from '#lib/log.ts';
import { openPostgres, type PostgresServer } from '#store/postgres/server.ts';
import { openServerTime, type ServerTime } from '#store/postgres/server-time.ts';
import { openStore, storeOnPostgres, type Store } from '#store/store.ts';
import { isServerAway } from '#store/unavailable.ts';
import type { Config } from './config.ts';

/** Time as a test may turn it; a process takes the machine's own. */
export interface Clocks {
  readonly clock: Clock;
  /** A clock that is never set, ms. */
  readonly steadyNow: () => number;
}

/** The open store of a process. */
export interface OpenedStore {
  readonly store: Store;
  readonly clock: FollowedClock;
  /** Asks again what time it is where the clock is kept; null = this machine keeps it. */
  readonly measureTime: (() => Promise<void>) | null;
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
  const options = { secretKey, ownLocation: config.location.code };
  const { database, listen } = config;
  if (database.kind === 'sqlite') {
    const clock = createFollowedClock(clocks.clock, clocks.steadyNow);
    return { store: openStore({ ...options, path: database.path, clock }), clock, measureTime: null };
  }
  const listenAddress = listen === null ? {} : { listenAddress: listen === 'off' ? null : listen };
  return whenDatabaseIsThere(log, async () => {
    const server = await openPostgres(database.address);
    const time = await timeOf(server, clocks.steadyNow);
    const clock = createFollowedClock(time, clocks.steadyNow);
    const store = await storeOnPostgres(server, {
      ...options,
      ...listenAddress,
      clock,
      wasServerSet: () => time.wasServerSet,
      onOtherTime: () => void time.measure().catch(() => undefined),
      onListening: (state, why) =>
        state === 'listening' ? log.debug('store.listening') : log.warn('store.polling', { why }),
    });
    return { store, clock, measureTime: () => time.measure() };
  });
}

async function timeOf(server: PostgresServer, steadyNow: () => number): Promise<ServerTime> {
  try {
    return await openServerTime({ ask: () => server.askTime(), steadyNow });
  } catch (error) {
    await server.close();
    throw error;
  }
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
