// Over PostgreSQL what is asked for at once leaves in one piece, the end of a transaction too (docs/decisions/0032).
import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { it, type TestContext } from 'node:test';
import { readPostgresAddress } from '#lib/net/postgres-address.ts';
import { openConnections } from '#store/engines/postgres/connections.ts';
import { sharedPostgres } from '../support/postgres/shared-postgres.ts';
import { openTempPostgres } from '../support/store/temp-store.ts';
import { PathUnderTest } from './path-under-test.ts';

const server = await sharedPostgres();

/** By TCP, or by the server's socket, which has no port. */
function leadsToServer(socket: Socket): boolean {
  const isOwnOutput = [process.stdout, process.stderr].some((stream: unknown) => stream === socket);
  return !isOwnOutput && (socket.remotePort === undefined || socket.remotePort === server.port);
}

/** How often this process writes to the server during some work: each time it waited for an answer, or might have. */
async function writesDuring(t: TestContext, work: () => Promise<unknown>): Promise<number> {
  const sockets = Socket.prototype as Required<Socket>;
  const methods = [t.mock.method(sockets, '_write'), t.mock.method(sockets, '_writev')];
  await work();
  return methods.reduce((sum, { mock }) => {
    mock.restore();
    return sum + mock.calls.filter((call) => leadsToServer(call.this as Socket)).length;
  }, 0);
}

it('a claim of runs whose checks are known goes to the server and back once, and sees what changed before it', async (t) => {
  const temp = await openTempPostgres(server);
  await using test = await PathUnderTest.open(() => Promise.resolve(temp));
  const id = await test.check();
  /** Claims the run of the next slot. */
  const claimNext = async () => {
    test.temp.clock.advance(10_000);
    test.temp.raw.prepare('UPDATE schedules SET next_due_at = ?').run(test.now);
    assert.equal((await test.schedule()).runs, 1);
    let claimed: Awaited<ReturnType<PathUnderTest['claim']>> = [];
    const writes = await writesDuring(t, async () => (claimed = await test.claim()));
    await test.record(claimed.map((each) => test.ended(each, 'passed')));
    return { writes, names: claimed.map(({ context }) => context?.check.name) };
  };
  const { names } = await claimNext();
  assert.equal(names.length, 1);
  assert.deepEqual(await claimNext(), { writes: 1, names });
  await test.edit(id, { name: 'renamed' });
  assert.deepEqual((await claimNext()).names, ['renamed']);
  assert.deepEqual(await claimNext(), { writes: 1, names: ['renamed'] });
});

it('nothing of a transaction is kept when a statement fails, though its end travelled with it', async (t) => {
  const connections = await openConnections(readPostgresAddress((await server.newDatabase()).url));
  t.after(() => connections.close());
  await connections.statement('CREATE TABLE kept (value BIGINT NOT NULL)');
  const insert = (...values: (number | null)[]): Promise<unknown> =>
    connections.transaction(async (session) => {
      for (const value of values.slice(0, -1)) session.send('INSERT INTO kept VALUES ($1)', [value]);
      const last = session.query('INSERT INTO kept VALUES ($1)', [values.at(-1)]);
      session.commit();
      await last;
    });
  await assert.rejects(insert(1, null), /null value/);
  await assert.rejects(insert(null, 2), /null value/);
  const writes = await writesDuring(t, () => insert(3, 4));
  assert.equal(writes, 1);
  const rows = await connections.statement<{ value: number }>('SELECT value FROM kept ORDER BY value');
  assert.deepEqual(rows, [{ value: 3 }, { value: 4 }]);
});

it('a transaction is rolled back if a statement fails before it is sent, awaited or not', async (t) => {
  const connections = await openConnections(readPostgresAddress((await server.newDatabase()).url));
  t.after(() => connections.close());
  await connections.statement('CREATE TABLE kept (value BIGINT NOT NULL)');
  const toJSON = (): never => assert.fail('objects are not values');
  for (const value of [[{}], { toJSON }]) {
    const sent = connections.transaction(async (session) => {
      session.send('INSERT INTO kept VALUES (1)');
      session.send('INSERT INTO kept SELECT unnest($1::bigint[])', [value]);
      const last = session.query('INSERT INTO kept VALUES (2)');
      session.commit();
      await last;
    });
    await assert.rejects(sent, TypeError);
    const unconfirmed = connections.transaction(async (session) => {
      session.send('INSERT INTO kept VALUES (3)');
      session.query('INSERT INTO kept SELECT unnest($1::bigint[])', [value]).catch(() => undefined);
      await session.query('SELECT 1');
    });
    await assert.rejects(unconfirmed, TypeError);
  }
  const rows = await connections.statement<{ value: number }>('SELECT value FROM kept ORDER BY value');
  assert.deepEqual(rows, []);
});
