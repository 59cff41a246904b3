// What a status says of where a check stands, over HTTP on a real store.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextSlot } from '#domain/checks/schedule.ts';
import { idBytes } from '#store/base/codec.ts';
import { outcomeCodes, reasonCodes } from '#store/base/codes.ts';
import { countChange, putCheck } from '../support/store/rows.ts';
import { openServer } from './server-on-store.ts';

test('a status names its state, since when and why; a check that never ran is pending', async () => {
  await using on = await openServer();
  const get = (url: string) => on.server.inject({ url, headers: on.as() });
  const [accountId, now] = [on.accountId, on.clock.now()];
  const checkId = putCheck(on.raw, accountId, { name: 'shop' });
  const key = { account_id: idBytes(accountId), check_id: idBytes(checkId) };
  const read = async () => {
    const [listed] = (await get('/v1/check-statuses')).json<Record<string, unknown>[]>();
    assert.deepEqual((await get(`/v1/check-statuses/${checkId}`)).json(), listed);
    const { state, since, reason, nextRunAt, hasFailures, hasErrors } = listed ?? {};
    return { state, since, reason, nextRunAt, hasFailures, hasErrors };
  };
  const nextRunAt = new Date(nextSlot(now + 1, 60_000, 0)).toISOString();
  const pending = { state: 'pending', since: '1970-01-01T00:00:00.001Z', reason: null, nextRunAt };
  assert.deepEqual(await read(), { ...pending, hasFailures: false, hasErrors: false });
  on.raw
    .prepare(
      `INSERT INTO check_states (account_id, check_id, status, since, failed_in_a_row, degraded_in_a_row, last_outcome,
         last_reason, created_at, updated_at, revision) VALUES (?, ?, 'failing', ?, 1, 0, ?, ?, ?, ?, 1)`,
    )
    .run(key.account_id, key.check_id, 5000, outcomeCodes.encode('failed'), reasonCodes.encode('timeout'), now, now);
  const failing = { state: 'failing', since: '1970-01-01T00:00:05.000Z', reason: 'timeout', nextRunAt };
  assert.deepEqual(await read(), { ...failing, hasFailures: true, hasErrors: false });
  on.clock.advance(60_000);
  assert.equal((await read()).nextRunAt, new Date(Date.parse(nextRunAt) + 60_000).toISOString());
  on.raw.prepare('DELETE FROM schedules').run();
  countChange(on.raw, accountId);
  assert.deepEqual(await read(), {
    state: 'paused',
    since: null,
    reason: 'timeout',
    nextRunAt: null,
    hasFailures: true,
    hasErrors: false,
  });
});
