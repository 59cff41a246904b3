// The way to the database that chaos harms: what a lost answer to a commit is.
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { readPostgresAddress } from '#lib/net/postgres-address.ts';
import { type Connections, openConnections } from '#store/engines/postgres/connections.ts';
import { StoreUnavailableError } from '#store/base/unavailable.ts';
import { judgeDrops } from '../bench/chaos/faults.ts';
import { type Peer, startPeer } from '../bench/support/peer.ts';
import { sharedPostgres } from './support/postgres/shared-postgres.ts';

const server = await sharedPostgres();

interface Fixture {
  readonly proxy: Peer;
  readonly connections: Connections;
  /** What is in the table. */
  readonly kept: () => Promise<number[]>;
}

/** A table, a proxy, and connections to the table through it. */
async function openFixture(t: TestContext): Promise<Fixture> {
  const { url } = await server.newDatabase();
  const direct = await openConnections(readPostgresAddress(url));
  await direct.statement('CREATE TABLE kept (value BIGINT NOT NULL)');
  const proxy = startPeer('chaos-proxy');
  const way = new URL(url);
  way.port = String(await proxy.ask<number>('open', { name: 'one', port: server.port }));
  const connections = await openConnections(readPostgresAddress(way.href));
  t.after(async () => {
    await connections.close();
    await direct.close();
    await proxy.stop();
  });
  const kept = async (): Promise<number[]> =>
    (await direct.statement<{ value: number }>('SELECT value FROM kept ORDER BY value')).map(({ value }) => value);
  return { proxy, connections, kept };
}

/** Everything travels together; the server answers to the begin long before it commits. */
function insert(connections: Connections, value: number | null): Promise<void> {
  return connections.transaction(async (session) => {
    session.send('SELECT pg_sleep(0.3)');
    session.send('INSERT INTO kept VALUES ($1)', [value]);
    session.commit();
    await Promise.resolve();
  });
}

it('a commit whose answer is lost is made, though what came before it travelled with it', async (t) => {
  const { proxy, connections, kept } = await openFixture(t);
  await proxy.ask('drop', { names: ['one'], commits: 2 });
  await assert.rejects(insert(connections, 1), StoreUnavailableError);
  assert.deepEqual(await kept(), [1]);
  await assert.rejects(insert(connections, 2), StoreUnavailableError);
  assert.deepEqual(await kept(), [1, 2]);
  await insert(connections, 3);
  assert.equal(await proxy.ask('stopDropping'), 2);
});

it('a transaction that fails by itself is no commit: its process hears why, and the next loses its answer', async (t) => {
  const { proxy, connections, kept } = await openFixture(t);
  await proxy.ask('drop', { names: ['one'], commits: 1 });
  await assert.rejects(insert(connections, null), /null value/);
  await assert.rejects(insert(connections, 4), StoreUnavailableError);
  assert.deepEqual(await kept(), [4]);
  await proxy.ask('drop', { names: ['one'], commits: 1 });
  assert.equal(await proxy.ask('stopDropping'), 1);
  await insert(connections, 5);
  assert.deepEqual(await kept(), [4, 5]);
});

it('a run in which answers were to be lost and none was has failed', () => {
  const drop = { kind: 'drop', what: 'all', from: 0, to: 0 } as const;
  assert.equal(judgeDrops([drop], 0).violations.length, 1);
  assert.deepEqual(judgeDrops([drop], 3).violations, []);
  assert.deepEqual(judgeDrops([{ ...drop, kind: 'cut' }], 0).violations, []);
});
