// Days of results come and go while somebody reads for long: nobody else waits for that.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Client } from 'pg';
import { StoreUnavailableError } from '#store/base/unavailable.ts';
import { putAccount, putChannel, putDelivery } from '../support/store/rows.ts';
import { sharedPostgres } from '../support/postgres/shared-postgres.ts';
import { openTempPostgres } from '../support/store/temp-store.ts';

const server = await sharedPostgres();

const dayMs = 86_400_000;
/**
 * A try waits for 50 ms at most; the rest is for a machine that is busy. The database says who waited for longer: what a clock of this
 * process shows is also how long the process had no turn.
 */
const maxHeldMs = 1000;

async function connected(url: string): Promise<Client> {
  const client = new Client(url);
  await client.connect();
  return client;
}

/** Somebody who has read results and does not end before he is disposed of. */
async function longReader(url: string): Promise<AsyncDisposableStack> {
  const reader = new AsyncDisposableStack();
  const client = await connected(url);
  reader.defer(() => client.end());
  await client.query('BEGIN');
  await client.query('SELECT count(*) FROM results');
  return reader;
}

/** Reads again and again until `work` has ended. Rejects when a read waits too long for somebody who holds the table, or is next to. */
async function readDuring(url: string, work: Promise<unknown>): Promise<void> {
  const client = await connected(url);
  try {
    await client.query(`SET lock_timeout = ${maxHeldMs}`);
    const over = new AbortController();
    void work.catch(() => undefined).then(() => over.abort());
    while (!over.signal.aborted) await client.query('SELECT id FROM results LIMIT 1');
  } finally {
    await client.end();
  }
}

it('a day goes though somebody reads for long: others are not held up, the rest goes at once, the day when he has ended', async () => {
  await using temp = await openTempPostgres(server);
  const { store, raw, url } = temp;
  const now = temp.clock.now();
  const accountId = putAccount(raw);
  putChannel(raw, accountId, 1);
  putDelivery(raw, accountId, now - dayMs, { status: 'delivered' });
  await using reader = await longReader(url);
  const sweep = store.retention.sweep(now, now);
  await readDuring(url, sweep);
  await assert.rejects(sweep, StoreUnavailableError);
  assert.deepEqual(raw.prepare('SELECT id FROM deliveries').all(), []);
  const again = store.retention.sweep(now, now);
  await reader.disposeAsync();
  assert.deepEqual(await again, { removed: 5, isThrough: true });
});

it('a day is made though somebody reads for long, and others are not held up', async () => {
  await using temp = await openTempPostgres(server);
  const { store, raw, url } = temp;
  const now = temp.clock.now();
  const days = () =>
    raw.prepare(`SELECT relname FROM pg_class WHERE relname LIKE 'results_2%' AND relkind = 'r'`).all();
  const before = days().length;
  await using reader = await longReader(url);
  const sweep = store.retention.sweep(now - 30 * dayMs, now + dayMs);
  setTimeout(() => void reader.disposeAsync(), 1000);
  await readDuring(url, sweep);
  await sweep;
  assert.equal(days().length, before + 1);
});
