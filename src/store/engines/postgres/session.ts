// Pipelined statements on one connection (docs/decisions/0032).
import type { PoolClient, QueryResult } from 'pg';
import { listOf } from './lists.ts';

/**
 * Sequential statements of a transaction. Statements issued before awaiting a result are sent together. Rows are
 * objects, with numbers as numbers and bytes as bytes.
 */
export interface Session {
  /** Rejects with StoreUnavailableError if the database is unavailable. */
  query<Row>(statement: string, values?: readonly unknown[]): Promise<Row[]>;
  /** The same for statements without rows: returns the number of changed rows. */
  change(statement: string, values?: readonly unknown[]): Promise<number>;
  /** The same without a timeout, for statements that scan whole tables. */
  queryLong(statement: string): Promise<void>;
  /**
   * The same for statements whose result is not needed: the end of the transaction waits for them, and fails if they
   * do.
   */
  send(statement: string, values?: readonly unknown[]): void;
  /**
   * Sends the end of the transaction together with the previous statements; no more may follow. If one of them fails,
   * nothing is committed.
   */
  commit(): void;
}

/** A session and its end. */
export interface Line extends Session {
  /** Resolves when all sent statements are finished; rejects if any of them failed, awaited or not. */
  end(): Promise<void>;
  /**
   * Of the statements sent together, the first failure is the cause; later ones only report that they came after it.
   */
  firstError(): unknown;
}

/** The maximum of a Node.js timer, ms: for the driver, 0 means the default timeout. */
const longestTimerMs = 2 ** 31 - 1;

export function openLine(client: PoolClient): Line {
  const sent: Promise<unknown>[] = [];
  const gather = createGather(client);
  let first: { readonly error: unknown } | null = null;
  let isEnding = false;
  const ask = async (
    statement: string,
    values: readonly unknown[] = [],
    options: { readonly query_timeout?: number } = {},
  ): Promise<QueryResult> => {
    try {
      const cells = values.length === 0 ? {} : { values: values.map(sendable) };
      gather();
      return await client.query({ text: statement, ...cells, ...options });
    } catch (error) {
      first ??= { error };
      throw error;
    }
  };
  const send: Session['send'] = (statement, values) => {
    const answer = ask(statement, values);
    // Not awaited here; the end waits for it.
    answer.catch(() => undefined);
    sent.push(answer);
  };
  return {
    query: async <Row>(statement: string, values?: readonly unknown[]) => (await ask(statement, values)).rows as Row[],
    change: async (statement, values) => (await ask(statement, values)).rowCount ?? 0,
    queryLong: async (statement) => void (await ask(statement, [], { query_timeout: longestTimerMs })),
    send,
    commit() {
      if (isEnding) return;
      isEnding = true;
      // A statement that failed before it was sent does not fail the transaction on the server, which would commit the
      // others.
      if (first === null) send('COMMIT');
    },
    end: async () => {
      await Promise.all(sent);
      if (first !== null) throw first.error;
    },
    firstError: () => first?.error,
  };
}

/** Sends statements in one piece: individual ones cost a system call each, and wake the server. */
function createGather({ connection }: PoolClient): () => void {
  let isGathering = false;
  return () => {
    if (isGathering) return;
    isGathering = true;
    const { stream } = connection;
    stream.cork();
    process.nextTick(() => {
      isGathering = false;
      stream.uncork();
    });
  };
}

/** Fails here instead of in the driver, which would already have sent a part of the statement. */
function sendable(value: unknown): unknown {
  if (Array.isArray(value)) return listOf(value);
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
  throw new TypeError('a value is a number, a text, bytes, or a list of them');
}
