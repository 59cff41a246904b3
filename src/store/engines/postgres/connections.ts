// Connections to PostgreSQL: a small pool, encrypted as configured, without features that a pooler in transaction mode
// lacks (named statements, session settings).
import { errorMessage } from '#lib/errors.ts';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { checkServerIdentity } from 'node:tls';
import { Client, Pool, type PoolClient, type PoolConfig, types } from 'pg';
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import { isLockBusy, postgresErrorOf, StoreUnavailableError, stateOf, whyAway } from '../../base/unavailable.ts';
import { type PostgresAddress, shownAddress } from '#lib/net/postgres-address.ts';
import { openLine, type Session } from './session.ts';

/** The pool. */
export interface Connections {
  /** For Kysely's dialect. */
  readonly pool: PostgresPool;
  /**
   * A READ COMMITTED transaction, repeated after a serialization failure; `work` may run more than once. @param
   * settings statements at its start
   */
  transaction<Answer>(work: (session: Session) => Promise<Answer>, settings?: string): Promise<Answer>;
  /** One statement outside a transaction. */
  statement<Row>(statement: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Runs a transaction of any kind, and repeats it after serialization failures. */
  readonly repeated: <Answer>(work: () => Promise<Answer>) => Promise<Answer>;
  close(): Promise<void>;
}

/** Maximum number of connections per process: enough to keep the server busy, few enough for many processes. */
export const maxConnections = 8;
/**
 * How long a transaction is repeated after serialization failures, ms. The counters of a busy account are written a
 * hundred times a second, so a change that uses them may fail many times in a row.
 */
const maxPersistMs = 5000;
const longestPauseMs = 30;
/** Ends a transaction whose process was suspended, so that its locks do not block others for long. */
export const transactionSettings = `SET LOCAL idle_in_transaction_session_timeout = 8000; SET LOCAL lock_timeout = 8000`;

/**
 * For transactions whose statements name a few hundred rows by key or index: index lookups are best, whatever the
 * statistics of quickly changing tables suggest (docs/decisions/0032).
 */
export const keyedSettings = ['enable_seqscan', 'enable_bitmapscan', 'enable_hashjoin', 'enable_mergejoin', 'jit']
  .map((name) => `SET LOCAL ${name} = off`)
  .join('; ');

/** The fixed type OIDs of PostgreSQL: bigint, numeric, smallint[], bigint[]. */
const parsers: Readonly<Record<number, (text: string) => unknown>> = {
  20: Number,
  1700: Number,
  1005: numbersOf,
  1016: numbersOf,
};

/**
 * Opens the pool; connects once, to find out whether the server encrypts. Throws StoreUnavailableError.
 * @param answerMostMs timeout of a statement, except with `queryLong`
 */
export async function openConnections(address: PostgresAddress, maxAnswerMs = 30_000): Promise<Connections> {
  const pool = await connectedPool(address, maxAnswerMs);
  const repeated = createRepeater();
  const connect = (): Promise<PoolClient> => connectTo(pool);
  return {
    pool: { options: pool.options, connect: async () => kyselyClient(await connect()), end: () => pool.end() },
    repeated,
    transaction: (work, settings) => repeated(() => transact(connect, work, settings)),
    statement: (statement, values) => single(connect, statement, values),
    close: () => pool.end(),
  };
}

/** Waits up to `connectionTimeoutMillis` if all connections are in use. Throws as statements do. */
async function connectTo(pool: Pool): Promise<PoolClient> {
  try {
    return await pool.connect();
  } catch (cause) {
    throw postgresErrorOf(cause);
  }
}

async function connectedPool(address: PostgresAddress, maxAnswerMs: number): Promise<Pool> {
  const modes = encryptions(address);
  for (const isEncrypted of modes) {
    // No statement should take this long: the server or the network hangs.
    const pool = new Pool({
      ...configOf(address),
      Client: LeavingClient,
      query_timeout: maxAnswerMs,
      ssl: isEncrypted ? readTls(address) : false,
    });
    // A connection that breaks between two statements is discarded; the statements themselves report the error.
    pool.on('error', () => {});
    pool.on('connect', (client) => client.on('error', () => {}));
    try {
      (await pool.connect()).release();
      return pool;
    } catch (cause) {
      await pool.end();
      if (isPlainServer(cause) && modes.length > 1 && isEncrypted) continue;
      throw new StoreUnavailableError(`could not connect to ${shownAddress(address)}: ${whyAway(cause)}`, { cause });
    }
  }
  throw new StoreUnavailableError(`could not connect to ${shownAddress(address)}`);
}

/**
 * A client that disconnects if authentication fails. The driver's own client stays connected if it gives up itself,
 * e.g. without a password, and occupies a connection of the server for a minute.
 */
class LeavingClient extends Client {
  override connect(): Promise<Client>;
  override connect(done: (error: Error | null, client?: Client) => void): void;
  override connect(done?: (error: Error | null, client?: Client) => void): Promise<Client> | void {
    const leave = (): void => void this.end().catch(() => undefined);
    if (done === undefined) {
      return super.connect().catch((cause: unknown) => {
        leave();
        throw cause;
      });
    }
    super.connect((error: Error | null, client?: Client) => {
      if (error !== null) leave();
      done(error, client);
    });
  }
}

/** A connection outside the pool, for LISTEN. Rejects with the driver's error. */
export async function connectAlone(address: PostgresAddress, onMade: (client: Client) => void): Promise<Client> {
  for (const isEncrypted of encryptions(address)) {
    const client = new LeavingClient({ ...configOf(address), ssl: isEncrypted ? readTls(address) : false });
    onMade(client);
    try {
      await client.connect();
      return client;
    } catch (cause) {
      if (!isEncrypted || address.sslMode !== 'prefer' || !isPlainServer(cause)) throw cause;
    }
  }
  throw new StoreUnavailableError(`could not connect to ${shownAddress(address)}`);
}

/** Whether to encrypt, in the order of attempts. */
function encryptions({ sslMode }: PostgresAddress): boolean[] {
  return sslMode === 'prefer' ? [true, false] : [sslMode !== 'disable'];
}

function isPlainServer(cause: unknown): boolean {
  return cause instanceof Error && cause.message.includes('does not support SSL');
}

function configOf({ host, port, user, password, database }: PostgresAddress): PoolConfig {
  return {
    host,
    port,
    user,
    ...(password !== null && { password }),
    database,
    application_name: 'tocsin',
    max: maxConnections,
    connectionTimeoutMillis: 5000,
    idleTimeoutMillis: 60_000,
    pipeline: true,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types: {
      getTypeParser: ((oid: number, format: 'text') => parsers[oid] ?? types.getTypeParser(oid, format)) as never,
    },
  };
}

/** `{1,NULL}` */
function numbersOf(text: string): unknown {
  return JSON.parse(`[${text.slice(1, -1).toLowerCase()}]`);
}

function readTls(address: PostgresAddress): NonNullable<PoolConfig['ssl']> {
  try {
    return tlsOf(address);
  } catch (cause) {
    const why = errorMessage(cause);
    throw new StoreUnavailableError(`could not connect to ${shownAddress(address)}: ${why}`, { cause });
  }
}

function tlsOf({ host, sslMode, sslRootCert, sslCert, sslKey }: PostgresAddress): NonNullable<PoolConfig['ssl']> {
  // A Unix socket does not use the network.
  if (host.startsWith('/')) return false;
  const isVerified = sslMode === 'verify-ca' || sslMode === 'verify-full' || sslRootCert !== null;
  return {
    rejectUnauthorized: isVerified,
    ...(sslRootCert !== null && { ca: readFileSync(sslRootCert, 'utf8') }),
    ...(sslCert !== null && { cert: readFileSync(sslCert, 'utf8') }),
    ...(sslKey !== null && { key: readFileSync(sslKey, 'utf8') }),
    checkServerIdentity: (name, certificate) =>
      sslMode === 'verify-full' ? checkServerIdentity(name, certificate) : undefined,
  };
}

/** A client with converted errors, which is discarded after an error that may have left it in an undefined state. */
function kyselyClient(client: PoolClient): PostgresPoolClient {
  let isBroken = false;
  const query = async (statement: string, values?: readonly unknown[]) => {
    try {
      return await client.query(statement, values === undefined ? [] : [...values]);
    } catch (cause) {
      const error = postgresErrorOf(cause);
      if (error instanceof StoreUnavailableError && !isLostRace(cause)) isBroken = true;
      throw error;
    }
  };
  // The dialect's type also has cursors, which are not used.
  return { query: query as unknown as PostgresPoolClient['query'], release: () => client.release(isBroken) };
}

async function transact<Answer>(
  connect: () => Promise<PoolClient>,
  work: (session: Session) => Promise<Answer>,
  settings = '',
): Promise<Answer> {
  const client = await connect();
  const line = openLine(client);
  let isBroken = false;
  try {
    line.send(`BEGIN; ${transactionSettings}; ${settings}`);
    const answer = await work(line);
    line.commit();
    await line.end();
    return answer;
  } catch (failed) {
    const cause = line.firstError() ?? failed;
    const error = postgresErrorOf(cause);
    // A connection that does not respond is not asked again; closing it ends the transaction, too.
    isBroken = error instanceof StoreUnavailableError && !isLostRace(cause) && !isLockBusy(cause);
    if (!isBroken) {
      await client.query('ROLLBACK').catch(() => {
        isBroken = true;
      });
    }
    throw error;
  } finally {
    client.release(isBroken);
  }
}

async function single<Row>(
  connect: () => Promise<PoolClient>,
  statement: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const client = await connect();
  let isBroken = false;
  try {
    return (await client.query(statement, [...values])).rows as Row[];
  } catch (cause) {
    const error = postgresErrorOf(cause);
    isBroken = error instanceof StoreUnavailableError;
    throw error;
  } finally {
    client.release(isBroken);
  }
}

/**
 * Repeats transactions after a lost race: a deadlock, a concurrently changed row, or (with SERIALIZABLE) a key inserted
 * after it was not found. Repeated transactions queue, so that those of one process do not conflict again.
 */
function createRepeater(): <Answer>(work: () => Promise<Answer>) => Promise<Answer> {
  let lastPersist: Promise<unknown> = Promise.resolve();
  return async (work) => {
    try {
      return await work();
    } catch (error) {
      if (!isLostRace(error)) throw error;
    }
    const persisted = lastPersist.then(() => persist(work));
    lastPersist = persisted.catch(() => undefined);
    return persisted;
  };
}

async function persist<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  const startedAt = performance.now();
  for (let tries = 2; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (performance.now() - startedAt > maxPersistMs || !isLostRace(error)) throw error;
      await pause(Math.random() * Math.min(4 * tries, longestPauseMs));
    }
  }
}

function isLostRace(error: unknown): boolean {
  const cause = error instanceof StoreUnavailableError ? error.cause : error;
  return ['40001', '40P01', '23505'].includes(stateOf(cause));
}
