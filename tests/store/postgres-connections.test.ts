// Connections of a process to PostgreSQL: shared in turn, and given up where nobody is let in.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { it, type TestContext } from 'node:test';
import { readPostgresAddress } from '#lib/net/postgres-address.ts';
import { type Connections, maxConnections, openConnections } from '#store/engines/postgres/connections.ts';
import { isServerAway, StoreUnavailableError } from '#store/base/unavailable.ts';
import type { PostgresDatabase } from '../support/postgres/postgres.ts';
import { sharedPostgres } from '../support/postgres/shared-postgres.ts';
import { until } from '../support/until.ts';

const server = await sharedPostgres();
const askPid = 'SELECT pg_backend_pid() AS pid';

/** @param wayOf another way to the database than its socket */
async function open(
  t: TestContext,
  wayOf: (database: PostgresDatabase) => string | Promise<string> = ({ socketUrl }) => socketUrl,
): Promise<{ database: PostgresDatabase; connections: Connections }> {
  const database = await server.newDatabase();
  const connections = await openConnections(readPostgresAddress(await wayOf(database)));
  t.after(async () => {
    await connections.close();
    await database.drop();
  });
  return { database, connections };
}

/** Takes so many connections until told to give them back. */
async function takeAll(connections: Connections, count: number): Promise<() => Promise<unknown>> {
  const { promise: toBeReturned, resolve: giveBack } = Promise.withResolvers<void>();
  const [pids, all] = [new Set<unknown>(), new Array<Promise<unknown>>()];
  for (let one = 0; one < count; one++) {
    const held = connections.transaction(async (session) => {
      const [row] = await session.query<{ pid: number }>(askPid);
      pids.add(row?.pid);
      await toBeReturned;
    });
    all.push(held.catch((error: unknown) => error));
  }
  await until(`${count} connections to be taken`, () => pids.size === count);
  return () => {
    giveBack();
    return Promise.all(all);
  };
}

it('nobody waits behind long work while another connection may be opened', async (t) => {
  const { connections } = await open(t);
  await (
    await takeAll(connections, maxConnections)
  )();
});

it('where all are taken it goes by who came first', async (t) => {
  const { connections } = await open(t);
  const giveBack = await takeAll(connections, maxConnections);
  const order: number[] = [];
  const all = Array.from({ length: 2 * maxConnections }, (_, place) =>
    connections.transaction(async () => void order.push(place)),
  );
  await giveBack();
  await Promise.all(all);
  assert.deepEqual(order, [...all.keys()]);
});

it('reports a missing password and leaves no connection open', async (t) => {
  const open = new Set<unknown>();
  const way = createServer((near) => {
    open.add(near);
    const far = connect(server.port, '127.0.0.1');
    near.pipe(far).pipe(near);
    near.on('error', () => far.destroy()).on('close', () => far.destroy() && open.delete(near));
    far.on('error', () => near.destroy());
  }).listen(0, '127.0.0.1');
  await once(way, 'listening');
  t.after(() => way.close());
  const database = await server.newDatabase();
  t.after(() => database.drop());
  const there = new URL(database.url);
  there.port = String((way.address() as AddressInfo).port);
  there.password = '';
  await assert.rejects(openConnections(readPostgresAddress(there.href)), (error) => {
    assert.ok(error instanceof StoreUnavailableError && !isServerAway(error), String(error));
    assert.match(error.message, /it requires a password; put one .*PGPASSFILE/);
    return true;
  });
  // The server itself would wait for a minute.
  await until('the server to be left', () => open.size === 0, { withinMs: 20_000 });
});
