// The list of statuses is never older than the last commit of any process; unchanged parts are reused.
import assert from 'node:assert/strict';
import { newId } from '#lib/id.ts';
import { idBytes } from '#store/base/codec.ts';
import { outcomeCodes, reasonCodes } from '#store/base/codes.ts';
import { onSqlite, test } from '../support/store/each-engine.ts';
import type { Cell } from '../support/store/raw-rows.ts';
import { countChange, insertRow, putAccount, putCheck } from '../support/store/rows.ts';
import type { TempStore } from '../support/store/temp-store.ts';
import { PathUnderTest } from './path-under-test.ts';

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
    revision: 1,
  });
}

test('a status shows every change at once, even one that leaves all instants as they were', async (newStore) => {
  await using temp = await newStore();
  const accountId = putAccount(temp.raw);
  const [changed, other] = [putCheck(temp.raw, accountId), putCheck(temp.raw, accountId)];
  for (const checkId of [changed, other]) putState(temp, accountId, checkId);
  const { checkStatuses } = temp.store;
  const read = async (checkId: string) =>
    (await checkStatuses.list(accountId)).flat().find((status) => status.checkId === checkId);
  const unchanged = await read(other);
  const resultId = newId();
  const states: readonly (readonly [column: string, value: Cell, shown: string, as: unknown])[] = [
    ['status', 'failing', 'status', 'failing'],
    ['last_outcome', outcomeCodes.encode('failed'), 'lastOutcome', 'failed'],
    ['since', 6500, 'since', 6500],
    ['last_reason', reasonCodes.encode('timeout'), 'lastReason', 'timeout'],
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
      .prepare(`UPDATE check_states SET revision = revision + 1, ${column} = ? WHERE account_id = ? AND check_id = ?`)
      .run(value, idBytes(accountId), idBytes(changed));
    const status = await read(changed);
    assert.deepEqual({ ...status }[shown as 'status'], as, column);
    assert.deepEqual(await checkStatuses.find(accountId, changed), status);
  }
  const name = 'Größe "✓"\n\\ 😀 \u0001';
  temp.raw
    .prepare('UPDATE checks SET name = ? WHERE account_id = ? AND id = ?')
    .run(name, idBytes(accountId), idBytes(changed));
  countChange(temp.raw, accountId);
  assert.equal((await read(changed))?.name, name);
  assert.deepEqual(await read(other), unchanged);
});

onSqlite('checks that come and go, come and go in the list of statuses of their account alone', async (newStore) => {
  await using temp = await newStore();
  const accountId = putAccount(temp.raw);
  const foreign = putAccount(temp.raw);
  const put = (of: string, createdAt: number): string => {
    const id = putCheck(temp.raw, of, { createdAt });
    putState(temp, of, id);
    countChange(temp.raw, of);
    return id;
  };
  const remove = (checkId: string): void => {
    for (const [table, column] of [
      ['checks', 'id'],
      ['check_states', 'check_id'],
    ] as const) {
      temp.raw
        .prepare(`DELETE FROM ${table} WHERE account_id = ? AND ${column} = ?`)
        .run(idBytes(accountId), idBytes(checkId));
    }
    countChange(temp.raw, accountId);
  };
  const [oldest, newest, elsewhere] = [put(accountId, 1), put(accountId, 3), put(foreign, 1)];
  const ids = async (of: string) => (await temp.store.checkStatuses.list(of)).flat().map(({ checkId }) => checkId);
  assert.deepEqual([await ids(accountId), await ids(foreign)], [[oldest, newest], [elsewhere]]);
  const between = put(accountId, 2);
  assert.deepEqual(await ids(accountId), [oldest, between, newest]);
  // Deleted while the list is read: after the checks, before their states.
  const reading = ids(accountId);
  remove(oldest);
  await reading;
  assert.deepEqual([await ids(accountId), await ids(foreign)], [[between, newest], [elsewhere]]);
  for (const checkId of [between, newest]) remove(checkId);
  assert.deepEqual([await ids(accountId), await ids(foreign)], [[], [elsewhere]]);
});

