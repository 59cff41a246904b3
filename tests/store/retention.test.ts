// What has grown old goes, with all that belongs to it, and nothing else does.
import assert from 'node:assert/strict';
import { newId } from '#lib/id.ts';
import { idBytes, idText } from '#store/base/codec.ts';
import { test } from '../support/store/each-engine.ts';
import { insertRow, putAccount, putChannel, putDelivery, putIncident, putResult } from '../support/store/rows.ts';
import type { TempStore } from '../support/store/temp-store.ts';

const day = 86_400_000;

test('an old delivery goes with its attempts and what it sent; one that waits, a new one and a replay stay', async (newStore) => {
  await using temp = await newStore();
  const accountId = putAccount(temp.raw);
  putChannel(temp.raw, accountId, 1);
  const now = temp.clock.now();
  const old = putDelivery(temp.raw, accountId, now - 31 * day, { status: 'exhausted' });
  insertRow(temp.raw, 'attempts', {
    account_id: idBytes(accountId),
    delivery_id: idBytes(old),
    position: 1,
    number: 1,
    started_at: now - 31 * day,
    duration_ms: 12,
    exchange: '{"headers":[],"response":null}',
  });
  const waits = putDelivery(temp.raw, accountId, now - 31 * day, { status: 'pending' });
  const fresh = putDelivery(temp.raw, accountId, now - day, { status: 'delivered' });
  assert.equal(await temp.store.deliveries.replay(accountId, old, newId()), 'done');
  await sweepAll(temp, now - 30 * day);
  const left = await temp.store.deliveries.list(accountId, {}, { limit: 10, offset: 0 });
  assert.equal(left.total, 3);
  assert.equal(await temp.store.deliveries.find(accountId, old), null);
  for (const id of [waits, fresh]) assert.notEqual(await temp.store.deliveries.find(accountId, id), null);
  for (const { delivery } of left.rows) assert.equal(delivery.request?.body, '{"a":1}');
  const count = (table: string) => temp.raw.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.['n'];
  assert.deepEqual([count('deliveries'), count('delivery_requests'), count('attempts')], [3, 3, 0]);
});

test('old results go, of every check of every account, and newer ones stay', async (newStore) => {
  await using temp = await newStore();
  const now = temp.clock.now();
  const kept: string[] = [];
  for (let account = 0; account < 3; account++) {
    const accountId = putAccount(temp.raw);
    for (let check = 0; check < 30; check++) {
      const checkId = newId();
      for (const age of [40, 35, 31]) putResult(temp.raw, accountId, checkId, now - age * day);
      kept.push(putResult(temp.raw, accountId, checkId, now - day));
    }
  }
  await sweepAll(temp, now - 30 * day);
  const left = temp.raw.prepare('SELECT id FROM results').all();
  assert.deepEqual(new Set(left.map(({ id }) => idText(id as Uint8Array))), new Set(kept));
});

test('what was exchanged goes with its result, though all results of a check are old at once', async (newStore) => {
  await using temp = await newStore();
  const { raw } = temp;
  const accountId = putAccount(raw);
  const checkId = newId();
  const now = temp.clock.now();
  raw.exec('BEGIN');
  for (let n = 0; n < 900; n++) {
    const result = putResult(raw, accountId, checkId, now - 31 * day - n * 60_000);
    insertRow(raw, 'exchanges', {
      account_id: idBytes(accountId),
      check_id: idBytes(checkId),
      result_id: idBytes(result),
      exchange: '{"request":null,"response":null}',
    });
  }
  raw.exec('COMMIT');
  await sweepAll(temp, now - 30 * day);
  const count = (table: string) => raw.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.['n'];
  assert.deepEqual([count('results'), count('exchanges')], [0, 0]);
});

