// The overview of an account: its checks as they are committed, and figures from roll-ups and the results after them.
import assert from 'node:assert/strict';
import { dayMs, hourMs } from '#domain/results/roll-up.ts';
import { newId } from '#lib/id.ts';
import { idBytes } from '#store/base/codec.ts';
import { outcomeCodes } from '#store/base/codes.ts';
import { test } from '../support/store/each-engine.ts';
import {
  countChange,
  insertRow,
  putAccount,
  putChannel,
  putCheck,
  putDelivery,
  putGroup,
  putResult,
} from '../support/store/rows.ts';
import type { TempStore } from '../support/store/temp-store.ts';
import { fact, idAt, retentionMs, minuteMs, noon, record, rollUpAll } from './roll-up-facts.ts';

const targetOf = (): string => '{{ GROUP_BASE_URL }}/ok';

function putState({ raw }: TempStore, accountId: string, checkId: string, resultId = newId()): void {
  insertRow(raw, 'check_states', {
    account_id: idBytes(accountId),
    check_id: idBytes(checkId),
    status: 'passing',
    since: 5000,
    position_at: 6000,
    failed_in_a_row: 0,
    degraded_in_a_row: 0,
    last_result_id: idBytes(resultId),
    last_outcome: outcomeCodes.encode('passed'),
    last_location: 'local',
    last_response_us: 2500,
    created_at: 6000,
    updated_at: 7000,
    revision: 1,
  });
}

test('the overview shows every committed change of a check, its group, its state and its channels', async (newStore) => {
  await using temp = await newStore();
  const { raw, store } = temp;
  const [accountId, foreign] = [putAccount(raw), putAccount(raw)];
  putGroup(raw, accountId, 1);
  const checkId = putCheck(raw, accountId, { name: 'Shop', groupId: 1 });
  putCheck(raw, foreign, { name: 'Foreign' });
  countChange(raw, accountId);
  const read = async () => (await store.overview.checks(accountId, targetOf)).checks;
  const [first] = await read();
  assert.deepEqual([first?.checkId, first?.name, first?.groupName, first?.state], [checkId, 'Shop', 'group 1', null]);
  assert.deepEqual(
    [first?.isActive, first?.isMuted, first?.isNotifying, first?.frequencyMs],
    [true, false, false, 60_000],
  );
  const change = async (statement: string, shown: object): Promise<void> => {
    raw.exec(statement);
    countChange(raw, accountId);
    const [check, ...others] = await read();
    assert.deepEqual(others, []);
    assert.deepEqual({ ...check, ...shown }, check, statement);
  };
  const settings = `'{"settings":{"request":{}},"mutedUntil":9000,"frequency":5}'`;
  await change(`UPDATE checks SET updated_at = 2, definition = ${settings}`, {
    url: '{{ GROUP_BASE_URL }}/ok',
    mutedUntil: 9000,
  });
  const base = `'{"apiCheckDefaults":{"url":"https://$&.example"}}'`;
  await change(`UPDATE check_groups SET definition = ${base}`, { url: 'https://$&.example/ok' });
  await change(`UPDATE checks SET name = 'New shop', tags = '["a"]'`, { name: 'New shop', tags: ['a'] });
  await change(`UPDATE check_groups SET activated = 0`, { isActive: false, activated: true });
  await change(`UPDATE check_groups SET activated = 1, muted = 1`, { isActive: true, isMuted: true });
  await change(`UPDATE check_groups SET name = 'Shops', tags = '["b"]'`, { groupName: 'Shops', groupTags: ['b'] });
  putChannel(raw, accountId, 1);
  insertRow(raw, 'subscriptions', {
    account_id: idBytes(accountId),
    id: 1,
    alert_channel_id: 1,
    group_id: 1,
    activated: 1,
  });
  await change('UPDATE check_groups SET muted = 0', { isNotifying: true });
  await change('UPDATE alert_channels SET send_failure = 0', { isNotifying: false });
  putState(temp, accountId, checkId);
  assert.equal((await read())[0]?.state?.status, 'passing');
  raw.exec(`UPDATE check_states SET status = 'failing', since = 8000, revision = 2`);
  const state = (await read())[0]?.state;
  assert.deepEqual(
    [state?.status, state?.since, state?.lastResponseMs, state?.verdictAt],
    ['failing', 8000, 2.5, 6000],
  );
  // Readings at once share one.
  const [one, other] = await Promise.all([read(), read()]);
  assert.deepEqual(one, other);
  raw.exec('DELETE FROM checks');
  countChange(raw, accountId);
  assert.deepEqual(await read(), []);
});

test('the newest result of a check is shown with its message', async (newStore) => {
  await using temp = await newStore();
  const { raw, store } = temp;
  const accountId = putAccount(raw);
  const [checkId, other] = [putCheck(raw, accountId), putCheck(raw, accountId)];
  putResult(raw, accountId, checkId, noon - minuteMs);
  const id = putResult(raw, accountId, checkId, noon, { outcome: 'failed', message: 'expected 200, got 500' });
  putState(temp, accountId, checkId, id);
  assert.deepEqual(
    [...(await store.overview.newestResults(accountId, [checkId, other]))],
    [
      [
        checkId,
        {
          id,
          outcome: 'failed',
          startedAt: noon,
          responseTimeMs: 12.345,
          location: 'local',
          message: 'expected 200, got 500',
          pingedAt: null,
        },
      ],
    ],
  );
});