test('of hundreds of checks the list shows what each of them shows alone, whichever of them have changed', async (newStore) => {
  await using temp = await newStore();
  const accountId = putAccount(temp.raw);
  const checks = Array.from({ length: 280 }, (_, index) => putCheck(temp.raw, accountId, { createdAt: 280 - index }));
  const { checkStatuses } = temp.store;
  let before = await checkStatuses.list(accountId);
  assert.equal(before.flat().length, checks.length);
  for (const some of [
    checks.slice(100, 103),
    checks.slice(270),
    [...checks.slice(20, 25), ...checks.slice(260, 265)],
  ]) {
    for (const checkId of some) {
      temp.raw
        .prepare('DELETE FROM check_states WHERE account_id = ? AND check_id = ?')
        .run(idBytes(accountId), idBytes(checkId));
      putState(temp, accountId, checkId);
    }
    const after = await checkStatuses.list(accountId);
    const [old, all] = [before.flat(), after.flat()];
    for (const [index, status] of all.entries()) {
      assert.equal(status === old[index], !some.includes(status.checkId), status.name);
    }
    for (const checkId of [...some.slice(0, 2), ...checks.slice(0, 2)]) {
      const alone = await checkStatuses.find(accountId, checkId);
      assert.deepEqual(
        all.find((status) => status.checkId === checkId),
        alone,
      );
    }
    before = after;
  }
  assert.deepEqual(await checkStatuses.list(accountId), before);
  assert.ok((await checkStatuses.list(accountId)).every((piece, index) => piece === before[index]));
});

test('concurrent reads each show everything committed before they began', async (newStore) => {
  await using temp = await newStore();
  const accountId = putAccount(temp.raw);
  const checks = Array.from({ length: 20 }, () => putCheck(temp.raw, accountId));
  for (const checkId of checks) putState(temp, accountId, checkId);
  const readings: Promise<void>[] = [];
  for (let tick = 3; tick < 60; tick++) {
    const checkId = checks[tick % checks.length] ?? '';
    temp.raw
      .prepare(
        'UPDATE check_states SET revision = revision + 1, longest_response_us = ? WHERE account_id = ? AND check_id = ?',
      )
      .run(tick * 1000, idBytes(accountId), idBytes(checkId));
    if (tick % 7 === 0) countChange(temp.raw, accountId);
    const reading = temp.store.checkStatuses.list(accountId).then((pieces) => {
      const shown = pieces.flat().find((status) => status.checkId === checkId)?.longestMs ?? 0;
      assert.ok(shown >= tick, `${shown} was shown after ${tick} was written`);
    });
    readings.push(reading);
    if (tick % 3 === 0) await Promise.race(readings);
  }
  await Promise.all(readings);
});

test('what the path records is shown at once, whether the clock stands, goes on or is set back', async (newStore) => {
  await using fixture = await PathUnderTest.open(newStore);
  const { temp, accountId } = fixture;
  for (let number = 0; number < 4; number++) await fixture.check();
  const outcomes = ['passed', 'failed', 'degraded', 'passed'] as const;
  for (let round = 0; round < 3; round++) {
    await fixture.schedule();
    const runs = await fixture.claim();
    assert.equal(runs.length, outcomes.length);
    for (const [index, byMs] of [0, 0, -3_600_000, 3_600_000].entries()) {
      temp.clock.advance(byMs);
      const claimed = runs[index];
      assert.ok(claimed !== undefined);
      const outcome = outcomes[(index + round) % outcomes.length] ?? 'passed';
      await fixture.record([fixture.ended(claimed, outcome)]);
      if (byMs !== 0) await fixture.path.moveWithClock(byMs, fixture.now);
      const shown = (await temp.store.checkStatuses.list(accountId)).flat();
      const status = shown.find(({ checkId }) => checkId === claimed.run.checkId);
      assert.deepEqual([status?.lastOutcome, status?.updatedAt], [outcome, fixture.now]);
      for (const each of shown) assert.deepEqual(await temp.store.checkStatuses.find(accountId, each.checkId), each);
    }
    temp.clock.advance(10_000);
  }
});
