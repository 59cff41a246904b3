// Processes over PostgreSQL that send heartbeats at the same moment.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { idBytes } from '#store/base/codec.ts';
import { readPostgresAddress } from '#lib/net/postgres-address.ts';
import { connectAlone } from '#store/engines/postgres/connections.ts';
import { aSign } from '../support/store/records.ts';
import { sharedPostgres } from '../support/postgres/shared-postgres.ts';
import { openTempPostgres } from '../support/store/temp-store.ts';
import { until } from '../support/until.ts';

const server = await sharedPostgres();

it('processes that recover together send heartbeats without a deadlock', async () => {
  await using toEnd = new AsyncDisposableStack();
  const temp = toEnd.use(await openTempPostgres(server));
  const { processes } = temp.store;
  const [own, other] = [aSign(), aSign()];
  for (const one of [own, other]) await processes.sign(one);
  temp.clock.advance(11 * 60_000);
  // The other process is in the middle of its sign: it holds its own row, and goes on to what was silent for long.
  const session = await connectAlone(readPostgresAddress(temp.url), () => {});
  toEnd.defer(() => session.end());
  await session.query('BEGIN');
  await session.query('UPDATE processes SET seen_at = $1 WHERE id = $2', [temp.clock.now(), idBytes(other.id)]);
  const signing = processes.sign(own);
  const waits = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  await until('the sign to wait for the row', () => temp.raw.prepare(waits).all().length === 1);
  // One that waits for another's row holds none of its own.
  await session.query('SELECT 1 FROM processes WHERE id = $1 FOR UPDATE NOWAIT', [idBytes(own.id)]);
  await session.query('DELETE FROM processes WHERE seen_at < $1', [temp.clock.now() - 10 * 60_000]);
  await session.query('COMMIT');
  await signing;
  const [one, two] = await processes.list();
  assert.deepEqual(new Set([one?.id, two?.id]), new Set([own.id, other.id]));
});
