// Reports on a group or tag over any days add up to those of their checks, gaps included, on both engines.
import assert from 'node:assert/strict';
import { type AccountReportQuestion, createAccountReportActions } from '#actions/results/account-reports.ts';
import { allListedTo } from '#domain/results/account-report.ts';
import { idBytes } from '#store/base/codec.ts';
import { onSqlite, test } from '../support/store/each-engine.ts';
import { aCheck, aGroup } from '../support/store/records.ts';
import { putAccount, putCheck, putResult } from '../support/store/rows.ts';
import type { TempStore } from '../support/store/temp-store.ts';
import { idAt, rollUpAll } from './roll-up-facts.ts';

const hourMs = 3_600_000;
/** A Tuesday. */
const now = Date.parse('2026-03-10T12:30:00Z');
const monday = Date.parse('2026-03-02T00:00:00Z');
const days = { fromOn: '2026-03-03', toOn: '2026-03-05' };
const { signal } = new AbortController();

function reader(temp: TempStore, accountId: string) {
  const actions = createAccountReportActions({ ...temp.store, serverTimeZone: 'UTC', clock: temp.clock });
  const caller = { accountId, role: 'read-only' } as Parameters<typeof actions.read>[0];
  return (question: Partial<AccountReportQuestion> = {}) =>
    actions.read(caller, { every: 'week', ...question }, signal);
}

/** Three checks, two of them in the group, one of these with a tag; on each of five days some hours fail or are gaps. */
async function shops(temp: TempStore) {
  const accountId = putAccount(temp.raw);
  const draft = { subscriptions: null, isAutoAssigned: false };
  const saved = await temp.store.checkGroups.add({ ...draft, group: aGroup(accountId, { name: 'Acme' }) });
  assert.ok('saved' in saved);
  const groupId = saved.saved.group.id;
  const ids: string[] = [];
  for (const [index, change] of [
    { name: 'b', groupId, tags: ['eu'] },
    { name: 'a', groupId },
    { name: 'c' },
  ].entries()) {
    const added = await temp.store.checks.add({ ...draft, check: aCheck(accountId, change) });
    assert.ok('saved' in added);
    const { id } = added.saved.check;
    ids.push(id);
    for (let hour = 0; hour < 5 * 24; hour++) {
      const bad = hour % 24 < 2 * (index + 1) ? 'failed' : hour % 24 < 3 * (index + 1) ? 'unknown' : 'passed';
      const at = monday + hour * hourMs;
      putResult(temp.raw, accountId, id, at, { id: idAt(at), outcome: bad, intervalMs: hourMs });
    }
  }
  temp.raw.exec(`UPDATE checks SET created_at = ${monday}`);
  await rollUpAll(temp);
  return { accountId, groupId, ids, read: reader(temp, accountId) };
}

onSqlite('a report on a group adds up to its checks over the same days, gaps included', async (newStore) => {
  await using temp = await newStore(now);
  const { groupId, read } = await shops(temp);
  const report = await read({ days, groupId, title: 'Acme Ltd' });
  assert.deepEqual([report.title, report.groupName, report.every, report.checks], ['Acme Ltd', 'Acme', null, 2]);
  assert.deepEqual(
    report.rows?.map(({ name, downMs, unknownMs, availability }) => [
      name,
      downMs / hourMs,
      unknownMs / hourMs,
      availability,
    ]),
    [
      ['a', 12, 6, 81.8182],
      ['b', 6, 3, 91.3043],
    ],
  );
  const { downMs, unknownMs, availability, availabilityBefore } = report.total;
  assert.deepEqual([downMs / hourMs, unknownMs / hourMs], [18, 9]);
  // 18 of 135 known hours, of 144; of the three days before, only Monday is known: 6 of 45.
  assert.deepEqual([availability, availabilityBefore], [86.6667, 86.6667]);
});

test('a report on a tag, or on a tag in a group, is about the checks with it', async (newStore) => {
  await using temp = await newStore(now);
  const { groupId, read } = await shops(temp);
  const named = async (question: Partial<AccountReportQuestion>) =>
    (await read({ days, ...question })).rows?.map(({ name }) => name);
  assert.deepEqual(await named({}), ['a', 'b', 'c']);
  assert.deepEqual(await named({ tags: ['eu'] }), ['b']);
  assert.deepEqual(await named({ tags: ['eu'], groupId }), ['b']);
  assert.deepEqual(await named({ tags: ['us'] }), []);
  await assert.rejects(named({ groupId: 99 }), /groupId must be the ID of a group: group 99 not found/);
});

onSqlite('a report on a group lists and counts only incidents and certificates of its checks', async (newStore) => {
  await using temp = await newStore(now);
  const { accountId, groupId, ids, read } = await shops(temp);
  const insert = temp.raw.prepare(
    `INSERT INTO incidents (account_id, id, check_id, check_name, check_type, kind, started_at, opened_at, ended_at, first_alert_id, result_id)
     VALUES (?, ?, ?, 'x', 'API', 'failing', ?, ?, ?, ?, ?)`,
  );
  const opened = (checkId: string, at: number, endedAt: number | null): void => {
    const id = idBytes(idAt(at));
    insert.run(idBytes(accountId), id, idBytes(checkId), at, at, endedAt, id, id);
  };
  const tuesday = monday + 24 * hourMs;
  const certificate = temp.raw.prepare(
    `INSERT INTO check_states (account_id, check_id, certificate_valid_to, certificate, created_at, updated_at, failed_in_a_row, degraded_in_a_row, revision)
     VALUES (?, ?, ?, '{"domain":"shop.example","seenAt":1}', 1, 1, 0, 0, 1)`,
  );
  for (const [index, id] of ids.entries()) {
    opened(id, tuesday + hourMs, tuesday + (index + 2) * hourMs);
    opened(id, monday, null);
    certificate.run(idBytes(accountId), idBytes(id), now + index * 24 * hourMs);
  }
  const [all, own] = [await read({ days }), await read({ days, groupId })];
  assert.deepEqual([all.total.incidents, own.total.incidents], [3, 2]);
  const sorted = (list: readonly { readonly checkId: string }[]): string[] =>
    list.map(({ checkId }) => checkId).toSorted();
  assert.deepEqual(sorted(all.incidents), [...ids, ...ids].toSorted());
  const grouped = ids.slice(0, 2);
  assert.deepEqual(sorted(own.incidents), [...grouped, ...grouped].toSorted());
  assert.deepEqual([sorted(all.certificates), sorted(own.certificates)], [ids.toSorted(), grouped.toSorted()]);
  assert.deepEqual(
    own.rows?.map(({ incidents }) => incidents),
    [1, 1],
  );
});

test('a report covers a quarter up to now, and lists every check up to a hundred', async (newStore) => {
  await using temp = await newStore(now);
  const accountId = putAccount(temp.raw);
  const read = reader(temp, accountId);
  for (let count = 0; count < allListedTo; count++) putCheck(temp.raw, accountId, { name: `${count % 7} ${count}` });
  const { span, rows, checks } = await read({ every: 'quarter', at: now, timeZone: 'Europe/Berlin' });
  assert.deepEqual([new Date(span.from).toISOString(), span.to], ['2025-12-31T23:00:00.000Z', now]);
  const names = rows?.map(({ name }) => name) ?? [];
  assert.deepEqual([checks, names.length, names], [allListedTo, allListedTo, names.toSorted()]);
  putCheck(temp.raw, accountId);
  assert.deepEqual((await read({ every: 'quarter' })).rows, null);
});
