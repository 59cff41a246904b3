// Pages of megabytes give other requests their turn of the event loop.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { idBytes, json } from '#store/base/codec.ts';
import { insertRow, putChannel, putCheck, putDelivery, putResult } from '../support/store/rows.ts';
import { openServer, type ServerOnStore } from './server-on-store.ts';

/** Reads a page, and counts the turns that the event loop takes meanwhile. */
async function readCounting(on: ServerOnStore, url: string) {
  let ticks = 0;
  const inspect = () => {
    ticks++;
    next = setImmediate(inspect);
  };
  let next = setImmediate(inspect);
  const page = await on.server.inject({ url, headers: on.as() });
  clearImmediate(next);
  return { page, ticks };
}

test('a page of ten megabytes lets other requests have their turn', async () => {
  await using on = await openServer();
  const checkId = putCheck(on.raw, on.accountId, { checkType: 'TCP' });
  const request = { hostname: 'shop.example', port: 1, data: '' };
  const response = { data: 'x'.repeat(100_000), bytes: 100_000, truncated: false };
  on.raw.exec('BEGIN');
  for (let index = 0; index < 100; index++) {
    const resultId = putResult(on.raw, on.accountId, checkId, on.clock.now() - index * 10_000, {
      outcome: 'failed',
      details: { u: 1 },
    });
    insertRow(on.raw, 'exchanges', {
      account_id: idBytes(on.accountId),
      check_id: idBytes(checkId),
      result_id: idBytes(resultId),
      exchange: json({ request, response }),
    });
  }
  on.raw.exec('COMMIT');
  const { page, ticks } = await readCounting(on, `/v1/check-results/${checkId}?limit=100`);
  assert.deepEqual([page.statusCode, Number(page.headers['content-length'])], [200, Buffer.byteLength(page.body)]);
  assert.ok(page.body.length > 10_000_000);
  // About 40 each for what is parsed and for what is written.
  assert.ok(ticks > 60, `${ticks} turns`);
});

test('large deliveries are masked one in each turn', async () => {
  await using on = await openServer();
  putChannel(on.raw, on.accountId, 1);
  const request = { method: 'POST', url: 'http://127.0.0.1:9/', headers: [], body: 'x'.repeat(100_000) };
  on.raw.exec('BEGIN');
  for (let index = 0; index < 50; index++) putDelivery(on.raw, on.accountId, on.clock.now() - index, { request });
  on.raw.exec('COMMIT');
  for (const path of ['deliveries', 'alert-notifications']) {
    const { page, ticks } = await readCounting(on, `/v1/${path}?limit=100`);
    assert.deepEqual([page.statusCode, page.json<object[]>().length], [200, 50]);
    assert.ok(ticks >= 50, `${ticks} turns for ${path}`);
  }
});
