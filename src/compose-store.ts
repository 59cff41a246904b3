// Opens the store that the configuration names, and the clock that goes with it: this machine's, or the database's.
import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '#lib/clock.ts';
import { createFollowedClock, type FollowedClock } from '#lib/followed-clock.ts';
import type { Log } from '#lib/log.ts';
import type { PostgresAddress } from '#store/postgres/address.ts';
import { openPostgres, type PostgresServer } from '#store/postgres/server.ts';
import { openServerTime } from '#store/postgres/server-time.ts';
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
  const server = await openWhenThere(database.address, log);
  const time = await openServerTime({ ask: () => server.askTime(), steadyNow: clocks.steadyNow });
  const clock = createFollowedClock(time, clocks.steadyNow);
  const store = await storeOnPostgres(server, {
    ...options,
    clock,
    wasServerSet: () => time.wasServerSet,
    onOtherTime: () => void time.measure().catch(() => undefined),
    ...(listen !== null && { listenAddress: listen === 'off' ? null : listen }),
    onListening: (state, why) =>
      state === 'listening' ? log.debug('store.listening') : log.warn('store.polling', { why }),
  });
  return { store, clock, measureTime: () => time.measure() };
}

async function openWhenThere(address: PostgresAddress, log: Log): Promise<PostgresServer> {
  for (let tries = 1; ; tries++) {
    try {
      return await openPostgres(address);
    } catch (error) {
      if (!isServerAway(error)) throw error;
      const error_ = error instanceof Error ? error.message : String(error);
      log.warn('store.waiting', { error: error_, tries });
    }
    const pauseMs = Math.min(firstPauseMs * 2 ** Math.min(tries - 1, 8), longestPauseMs);
    await pause(pauseMs * (0.5 + Math.random() / 2));
  }
}
