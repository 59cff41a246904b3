// Changes in an account since the last read, by any process.
import assert from 'node:assert/strict';
import { idBytes } from '#store/base/codec.ts';
import { test } from '../support/store/each-engine.ts';
import {
  countChange,
  insertRow,
  putAccount,
  putAlert,
  putChannel,
  putCheck,
  putDelivery,
} from '../support/store/rows.ts';

const nothing = { states: [], results: [], deliveries: false, alerts: false, checks: false, notices: false };

test('each look names what was committed since the last one, of its account alone', async (newStore) => {
  await using temp = await newStore();
  const { raw, store, clock } = temp;
  const [accountId, foreign] = [putAccount(raw), putAccount(raw)];
  const putState = (of: string, checkId: string): void =>
    insertRow(raw, 'check_states', {
      account_id: idBytes(of),
      check_id: idBytes(checkId),
      status: 'passing',
      since: 1,
      failed_in_a_row: 0,
      degraded_in_a_row: 0,
      created_at: 1,
      updated_at: 1,
      revision: 1,
    });
  const [checkId, other] = [putCheck(raw, accountId), putCheck(raw, accountId)];
  putState(accountId, checkId);
  const changes = store.accountChanges.open(accountId);
  const next = () => changes.next();
  assert.deepEqual([await next(), await next()], [nothing, nothing], 'the first look is what others are compared with');
  const update = (set: string, id: string): void =>
    void raw
      .prepare(`UPDATE check_states SET revision = revision + 1 ${set} WHERE account_id = ? AND check_id = ?`)
      .run(idBytes(accountId), idBytes(id));
  update('', checkId);
  assert.deepEqual(await next(), { ...nothing, results: [checkId] });
  update(`, status = 'failing', since = 5`, checkId);
  assert.deepEqual(await next(), { ...nothing, states: [checkId], results: [checkId] });
  putState(accountId, other);
  assert.deepEqual(await next(), { ...nothing, states: [other], results: [other] });
  putAlert(raw, accountId, checkId, clock.now());
  assert.deepEqual(await next(), { ...nothing, alerts: true });
  const delivery = putDelivery(raw, accountId, clock.now());
  assert.deepEqual(await next(), { ...nothing, deliveries: true });
  raw.prepare('UPDATE deliveries SET next_attempt_at = next_attempt_at + 1 WHERE id = ?').run(idBytes(delivery));
  assert.deepEqual(await next(), { ...nothing, deliveries: true });
  raw.prepare('UPDATE deliveries SET status = 1, next_attempt_at = NULL WHERE id = ?').run(idBytes(delivery));
  assert.deepEqual(await next(), { ...nothing, deliveries: true });
  putChannel(raw, accountId, 1, clock.now());
  assert.deepEqual(await next(), { ...nothing, notices: true });
  raw.prepare('DELETE FROM check_states WHERE check_id = ?').run(idBytes(other));
  countChange(raw, accountId);
  assert.deepEqual(await next(), { ...nothing, checks: true, notices: true });
  const foreignCheck = putCheck(raw, foreign);
  putState(foreign, foreignCheck);
  putAlert(raw, foreign, foreignCheck, clock.now());
  putDelivery(raw, foreign, clock.now());
  putChannel(raw, foreign, 1, clock.now());
  countChange(raw, foreign);
  assert.deepEqual(await next(), nothing);
});
