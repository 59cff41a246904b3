// How many connections a process opens: as few as do, and one more where somebody would wait.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { it, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { readPostgresAddress } from '#lib/net/postgres-address.ts';
import { type Connections, connectionsMost, openConnections } from '#store/engines/postgres/connections.ts';
import { isServerAway, StoreUnavailableError } from '#store/base/unavailable.ts';
import type { PostgresDatabase } from '../support/postgres.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';
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

/** By how many processes of the server so many statements at once were answered. */
async function countAnswering(connections: Connections, statements: number): Promise<number> {
  const asked = Array.from({ length: statements }, () => connections.statement<{ pid: number }>(askPid));
  return new Set((await Promise.all(asked)).map(([row]) => row?.pid)).size;
}

/** Looks again where a machine that was held up at that moment made short statements long. */
async function assertOnce(what: string, most: number, count: () => Promise<number>): Promise<void> {
  const counts: number[] = [];
  while (counts.length < 10 && !counts.some((one) => one <= most)) counts.push(await count());
  assert.ok(
    counts.some((one) => one <= most),
    `${what}: at most ${most} of ${counts.join(', ')}`,
  );
}

async function endAll({ name }: PostgresDatabase): Promise<void> {
  await server.admin(`SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '${name}'`);
}

/** Two at once share a first connection, and one alone does not wait: as many are counted as are taken. */
async function assertCountsRight(database: PostgresDatabase, connections: Connections): Promise<void> {
  await assertOnce('connections for two statements', 1, async () => {
    await endAll(database);
    await until('the pool to have noticed', () =>
      connections
        .statement('SELECT 1')
        .then(() => true)
        .catch(() => false),
    );
    return countAnswering(connections, 2);
  });
  // Less than anybody waits before another is opened.
  await assertOnce('ms for a statement where one is free', 9, async () => {
    const startedAt = performance.now();
    await connections.statement(askPid);
    return performance.now() - startedAt;
  });
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

it('many short statements at once share what is there', (t) =>
  assertOnce('connections for eight statements', 3, async () =>
    countAnswering((await open(t)).connections, connectionsMost),
  ));

it('nobody waits behind long work while another connection may be opened', async (t) => {
  const { connections } = await open(t);
  await (
    await takeAll(connections, connectionsMost)
  )();
});

it('where all are taken it goes by who came first', async (t) => {
  const { connections } = await open(t);
  const giveBack = await takeAll(connections, connectionsMost);
  const order: number[] = [];
  const all = Array.from({ length: 2 * connectionsMost }, (_, place) =>
    connections.transaction(async () => void order.push(place)),
  );
  await giveBack();
  await Promise.all(all);
  assert.deepEqual(order, [...all.keys()]);
});

it('a transaction that needs a second connection gets it', { timeout: 60_000 }, async (t) => {
  const { connections } = await open(t);
  const all = Array.from({ length: connectionsMost - 1 }, () =>
    connections.transaction(async (session) => {
      await session.query(askPid);
      return countAnswering(connections, 1);
    }),
  );
  assert.deepEqual(await Promise.all(all), Array(connectionsMost - 1).fill(1));
});

it('who works and who waits while the server ends everything is told, and all is counted as it is', async (t) => {
  const { database, connections } = await open(t);
  const working = Array.from({ length: 4 }, () => connections.statement('SELECT pg_sleep(60)'));
  const outcomes = Promise.allSettled(working);
  await until('four to work', async () => {
    const [row] = await server.admin(
      `SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = '${database.name}' AND query LIKE '%pg_sleep(60)%'`,
    );
    return row?.['n'] === 4;
  });
  const waiting = Promise.allSettled(Array.from({ length: 3 }, () => connections.statement('SELECT 1')));
  await endAll(database);
  assert.deepEqual(
    (await outcomes).map(({ status }) => status),
    Array(4).fill('rejected'),
  );
  await waiting;
  await assertCountsRight(database, connections);
});

it('one that is connected when its taker has given up is counted once', async (t) => {
  // From the moment it is said on, what is new on this way is held up.
  let heldMs = 0;
  const way = createServer((near) => {
    void pause(heldMs).then(() => {
      const far = connect(server.port, '127.0.0.1');
      near.pipe(far).pipe(near);
      near.on('error', () => far.destroy()).on('close', () => far.destroy());
      far.on('error', () => near.destroy()).on('close', () => near.destroy());
    });
  }).listen(0, '127.0.0.1');
  await once(way, 'listening');
  t.after(() => way.close());
  const { database, connections } = await open(t, ({ url }) => {
    const there = new URL(url);
    there.port = String((way.address() as AddressInfo).port);
    return there.href;
  });
  const giveBack = await takeAll(connections, connectionsMost);
  const late = connections.statement(askPid).catch((error: unknown) => error);
  // It waits for five seconds: after four a place becomes free, and three more pass until that is a connection.
  await pause(4000);
  heldMs = 3000;
  await endAll(database);
  await giveBack();
  assert.match(String(await late), /timeout/);
  await pause(3500);
  heldMs = 0;
  await assertCountsRight(database, connections);
});

it('who has no password for a server that asks for one is told so, and holds no place there', async (t) => {
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
    assert.match(error.message, /asks for a password, and there is none: .*PGPASSFILE/);
    return true;
  });
  // The server itself would wait for a minute.
  await until('the server to be left', () => open.size === 0, { withinMs: 20_000 });
});
