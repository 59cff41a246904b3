// Fixture of `npm run chaos -- deliver`: channels with many pending deliveries and others with many to replay, on either
// engine.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Delivery, Message } from '#domain/deliveries/delivery.ts';
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
/** Every second of them sends emails. */
const isMail = (channel: number): boolean => channel <= sendingChannels && channel % 2 === 0;
const mailAddress = 'ops@tocsin.test';
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
  /** Port of the mail server on this machine. */
  readonly mailPort: number;
  readonly replayChannels: number;
}

/** The limit is out of reach, but every email is counted. */
function mailEnvironment(port: number): Readonly<Record<string, string>> {
  return {
    TOCSIN_SMTP_URL: `smtp://127.0.0.1:${port}`,
    TOCSIN_MAIL_FROM: 'alerts@tocsin.test',
    TOCSIN_MAIL_LIMIT: '100000',
  };
}

export function openFixture(engine: Engine, options: FixtureOptions): Promise<Fixture> {
  return engine === 'sqlite' ? openOnFile(options) : openOnPostgres(options);
}

async function openOnFile({ dataDir, receiver, mailPort, replayChannels }: FixtureOptions): Promise<Fixture> {
  const accountId = await seedAccount(dataDir);
  const store = openBenchStore(dataDir);
  await furnish(store, { accountId, receiver, replayChannels });
  await store.close();
  const file = new DatabaseSync(databasePath(dataDir), { readOnly: true, timeout: 5000 });
  return {
    environment: mailEnvironment(mailPort),
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

async function openOnPostgres({ dataDir, receiver, mailPort, replayChannels }: FixtureOptions): Promise<Fixture> {
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
    environment: { DATABASE_URL: url, ...mailEnvironment(mailPort) },
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
  const mail = { type: 'EMAIL', config: { name: 'mail', address: mailAddress }, secrets: {} };
  await seedChannels(store, accountId, receiver, sendingChannels + replayChannels, (id) => (isMail(id) ? mail : {}));
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
    request: requestOf(id, receiver, channel),
    attempts: 0,
    createdAt: now,
    nextAttemptAt: now,
    replayOf: null,
    isTest: false,
    error: null,
  };
}

function requestOf(id: string, receiver: string, channel: number): Message {
  const body = JSON.stringify({ made: id });
  if (!isMail(channel)) {
    return { method: 'POST', url: `${receiver}/${channel}`, headers: [['content-type', 'application/json']], body };
  }
  const headers = [
    ['From', 'alerts@tocsin.test'],
    ['To', mailAddress],
    ['Subject', id],
    ['Date', new Date().toUTCString().replace('GMT', '+0000')],
    ['Message-ID', `<${id}@tocsin.test>`],
  ] as const;
  return { method: 'MAIL', url: `mailto:${mailAddress}`, headers, body, data: { html: '<p>Failing</p>' } };
}
