// Connections to PostgreSQL: a small pool, encrypted as the address asks, without anything that a pooler in transaction
// mode could not keep (no named statements, no settings of a session).
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
  /** As Kysely's dialect takes it. */
  readonly pool: PostgresPool;
  /** A transaction at READ COMMITTED, repeated when it lost a race; `work` may run more than once. @param settings statements at its begin */
  transaction<Answer>(work: (session: Session) => Promise<Answer>, settings?: string): Promise<Answer>;
  /** One statement that needs no transaction around it. */
  statement<Row>(statement: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Runs a transaction of any kind until it loses no race. */
  readonly repeated: <Answer>(work: () => Promise<Answer>) => Promise<Answer>;
  close(): Promise<void>;
}

/** Connections of one process: enough to keep the server's processors busy, few enough for many processes. */
export const connectionsMost = 8;
/**
 * How long a transaction that loses races is tried, ms. The counters of a busy account are written a hundred times a second:
 * a change that counts in them may lose many times in a row.
 */
const persistMostMs = 5000;
const longestPauseMs = 30;
/** Ends a transaction whose process was stopped in the middle of it, so that its locks hold up nobody for long. */
export const transactionSettings = `SET LOCAL idle_in_transaction_session_timeout = 8000; SET LOCAL lock_timeout = 8000`;

/**
 * For transactions whose every statement names its rows by keys or by an index, a few hundred at a time: they are looked
 * up one by one, whatever the statistics say of tables that change faster than statistics do (docs/decisions/0032).
 */
export const keyedSettings = ['enable_seqscan', 'enable_bitmapscan', 'enable_hashjoin', 'enable_mergejoin', 'jit']
  .map((name) => `SET LOCAL ${name} = off`)
  .join('; ');

/** By the numbers by which every PostgreSQL knows its types: bigint, numeric, smallint[], bigint[]. */
const parsers: Readonly<Record<number, (text: string) => unknown>> = {
  20: Number,
  1700: Number,
  1005: numbersOf,
  1016: numbersOf,
};

/**
 * Opens the pool; connects once, to learn whether the server encrypts. Throws StoreUnavailableError.
 *
 * @param answerMostMs after how long a statement without an answer is given up, but for `queryLong`
 */
export async function openConnections(address: PostgresAddress, answerMostMs = 30_000): Promise<Connections> {
  const pool = await connectedPool(address, answerMostMs);
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

/** Waits up to `connectionTimeoutMillis` when every connection is in use. Throws as statements do. */
async function connectTo(pool: Pool): Promise<PoolClient> {
  try {
    return await pool.connect();
  } catch (cause) {
    throw postgresErrorOf(cause);
  }
}

async function connectedPool(address: PostgresAddress, answerMostMs: number): Promise<Pool> {
  const modes = encryptions(address);
  for (const isEncrypted of modes) {
    // No statement of ours takes this long: the server, or the way to it, hangs.
    const pool = new Pool({
      ...configOf(address),
      Client: LeavingClient,
      query_timeout: answerMostMs,
      ssl: isEncrypted ? readTls(address) : false,
    });
    // A connection that breaks between two statements is not used again; the statements themselves tell of it.
    pool.on('error', () => {});
    pool.on('connect', (client) => client.on('error', () => {}));
    try {
      (await pool.connect()).release();
      return pool;
    } catch (cause) {
      await pool.end();
      if (isPlainServer(cause) && modes.length > 1 && isEncrypted) continue;
      throw new StoreUnavailableError(`${shownAddress(address)} cannot be connected to: ${whyAway(cause)}`, { cause });
    }
  }
  throw new StoreUnavailableError(`${shownAddress(address)} cannot be connected to`);
}

/**
 * A client that leaves when it cannot be let in. The driver's own stays connected where it is the one to give up, without a
 * password for one, and holds a place at the server for the minute in which one may still be told.
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

/** One connection apart from the pool, to listen on. Rejects with what the driver says. */
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
  throw new StoreUnavailableError(`${shownAddress(address)} cannot be connected to`);
}

/** Whether to encrypt, in the order in which it is tried. */
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
    max: connectionsMost,
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
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new StoreUnavailableError(`${shownAddress(address)} cannot be connected to: ${why}`, { cause });
  }
}

function tlsOf({ host, sslMode, sslRootCert, sslCert, sslKey }: PostgresAddress): NonNullable<PoolConfig['ssl']> {
  // The socket of this machine goes over no network.
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

/** A client whose errors are ours, and which is not used again after one that may have left it in the middle. */
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
  // The dialect's type also has cursors, which nothing here asks for.
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
    // A connection that does not answer is not asked once more; closing it ends the transaction as well.
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
 * Runs transactions again while they lose races against others: a deadlock, a row that was changed under them, or (at
 * SERIALIZABLE) a key that another inserted after it was looked for in vain. What lost once waits its turn, so that the
 * losers of one process do not trip each other up again.
 */
function createRepeater(): <Answer>(work: () => Promise<Answer>) => Promise<Answer> {
  let lastTurn: Promise<unknown> = Promise.resolve();
  return async (work) => {
    try {
      return await work();
    } catch (error) {
      if (!isLostRace(error)) throw error;
    }
    const turn = lastTurn.then(() => persist(work));
    lastTurn = turn.catch(() => undefined);
    return turn;
  };
}

async function persist<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  const startedAt = performance.now();
  for (let tries = 2; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (performance.now() - startedAt > persistMostMs || !isLostRace(error)) throw error;
      await pause(Math.random() * Math.min(4 * tries, longestPauseMs));
    }
  }
}

function isLostRace(error: unknown): boolean {
  const cause = error instanceof StoreUnavailableError ? error.cause : error;
  return ['40001', '40P01', '23505'].includes(stateOf(cause));
}
