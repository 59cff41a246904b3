// Statements on one connection, sent without waiting for the answers of those before (docs/decisions/0032).
import type { PoolClient, QueryResult } from 'pg';
import { listOf } from './lists.ts';

/**
 * Statements of one transaction, one after the other. Those that are asked for before an answer is awaited travel
 * together. Rows come as objects; numbers as numbers, bytes as bytes.
 */
export interface Session {
  /** Rejects with StoreUnavailableError when the database is away. */
  query<Row>(statement: string, values?: readonly unknown[]): Promise<Row[]>;
  /** The same for what has no rows: how many it changed. */
  change(statement: string, values?: readonly unknown[]): Promise<number>;
  /** The same however long it takes: for statements that go through whole tables. */
  queryLong(statement: string): Promise<void>;
  /** The same for what nothing in the transaction depends on: it is waited for at the end, which fails with it. */
  send(statement: string, values?: readonly unknown[]): void;
  /**
   * Lets the end of the transaction travel with what was asked for: nothing is asked for after it. If a statement before
   * it fails, here or at the server, nothing is committed.
   */
  commit(): void;
}

/** A session and its end. */
export interface Line extends Session {
  /** Resolves when all that was sent is answered; rejects when any statement failed, whoever waited for it. */
  end(): Promise<void>;
  /** Of what travelled together the first that failed says why, what came after it only that it came after. */
  firstError(): unknown;
}

/** What a timer of Node.js takes at most, ms: the driver takes 0 for what all statements have. */
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
    // Who sends does not wait: the end does.
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
      // A statement that failed before it was sent fails nothing at the server, which would commit the others.
      if (first === null) send('COMMIT');
    },
    end: async () => {
      await Promise.all(sent);
      if (first !== null) throw first.error;
    },
    firstError: () => first?.error,
  };
}

/**
 * What is asked for at once leaves in one piece: each statement by itself costs a call of the system, and wakes the server.
 */
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

/** Fails here and not in the driver, which has sent a part of the statement when it finds out. */
function sendable(value: unknown): unknown {
  if (Array.isArray(value)) return listOf(value);
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
  throw new TypeError('a value is a number, a text, bytes, or a list of them');
}
