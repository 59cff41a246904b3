// The list of statuses is never older than what is committed, whoever wrote it; what did not change is not made again.
import assert from 'node:assert/strict';
import { newId } from '#lib/id.ts';
import { idBytes } from '#store/codec.ts';
import { outcomeCodes } from '#store/codes.ts';
import { test } from '../support/each-engine.ts';
import type { Cell } from '../support/raw-rows.ts';
import { insertRow, putAccount, putCheck } from '../support/rows.ts';
import type { TempStore } from '../support/temp-store.ts';

function putState({ raw }: TempStore, accountId: string, checkId: string): void {
  insertRow(raw, 'check_states', {
    account_id: idBytes(accountId),
    check_id: idBytes(checkId),
    status: 'passing',
    failed_in_a_row: 0,
    degraded_in_a_row: 0,
    last_result_id: idBytes(newId()),
    last_outcome: outcomeCodes.encode('passed'),
    last_location: 'local',
    longest_response_us: 2000,
    shortest_response_us: 1500,
    created_at: 6000,
    updated_at: 7000,
  });
}

test('a status shows every change at once, even one that leaves all instants as they were', async (newStore) => {
  await using temp = await newStore();
  const accountId = putAccount(temp.raw);
  const [changed, other] = [putCheck(temp.raw, accountId), putCheck(temp.raw, accountId)];
  for (const checkId of [changed, other]) putState(temp, accountId, checkId);
  const { checkStatuses } = temp.store;
  const read = async (checkId: string) =>
    (await checkStatuses.list(accountId)).find((status) => status.checkId === checkId);
  const unchanged = await read(other);
  const resultId = newId();
  const states: readonly (readonly [column: string, value: Cell, shown: string, as: unknown])[] = [
    ['status', 'failing', 'status', 'failing'],
    ['last_outcome', outcomeCodes.encode('failed'), 'lastOutcome', 'failed'],
    ['last_location', 'eu', 'lastLocation', 'eu'],
    ['last_result_id', idBytes(resultId), 'lastResultId', resultId],
    ['last_result_id', null, 'lastResultId', null],
    ['longest_response_us', 9_000_500, 'longestMs', 9000.5],
    ['shortest_response_us', 1, 'shortestMs', 0.001],
    ['certificate_valid_to', 1_800_000_000_000, 'certificateValidTo', 1_800_000_000_000],
    ['updated_at', 8000, 'updatedAt', 8000],
  ];
  for (const [column, value, shown, as] of states) {
    temp.raw
      .prepare(`UPDATE check_states SET ${column} = ? WHERE account_id = ? AND check_id = ?`)
      .run(value, idBytes(accountId), idBytes(changed));
    const status = await read(changed);
    assert.deepEqual({ ...status }[shown as 'status'], as, column);
    assert.deepEqual(await checkStatuses.find(accountId, changed), status);
  }
  const name = 'Größe "✓"\n\\ 😀 \u0001';
  temp.raw
    .prepare('UPDATE checks SET name = ? WHERE account_id = ? AND id = ?')
    .run(name, idBytes(accountId), idBytes(changed));
  assert.equal((await read(changed))?.name, name);
  assert.equal(await read(other), unchanged);
});

test('checks that come and go, come and go in the list of statuses of their account alone', async (newStore) => {
  await using temp = await newStore();
  const accountId = putAccount(temp.raw);
  const foreign = putAccount(temp.raw);
  const oldest = putCheck(temp.raw, accountId, { createdAt: 1 });
  const newest = putCheck(temp.raw, accountId, { createdAt: 3 });
  const elsewhere = putCheck(temp.raw, foreign);
  const ids = async (of: string) => (await temp.store.checkStatuses.list(of)).map(({ checkId }) => checkId);
  assert.deepEqual([await ids(accountId), await ids(foreign)], [[oldest, newest], [elsewhere]]);
  const between = putCheck(temp.raw, accountId, { createdAt: 2 });
  assert.deepEqual(await ids(accountId), [oldest, between, newest]);
  temp.raw.prepare('DELETE FROM checks WHERE account_id = ? AND id = ?').run(idBytes(accountId), idBytes(oldest));
  assert.deepEqual([await ids(accountId), await ids(foreign)], [[between, newest], [elsewhere]]);
  temp.raw.prepare('DELETE FROM checks WHERE account_id = ?').run(idBytes(accountId));
  assert.deepEqual([await ids(accountId), await ids(foreign)], [[], [elsewhere]]);
});
