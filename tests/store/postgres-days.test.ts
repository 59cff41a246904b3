// Days of results come and go while somebody reads for long: nobody else waits for that.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Client } from 'pg';
import { StoreUnavailableError } from '#store/unavailable.ts';
import { putAccount, putChannel, putDelivery } from '../support/rows.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';
import { openTempPostgres } from '../support/temp-store.ts';

const server = await sharedPostgres();

const dayMs = 86_400_000;
/** A try waits for 50 ms at most; the rest is for a machine that is busy. */
const heldMostMs = 400;

async function connected(url: string): Promise<Client> {
  const client = new Client(url);
  await client.connect();
  return client;
}

/** Somebody who has read results and does not end. */
async function longReader(url: string): Promise<{ end: () => Promise<void> }> {
  const client = await connected(url);
  await client.query('BEGIN');
  await client.query('SELECT count(*) FROM results');
  return {
    async end() {
      await client.query('COMMIT');
      await client.end();
    },
  };
}

/** Reads again and again until `work` has ended; answers with the longest that a read took, ms. */
async function longestReadDuring(url: string, work: Promise<unknown>): Promise<number> {
  const client = await connected(url);
  const over = new AbortController();
  void work.catch(() => undefined).then(() => over.abort());
  let longest = 0;
  while (!over.signal.aborted) {
    const startedAt = performance.now();
    await client.query('SELECT id FROM results LIMIT 1');
    longest = Math.max(longest, performance.now() - startedAt);
  }
  await client.end();
  return longest;
}

it('a day goes though somebody reads for long: others are not held up, the rest goes at once, the day when he has ended', async () => {
  await using temp = await openTempPostgres(server);
  const { store, raw, url } = temp;
  const now = temp.clock.now();
  const accountId = putAccount(raw);
  putChannel(raw, accountId, 1);
  putDelivery(raw, accountId, now - dayMs, { status: 'delivered' });
  const reader = await longReader(url);
  const sweep = store.retention.sweep(now, now);
  const longest = await longestReadDuring(url, sweep);
  await assert.rejects(sweep, StoreUnavailableError);
  assert.ok(longest < heldMostMs, `a read took ${longest} ms`);
  assert.deepEqual(raw.prepare('SELECT id FROM deliveries').all(), []);
  const again = store.retention.sweep(now, now);
  await reader.end();
  assert.deepEqual(await again, { removed: 5, isThrough: true });
});

it('a day is made though somebody reads for long, and others are not held up', async () => {
  await using temp = await openTempPostgres(server);
  const { store, raw, url } = temp;
  const now = temp.clock.now();
  const days = () =>
    raw.prepare(`SELECT relname FROM pg_class WHERE relname LIKE 'results_2%' AND relkind = 'r'`).all();
  const before = days().length;
  const reader = await longReader(url);
  const sweep = store.retention.sweep(now - 30 * dayMs, now + dayMs);
  setTimeout(() => void reader.end(), 1000);
  const longest = await longestReadDuring(url, sweep);
  await sweep;
  assert.ok(longest < heldMostMs, `a read took ${longest} ms`);
  assert.equal(days().length, before + 1);
});
