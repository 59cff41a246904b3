// Opens the store of a PostgreSQL database, with the database's clock.
import { createFollowedClock } from '#lib/followed-clock.ts';
import type { Log } from '#lib/log.ts';
import type { PostgresAddress } from '#lib/net/postgres-address.ts';
import { openPostgres, type PostgresServer } from '#store/engines/postgres/server.ts';
import { openServerTime, type ServerTime } from '#store/engines/postgres/server-time.ts';
import { type PostgresOptions, storeOnPostgres } from '#store/postgres-store.ts';
import { createDamage } from './damage.ts';
import type { OpenedStore } from './opened-store.ts';

/** Location of the database and options of its store. */
export interface PostgresPlace extends Pick<
  PostgresOptions,
  'secretKey' | 'ownLocation' | 'limits' | 'listenAddress' | 'onMigrating'
> {
  readonly address: PostgresAddress;
  /** Monotonic clock, ms. */
  readonly steadyNow: () => number;
  readonly log: Log;
}

/** Tries once. Throws what `openPostgresStore` throws. */
export async function openOnPostgres({ address, steadyNow, log, ...options }: PostgresPlace): Promise<OpenedStore> {
  const server = await openPostgres(address, options.onMigrating);
  const time = await timeOf(server, steadyNow);
  const clock = createFollowedClock(time, steadyNow);
  const store = await storeOnPostgres(server, {
    ...options,
    clock,
    wasServerSet: () => time.wasServerSet,
    onOtherTime: () => void time.measure().catch(() => undefined),
    onListening: (state, why) =>
      state === 'listening' ? log.debug('store.listening') : log.warn('store.polling', { why }),
  });
  return { store, clock, measureTime: () => time.measure(), damage: createDamage(false, clock, log) };
}

async function timeOf(server: PostgresServer, steadyNow: () => number): Promise<ServerTime> {
  try {
    return await openServerTime({ ask: () => server.askTime(), steadyNow });
  } catch (error) {
    await server.close();
    throw error;
  }
}
