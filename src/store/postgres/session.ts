// Statements on one connection, sent without waiting for the answers of those before (docs/decisions/0050).
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
  /** The same for what nothing in the transaction depends on: it is waited for at the end, which fails with it. */
  send(statement: string, values?: readonly unknown[]): void;
  /**
   * Lets the end of the transaction travel with what was asked for: nothing is asked for after it. If a statement before
   * it fails, nothing is committed.
   */
  commit(): void;
}

/** A session and its end. */
export interface Line extends Session {
  /** Resolves when all that was sent is answered, rejects with the first error. */
  end(): Promise<void>;
  /** Of what travelled together the first that failed says why, what came after it only that it came after. */
  firstError(): unknown;
}

export function openLine(client: PoolClient): Line {
  const sent: Promise<unknown>[] = [];
  const gather = createGather(client);
  let first: { readonly error: unknown } | null = null;
  let isEnding = false;
  const ask = async (statement: string, values: readonly unknown[] = []): Promise<QueryResult> => {
    try {
      gather();
      return await client.query(statement, values.length === 0 ? undefined : values.map(sendable));
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
    send,
    commit() {
      if (isEnding) return;
      isEnding = true;
      send('COMMIT');
    },
    end: async () => void (await Promise.all(sent)),
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

function sendable(value: unknown): unknown {
  return Array.isArray(value) ? listOf(value) : value;
}