test('old deliveries go one slice after the other, however many checks and accounts there are', async (newStore) => {
  await using temp = await newStore();
  const { raw } = temp;
  const now = temp.clock.now();
  const old: string[] = [];
  raw.exec('BEGIN');
  for (let account = 0; account < 250; account++) {
    const accountId = putAccount(raw);
    if (account < 200) putResult(raw, accountId, newId(), now - day);
    if (account % 5 > 0) continue;
    putChannel(raw, accountId, 1);
    for (let n = 0; n < 12; n++) old.push(putDelivery(raw, accountId, now - 31 * day, { status: 'delivered' }));
  }
  raw.exec('COMMIT');
  assert.equal(old.length, 600);
  const slices = await sweepAll(temp, now - 30 * day);
  assert.equal(raw.prepare('SELECT count(*) AS n FROM deliveries').get()?.['n'], 0);
  // Ten or eleven of results, six or seven of deliveries, three of accounts, two of the rest. All checks again after each
  // slice of deliveries would be sixty and more.
  assert.ok(slices.length <= 25, `${slices.length} slices`);
  if (!temp.isShared) for (const removed of slices) assert.ok(removed <= 100, `${removed} deliveries in one slice`);
});

test('a slice looks at a few accounts, though nothing of them is old', async (newStore) => {
  await using temp = await newStore();
  temp.raw.exec('BEGIN');
  for (let account = 0; account < 450; account++) putAccount(temp.raw);
  temp.raw.exec('COMMIT');
  const slices = await sweepAll(temp, temp.clock.now() - 30 * day);
  assert.deepEqual([...new Set(slices)], [0]);
  // The server of PostgreSQL looks at all of them in one statement, which holds no loop of ours.
  assert.ok(temp.isShared ? slices.length === 1 : slices.length >= 450 / 100, `${slices.length} slices`);
});

test('where it goes slowly a slice takes fewer rows, and all of them go all the same', async (newStore) => {
  await using temp = await newStore();
  const { raw, clock } = temp;
  const now = clock.now();
  raw.exec('BEGIN');
  const accountId = putAccount(raw);
  putChannel(raw, accountId, 1);
  for (let check = 0; check < 30; check++) {
    const checkId = newId();
    for (let n = 0; n < 250; n++) putResult(raw, accountId, checkId, now - 31 * day - n * 60_000);
    putResult(raw, accountId, checkId, now - day);
  }
  for (let n = 0; n < 50; n++) putDelivery(raw, accountId, now - 31 * day, { status: 'delivered' });
  raw.exec('COMMIT');
  // A statement takes so long that a slice has time for one or two.
  temp.goSlowly(3);
  const slices = await sweepAll(temp, now - 30 * day);
  const count = (table: string) => raw.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.['n'];
  assert.deepEqual([count('results'), count('deliveries'), count('delivery_requests')], [30, 0, 0]);
  if (!temp.isShared) for (const removed of slices) assert.ok(removed <= 200, `${removed} rows in one slice`);
});

/** Answers how many rows went with each slice. */
async function sweepAll({ store, clock }: TempStore, before: number): Promise<number[]> {
  const slices: number[] = [];
  while (slices.length < 300) {
    const { removed, isThrough } = await store.retention.sweep(before, clock.now());
    slices.push(removed);
    if (isThrough) return slices;
  }
  throw new Error('the sweep does not end');
}

test('an old incident goes once it has ended; an open one stays, and one that ended lately', async (newStore) => {
  await using temp = await newStore();
  const accountId = putAccount(temp.raw);
  const now = temp.clock.now();
  const put = (endedAt: number | null): string =>
    putIncident(temp.raw, accountId, newId(), now - 40 * day, { endedAt });
  put(now - 31 * day);
  const left = [put(null), put(now - day)];
  await sweepAll(temp, now - 30 * day);
  const ids = temp.raw.prepare('SELECT id FROM incidents').all();
  assert.deepEqual(new Set(ids.map(({ id }) => idText(id as Uint8Array))), new Set(left));
});
