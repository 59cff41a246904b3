// Wake-ups between the processes of one PostgreSQL: told to the others, gathered, and listened for again after a loss.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readPostgresAddress } from '#lib/net/postgres-address.ts';
import { openPostgresStore } from '#store/postgres-store.ts';
import type { Store } from '#store/store.ts';
import { sharedPostgres } from '../support/postgres/shared-postgres.ts';
import { until } from '../support/until.ts';

const server = await sharedPostgres();

const secretKey = new Uint8Array(32).fill(7);

interface Listening extends AsyncDisposable {
  readonly store: Store;
  readonly received: (string | null)[];
  readonly states: string[];
}

async function open(url: string): Promise<Listening> {
  const [received, states]: [(string | null)[], string[]] = [[], []];
  const store = await openPostgresStore({
    address: readPostgresAddress(url),
    secretKey,
    clock: { now: () => Date.now() },
    onListening: (state) => void states.push(state),
  });
  store.wakes.listen((name) => void received.push(name));
  await until('it to listen', () => states.length > 0);
  return { store, received, states, [Symbol.asyncDispose]: () => store.close() };
}

it('a wake-up reaches the others and not its sender, and many of one name are few', async () => {
  const { url } = await server.newDatabase();
  await using one = await open(url);
  await using two = await open(url);
  await using other = await open((await server.newDatabase()).url);
  for (let n = 0; n < 500; n++) one.store.wakes.send('run-checks');
  one.store.wakes.send('send-deliveries');
  await until('both names', () => two.received.includes('run-checks') && two.received.includes('send-deliveries'));
  two.store.wakes.send('results');
  await until('the answer', () => one.received.includes('results'));
  assert.deepEqual(one.received, [null, 'results'], 'null: what was before it listened is not known');
  assert.ok(two.received.length < 10, `${two.received.length} wake-ups`);
  assert.deepEqual(other.received, [null], 'another database is another installation');
});

it('listening is taken up again when its connection is lost, and everything is looked at once', async () => {
  const { url, name } = await server.newDatabase();
  await using one = await open(url);
  await using two = await open(url);
  await server.admin(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}' AND query LIKE 'LISTEN%'`,
  );
  await until('both to listen again', () => one.states.length >= 3 && two.states.length >= 3);
  assert.deepEqual(one.states, ['listening', 'polling', 'listening']);
  assert.deepEqual(one.received, [null, null]);
  two.store.wakes.send('run-checks');
  await until('a wake-up', () => one.received.includes('run-checks'));
});
