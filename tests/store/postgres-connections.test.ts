// How many connections a process opens: as few as do, and one more where somebody would wait.
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { readPostgresAddress } from '#store/postgres/address.ts';
import { type Connections, connectionsMost, openConnections } from '#store/postgres/connections.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';

const server = await sharedPostgres();

async function open(t: TestContext): Promise<Connections> {
  const database = await server.newDatabase();
  const connections = await openConnections(readPostgresAddress(database.socketUrl));
  t.after(async () => {
    await connections.close();
    await database.drop();
  });
  return connections;
}

/** Which of the server's processes each of so many statements at once was answered by. */
async function answeredBy(connections: Connections, statements: number, sql: string): Promise<unknown[]> {
  const asked = Array.from({ length: statements }, () => connections.statement<{ pid: unknown }>(sql));
  return (await Promise.all(asked)).map(([row]) => row?.pid);
}

it('many short statements at once share what is there', async (t) => {
  const counts: number[] = [];
  // On a machine that is held up at that moment short ones are not short.
  while (counts.length < 10 && !counts.some((count) => count <= 3)) {
    const by = await answeredBy(await open(t), 4 * connectionsMost, 'SELECT pg_backend_pid() AS pid');
    counts.push(new Set(by).size);
  }
  assert.ok(
    counts.some((count) => count <= 3),
    `connections of ten times: ${counts}`,
  );
});

it('nobody waits behind long ones while another may be opened', async (t) => {
  const connections = await open(t);
  const long = 'SELECT pg_backend_pid() AS pid FROM pg_sleep(1.5)';
  const by = await answeredBy(connections, connectionsMost, long);
  assert.equal(new Set(by).size, connectionsMost);
});

it('beyond the last one is waited for in turn', async (t) => {
  const connections = await open(t);
  const long = 'SELECT pg_backend_pid() AS pid FROM pg_sleep(0.2)';
  const by = await answeredBy(connections, 3 * connectionsMost, long);
  assert.equal(by.length, 3 * connectionsMost);
  assert.ok(new Set(by).size <= connectionsMost);
});

it('a transaction that needs a second connection gets it', async (t) => {
  const connections = await open(t);
  const all = Array.from({ length: connectionsMost - 1 }, () =>
    connections.transaction(async (session) => {
      await session.query('SELECT pg_sleep(0.05)');
      const [row] = await connections.statement<{ one: number }>('SELECT 1 AS one');
      return row?.one;
    }),
  );
  assert.deepEqual(await Promise.all(all), Array(connectionsMost - 1).fill(1));
});

it('who waits while the server ends everything is told, and the next one is served', async (t) => {
  const database = await server.newDatabase();
  const connections = await openConnections(readPostgresAddress(database.socketUrl));
  t.after(async () => {
    await connections.close();
    await database.drop();
  });
  const outcomes = Promise.allSettled(Array.from({ length: 4 }, () => connections.statement('SELECT pg_sleep(20)')));
  await t.waitFor(async () => {
    const [row] = await server.admin(
      `SELECT count(*)::int AS running FROM pg_stat_activity WHERE datname = '${database.name}' AND query LIKE '%pg_sleep%'`,
    );
    assert.equal(row?.['running'], 4);
  });
  await server.admin(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database.name}'`);
  assert.deepEqual(
    (await outcomes).map(({ status }) => status),
    Array(4).fill('rejected'),
  );
  assert.deepEqual(await connections.statement('SELECT 1 AS one'), [{ one: 1 }]);
});
