// The thread that speaks with PostgreSQL for raw-postgres.ts: one statement after the other, each answered before the next.
import { workerData, type MessagePort } from 'node:worker_threads';
import { Client, types } from 'pg';

interface Question {
  readonly url: string;
  /** null = close the connection. */
  readonly sql: string | null;
  readonly values: readonly unknown[];
}

const { port, signal } = workerData as { port: MessagePort; signal: Int32Array };
types.setTypeParser(20, Number);
types.setTypeParser(1700, Number);
// As SQLite answers a comparison.
types.setTypeParser(16, (text) => (text === 't' ? 1 : 0));
const clients = new Map<string, Client>();

async function clientOf(url: string): Promise<Client> {
  const kept = clients.get(url);
  if (kept !== undefined) return kept;
  const client = new Client({ connectionString: url, query_timeout: 9000 });
  const forget = (): void => {
    if (clients.get(url) === client) clients.delete(url);
  };
  client.on('error', forget).on('end', forget);
  await client.connect();
  clients.set(url, client);
  return client;
}

async function answer({ url, sql, values }: Question): Promise<unknown> {
  if (sql === null) {
    const kept = clients.get(url);
    clients.delete(url);
    await kept?.end();
    return [];
  }
  const wasKept = clients.has(url);
  const client = await clientOf(url);
  try {
    return await rowsOf(client, sql, values);
  } catch (error) {
    // The server may have ended a connection that was kept, which shows when it is used: who only looks does it by another.
    const isEnded = /terminat|not queryable|closed|ECONNRESET|EPIPE/.test(String(error));
    if (!wasKept || !isEnded || !/^select /i.test(sql)) throw error;
    clients.delete(url);
    return rowsOf(await clientOf(url), sql, values);
  }
}

async function rowsOf(client: Client, sql: string, values: readonly unknown[]): Promise<unknown> {
  const result = await client.query<Record<string, unknown>>(sql, [...values]);
  return Array.isArray(result) ? [] : result.rows.map((row) => ({ ...row }));
}

port.on('message', (question: Question) => {
  void answer(question)
    .then(
      (rows) => port.postMessage({ rows }),
      (error: unknown) => port.postMessage({ error: error instanceof Error ? error.message : String(error) }),
    )
    .finally(() => {
      Atomics.store(signal, 0, 1);
      Atomics.notify(signal, 0);
    });
});
