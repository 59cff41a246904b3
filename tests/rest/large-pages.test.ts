// Pages of megabytes give other requests their turn of the event loop.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { idBytes, json } from '#store/base/codec.ts';
import { insertRow, putCheck, putResult } from '../support/rows.ts';
import { openServer } from './server-on-store.ts';

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
  let turns = 0;
  const look = () => {
    turns++;
    next = setImmediate(look);
  };
  let next = setImmediate(look);
  const page = await on.server.inject({ url: `/v1/check-results/${checkId}?limit=100`, headers: on.as() });
  clearImmediate(next);
  assert.deepEqual([page.statusCode, Number(page.headers['content-length'])], [200, Buffer.byteLength(page.body)]);
  assert.ok(page.body.length > 10_000_000);
  // About 40 each for what is parsed and for what is written.
  assert.ok(turns > 60, `${turns} turns`);
});