test('figures are the same whether hours are rolled up or not, and unknown time is not available time', async (newStore) => {
  await using temp = await newStore(noon + 10 * minuteMs);
  const { raw, store, clock } = temp;
  const accountId = putAccount(raw);
  const checkId = putCheck(raw, accountId, { createdAt: noon - 8 * dayMs });
  const put = (at: number, inspect: Partial<Parameters<typeof record>[2]> = {}) =>
    record(temp, accountId, { ...fact(checkId, at), ...inspect });
  put(noon - 190 * hourMs, { outcome: 'failed' });
  put(noon - 3 * dayMs);
  put(noon - 23 * hourMs);
  put(noon - 2 * hourMs, { outcome: 'failed' });
  put(noon - 2 * hourMs + minuteMs, { outcome: 'unknown', responseUs: null });
  put(noon + minuteMs, { outcome: 'degraded' });
  const read = async () => (await store.overview.figures(accountId, [checkId])).get(checkId);
  for (const isRolledUp of [false, true]) {
    if (isRolledUp) {
      clock.advance(minuteMs);
      await rollUpAll(temp);
      await store.rollUps.tick(clock.now(), retentionMs);
    }
    const figures = await read();
    const counts = figures?.buckets.map(({ passed, degraded, failed, unknown, missed }) =>
      [passed, degraded, failed, unknown, missed].join(''),
    );
    const expected = Array.from({ length: 24 }, () => '00000');
    expected[0] = '10000';
    expected[21] = '00110';
    expected[23] = '01000';
    assert.deepEqual(counts, expected);
    assert.equal(figures?.buckets[0]?.from, noon - 23 * hourMs);
    assert.deepEqual(
      figures?.sparkline.map((each) => each !== null),
      expected.map((text) => text !== '00000'),
    );
    assert.ok((figures?.responseTimes?.p95 ?? 0) >= (figures?.responseTimes?.p50 ?? 1));
    const { day, week, month } = figures?.availability ?? {};
    assert.deepEqual([day?.ratio, day?.known], [2 / 3, 3 / 4]);
    // Days that are over are known only once they are rolled up.
    if (isRolledUp)
      assert.deepEqual(
        [week, month],
        [
          { ratio: 3 / 4, known: 4 / 5 },
          { ratio: 3 / 5, known: 5 / 6 },
        ],
      );
  }
  const ratios = await store.overview.availabilities(accountId, [checkId, newId()]);
  assert.deepEqual([...ratios], [[checkId, 1 / 2]]);
});

test('waiting and lost deliveries of an account are counted', async (newStore) => {
  await using temp = await newStore();
  const { raw, store, clock } = temp;
  const [accountId, foreign] = [putAccount(raw), putAccount(raw)];
  const now = clock.now();
  putDelivery(raw, accountId, now - 2000);
  const retried = putDelivery(raw, accountId, now - 2000);
  raw.prepare('UPDATE deliveries SET attempts = 2 WHERE id = ?').run(idBytes(retried));
  putDelivery(raw, accountId, now - 1000, { status: 'exhausted' });
  putDelivery(raw, accountId, now - dayMs - 1000, { status: 'exhausted' });
  putDelivery(raw, accountId, now - 1000, { status: 'refused' });
  putDelivery(raw, accountId, now - 1000, { status: 'failed' });
  putDelivery(raw, accountId, now - 1000, { status: 'cancelled' });
  putDelivery(raw, accountId, now - 1000, { status: 'delivered' });
  putDelivery(raw, foreign, now - 1000);
  const counted = { pending: 1, retrying: 1, exhausted24h: 3 };
  assert.deepEqual(await store.overview.deliveries(accountId), counted);
  putDelivery(raw, accountId, now - 1000);
  clock.advance(6000);
  assert.deepEqual(await store.overview.deliveries(accountId), { ...counted, pending: 2 });
});

test('incidents of checks that began or ended in the last hour are counted by check', async (newStore) => {
  await using temp = await newStore(noon);
  const { raw, store } = temp;
  const accountId = putAccount(raw);
  const [flapping, calm, elsewhere] = [putCheck(raw, accountId), putCheck(raw, accountId), putAccount(raw)];
  const put = (owner: string, checkId: string, minutesAgo: number, endedAt: number | null): void => {
    const at = noon - minutesAgo * minuteMs;
    insertRow(raw, 'incidents', {
      account_id: idBytes(owner),
      id: idBytes(idAt(at)),
      check_id: idBytes(checkId),
      check_name: 'Shop',
      check_type: 'API',
      kind: 'failing',
      started_at: at,
      opened_at: at,
      ended_at: endedAt,
      first_alert_id: idBytes(checkId),
      result_id: idBytes(checkId),
    });
  };
  put(accountId, flapping, 90, noon - 80 * minuteMs);
  put(accountId, flapping, 50, noon - 45 * minuteMs);
  put(accountId, flapping, 30, noon - 20 * minuteMs);
  put(accountId, flapping, 1, null);
  put(accountId, calm, 300, null);
  put(elsewhere, flapping, 5, noon);
  const count = (ids: readonly string[]) => store.overview.incidentChanges(accountId, ids, noon - 60 * minuteMs);
  assert.deepEqual([...(await count([flapping, calm]))], [[flapping, 5]]);
  assert.deepEqual([...(await count([]))], []);
});
