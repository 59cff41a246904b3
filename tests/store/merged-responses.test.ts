// Response times that were merged for an overview before are those of the roll-ups as they are now.
import assert from 'node:assert/strict';
import { addResult, dayMs, emptyRollUp, hourMs } from '#domain/results/roll-up.ts';
import { idBytes } from '#store/base/codec.ts';
import { rollUpRow, type Span, spans } from '#store/history/roll-up-rows.ts';
import { test } from '../support/store/each-engine.ts';
import type { RawRows } from '../support/store/raw-rows.ts';
import { insertRow, putAccount, putCheck } from '../support/store/rows.ts';

const noon = Date.UTC(2026, 2, 10, 12);
/** Of a span that has hours before its days, days, and hours behind them. */
const parts = [
  { span: 'hour', startAt: noon - 58 * hourMs },
  { span: 'day', startAt: noon - 36 * hourMs },
  { span: 'hour', startAt: noon - 3 * hourMs },
] as const;

/** Rolls up a span of a check from response times (ms), in the place of what was rolled up of it before. */
function rollUp(
  raw: RawRows,
  accountId: string,
  checkId: string,
  part: { span: Span; startAt: number },
  times: number[],
) {
  const key = { accountId: idBytes(accountId), checkId: idBytes(checkId), startAt: part.startAt };
  const sum = emptyRollUp();
  for (const ms of times) {
    const counted = { isFinal: true, outcome: 'passed', slots: 1, intervalMs: 60_000, responseUs: ms * 1000 } as const;
    addResult(sum, counted);
  }
  raw
    .prepare('DELETE FROM roll_ups WHERE account_id = ? AND check_id = ? AND span = ? AND start_at = ?')
    .run(key.accountId, key.checkId, spans[part.span], part.startAt);
  if (times.length > 0)
    insertRow(raw, 'roll_ups', {
      ...rollUpRow(part.span, key, 'a', { ...sum, byStatus: null, phases: null, finalResults: null }),
    });
}

test('what was merged before is merged anew when a part of it was rolled up anew, and only of that check', async (newStore) => {
  await using temp = await newStore(noon);
  const { raw, store } = temp;
  const accountId = putAccount(raw);
  const [one = '', other = ''] = [1, 2].map(() => putCheck(raw, accountId, { createdAt: noon - 9 * dayMs }));
  insertRow(raw, 'installation', { key: 'rolled-up', value: String(noon) });
  for (const part of parts) for (const check of [one, other]) rollUp(raw, accountId, check, part, [10, 20]);
  const found = async () => {
    const sums = await store.checkHistory.sums(accountId, [one, other], { from: noon - 58 * hourMs, to: noon });
    return [one, other].map((id) => {
      const { passed, responses } = sums.get(id) ?? emptyRollUp();
      return `${passed} passed, ${responses.count} times, ${responses.sum / 1000} ms`;
    });
  };
  const six = '6 passed, 6 times, 90 ms';
  assert.deepEqual(await found(), [six, six]);
  assert.deepEqual(await found(), [six, six]);
  for (const [index, part] of parts.entries()) {
    rollUp(raw, accountId, other, part, [10, 20, 100]);
    const late = index + 1;
    assert.deepEqual(await found(), [six, `${6 + late} passed, ${6 + late} times, ${90 + 100 * late} ms`]);
  }
  rollUp(raw, accountId, one, parts[1], []);
  assert.deepEqual(await found(), ['4 passed, 4 times, 60 ms', '9 passed, 9 times, 390 ms']);
  rollUp(raw, accountId, one, parts[1], [30]);
  assert.deepEqual(await found(), ['5 passed, 5 times, 90 ms', '9 passed, 9 times, 390 ms']);
});
