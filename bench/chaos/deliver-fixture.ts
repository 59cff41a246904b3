// Fixture of `npm run chaos -- deliver`: channels with many pending deliveries and others with many to replay, on either
// engine.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Delivery } from '#domain/alerts/delivery.ts';
import { systemClock } from '#lib/clock.ts';
import { newId } from '#lib/id.ts';
import { readPostgresAddress } from '#lib/net/postgres-address.ts';
import { openPostgresStore } from '#store/postgres-store.ts';
import type { Store } from '#store/store.ts';
import { type PostgresServer, startPostgres } from '../../tests/support/postgres/postgres.ts';
import { openRawPostgres, type RawRows } from '../../tests/support/store/raw-rows.ts';
import { pause } from '../support/service.ts';
import {
  databasePath,
  openBenchStore,
  secretKeyText,
  seedAccount,
  seedChannels,
  seedFirstAccount,
} from '../support/seed.ts';

export const engines = ['sqlite', 'postgres'] as const;
export type Engine = (typeof engines)[number];

/** Channels 1 to this number have pending deliveries; the others have deliveries to replay. */
export const sendingChannels = 10;
/** More than one transaction of a replay. */
export const replayable = 110;

/** Half of all deliveries belong to these checks, so that many wait for each other. */
const checks = [newId(), newId(), newId()];

/** Check of the nth delivery of a channel; every second delivery has none. */
function checkOf(index: number): string | null {
  return index % 2 === 0 ? null : (checks[((index - 1) / 2) % checks.length] ?? null);
}

/** The installation, without a running service. */
export interface Fixture extends AsyncDisposable {
  /** Environment of a process that uses it. */
  readonly environment: Readonly<Record<string, string>>;
  readonly dataDir: string;
  readonly rows: RawRows;
  /** Adds that many pending deliveries, round-robin over the channels. */
  feed(count: number): Promise<void>;
  /** Resolves when the database has noticed the end of every process; until then it may still execute their statements. */
  quiet(): Promise<void>;
}

interface FixtureOptions {
  readonly dataDir: string;
  readonly receiver: string;
  readonly replayChannels: number;
}

export function openFixture(engine: Engine, options: FixtureOptions): Promise<Fixture> {
  return engine === 'sqlite' ? openOnFile(options) : openOnPostgres(options);
}

async function openOnFile({ dataDir, receiver, replayChannels }: FixtureOptions): Promise<Fixture> {
  const accountId = await seedAccount(dataDir);
  const store = openBenchStore(dataDir);
  await furnish(store, { accountId, receiver, replayChannels });
  await store.close();
  const file = new DatabaseSync(databasePath(dataDir), { readOnly: true, timeout: 5000 });
  return {
    environment: {},
    dataDir,
    rows: file,
    async feed(count) {
      const open = openBenchStore(dataDir);
      await addPending(open, { accountId, receiver, count });
      await open.close();
    },
    quiet: () => Promise.resolve(),
    [Symbol.asyncDispose]: () => Promise.resolve(file.close()),
  };
}

async function openOnPostgres({ dataDir, receiver, replayChannels }: FixtureOptions): Promise<Fixture> {
  const server = await startPostgres();
  const { url, name } = await server.newDatabase();
  const address = readPostgresAddress(url);
  const secretKey = Buffer.from(secretKeyText, 'hex');
  const open = (): Promise<Store> => openPostgresStore({ address, secretKey, clock: systemClock });
  const store = await open();
  const accountId = await seedFirstAccount(store);
  await furnish(store, { accountId, receiver, replayChannels });
  await store.close();
  const rows = openRawPostgres(url);
  return {
    environment: { DATABASE_URL: url },
    dataDir: join(dataDir, 'process'),
    rows,
    async feed(count) {
      const opened = await open();
      await addPending(opened, { accountId, receiver, count });
      await opened.close();
    },
    quiet: () => untilNobodyIsConnected(server, name),
    [Symbol.asyncDispose]: async () => {
      rows.close();
      await server.stop();
    },
  };
}

async function untilNobodyIsConnected(server: PostgresServer, database: string): Promise<void> {
  for (;;) {
    const [row] = await server.admin(
      `SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = '${database}' AND application_name = 'tocsin'`,
    );
    if (row?.['n'] === 0) return;
    await pause(5);
  }
}

interface Furniture {
  readonly accountId: string;
  readonly receiver: string;
  readonly replayChannels: number;
}

async function furnish(store: Store, { accountId, receiver, replayChannels }: Furniture): Promise<void> {
  await seedChannels(store, accountId, receiver, sendingChannels + replayChannels);
  for (let channel = sendingChannels + 1; channel <= sendingChannels + replayChannels; channel++) {
    const spent = { status: 'exhausted', nextAttemptAt: null } as const;
    const deliveries = Array.from({ length: replayable }, (_, index) => ({
      ...aDelivery(accountId, receiver, channel, checkOf(index)),
      ...spent,
    }));
    await addAll(store, deliveries);
  }
}

async function addPending(
  store: Store,
  { accountId, receiver, count }: { accountId: string; receiver: string; count: number },
): Promise<void> {
  const deliveries = Array.from({ length: count }, (_, index) =>
    aDelivery(accountId, receiver, 1 + (index % sendingChannels), checkOf(Math.floor(index / sendingChannels))),
  );
  await addAll(store, deliveries);
}

/** Limited concurrency. Requests that a busy database does not accept in time are skipped, because there are enough. */
async function addAll(store: Store, deliveries: readonly Delivery[]): Promise<void> {
  const left = [...deliveries];
  const addSome = async (): Promise<void> => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      await store.path.addDelivery(next).catch(() => undefined);
    }
  };
  await Promise.all(Array.from({ length: 6 }, addSome));
}

/** A delivery after rendering, with a unique body. */
function aDelivery(accountId: string, receiver: string, channel: number, checkId: string | null): Delivery {
  const id = newId();
  const now = Date.now();
  return {
    accountId,
    id,
    alertChannelId: channel,
    alertId: null,
    checkId,
    checkResultId: null,
    alertType: 'ALERT_FAILURE',
    status: 'pending',
    request: {
      method: 'POST',
      url: `${receiver}/${channel}`,
      headers: [['content-type', 'application/json']],
      body: JSON.stringify({ made: id }),
    },
    attempts: 0,
    createdAt: now,
    nextAttemptAt: now,
    replayOf: null,
    isTest: false,
    error: null,
  };
}
