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
  client.on('error', () => clients.delete(url));
  await client.connect();
  clients.set(url, client);
  return client;
}

async function answer({ url, sql, values }: Question): Promise<unknown> {
  const client = await clientOf(url);
  if (sql === null) {
    clients.delete(url);
    await client.end();
    return [];
  }
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
