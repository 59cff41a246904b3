// Results, statuses and alerts as they are read: paging, filters, what is kept in full, and the link to one result.
import { nextSlot } from '#domain/checks/schedule.ts';
import assert from 'node:assert/strict';
import { createCheckAlertActions } from '#actions/alerts/check-alerts.ts';
import { createDownloads } from '#actions/results/asset-downloads.ts';
import { createCheckResultActions } from '#actions/results/check-results.ts';
import { createResultPageActions } from '#actions/results/result-page.ts';
import { createCheckStatusActions } from '#actions/checks/check-statuses.ts';
import { Refusal } from '#actions/refusal.ts';
import { createResultLinks } from '#actions/signed-links.ts';
import type { Caller } from '#domain/accounts/api-key.ts';
import type { JsonObject } from '#domain/json.ts';
import { derivedId, newId } from '#lib/id.ts';
import { idBytes, json } from '#store/base/codec.ts';
import { outcomeCodes, reasonCodes } from '#store/base/codes.ts';
import { test } from '../support/store/each-engine.ts';
import { noNotifications } from '../support/store/records.ts';
import { insertRow, putAccount, putAlert, putCheck, putResult } from '../support/store/rows.ts';
import type { TempStore } from '../support/store/temp-store.ts';

const callerOf = (accountId: string): Caller => ({
  principal: { kind: 'api-key', id: newId() },
  role: 'read-only',
  accountId,
  accountIds: [accountId],
});
const describeResult = (_type: string, { details }: { details: unknown }, exchange: JsonObject | null) => ({
  written: json({ details, exchange }),
});
const depsOf = ({ store: { accounts, checkResults, resultAssets } }: TempStore) => ({
  accounts,
  checkResults,
  resultAssets,
  describeResult,
  download: createDownloads(),
});
const resultsOf = (temp: TempStore) => createCheckResultActions(depsOf(temp));
const refusedWith = (code: string) => (error: unknown) => error instanceof Refusal && error.code === code;
const final = { resultType: 'FINAL' } as const;

test('thousands of results are read page by page, newest first, each once', async (newStore) => {
  await using temp = await newStore();
  const accountId = putAccount(temp.raw);
  const checkId = putCheck(temp.raw, accountId);
  const otherId = putCheck(temp.raw, accountId);
  temp.raw.exec('BEGIN');
  for (let index = 0; index < 4321; index++) {
    putResult(temp.raw, accountId, checkId, 1_000_000 + index * 10_000);
    putResult(temp.raw, accountId, otherId, 1_000_000 + index * 10_000);
  }
  temp.raw.exec('COMMIT');
  const seen: number[] = [];
  for (let offset = 0; offset < 4400; offset += 100) {
    const { rows, total } = await resultsOf(temp).list(callerOf(accountId), checkId, final, { limit: 100, offset });
    assert.equal(total, 4321);
    seen.push(...rows.map(({ result }) => result.startedAt));
  }
  assert.deepEqual(
    seen,
    Array.from({ length: 4321 }, (_, index) => 1_000_000 + (4320 - index) * 10_000),
  );
});

test('walking by cursor gives the same, and ends', async (newStore) => {
  await using temp = await newStore();
  const accountId = putAccount(temp.raw);
  const checkId = putCheck(temp.raw, accountId);
  for (let index = 0; index < 25; index++) putResult(temp.raw, accountId, checkId, 1_000_000 + index * 10_000);
  const seen: number[] = [];
  let after: string | null = null;
  let pages = 0;
  do {
    const { rows, nextId } = await resultsOf(temp).walk(callerOf(accountId), checkId, final, after, 10);
    // A result that comes in meanwhile moves nothing.
    putResult(temp.raw, accountId, checkId, 9_000_000 + pages++);
    seen.push(...rows.map(({ result }) => result.startedAt));
    after = nextId;
  } while (after !== null);
  assert.equal(pages, 3);
  assert.deepEqual(
    seen,
    Array.from({ length: 25 }, (_, index) => 1_000_000 + (24 - index) * 10_000),
  );
});

test('a list goes on with the results of days before the last one, by page and by cursor', async (newStore) => {
  await using temp = await newStore();
  const accountId = putAccount(temp.raw);
  const checkId = putCheck(temp.raw, accountId);
  const now = temp.clock.now();
  const hours = [1, 5, 23, 25, 72, 400];
  for (const hour of hours) putResult(temp.raw, accountId, checkId, now - hour * 3_600_000);
  for (const limit of [2, 3, 4, 6, 10]) {
    const { rows, total } = await resultsOf(temp).list(callerOf(accountId), checkId, final, { limit, offset: 0 });
    const walked = await resultsOf(temp).walk(callerOf(accountId), checkId, final, null, limit);
    for (const found of [rows, walked.rows]) {
      const ago = found.map(({ result }) => (now - result.startedAt) / 3_600_000);
      assert.deepEqual(ago, hours.slice(0, limit));
    }
    assert.equal(total, hours.length);
  }
});

test('walking by cursor finds the rare results of a filter, however far they lie apart', async (newStore) => {
  await using temp = await newStore();
  const accountId = putAccount(temp.raw);
  const checkId = putCheck(temp.raw, accountId);
  const failedAt = [0, 1, 7, 900, 2500, 2539, 2540].map((index) => 1_000_000 + index * 10_000);
  temp.raw.exec('BEGIN');
  for (let index = 0; index < 2600; index++) {
    const at = 1_000_000 + index * 10_000;
    putResult(temp.raw, accountId, checkId, at, { outcome: failedAt.includes(at) ? 'failed' : 'passed' });
  }
  temp.raw.exec('COMMIT');
  const seen: number[] = [];
  let after: string | null = null;
  do {
    const found = await resultsOf(temp).walk(callerOf(accountId), checkId, { ...final, hasFailures: true }, after, 2);
    assert.ok(found.rows.length > 0, 'a page before the end holds nothing');
    seen.push(...found.rows.map(({ result }) => result.startedAt));
    after = found.nextId;
  } while (after !== null);
  assert.deepEqual(seen, failedAt.toReversed());
});

test('results are filtered by time, place, failure and kind', async (newStore) => {
  await using temp = await newStore();
  const accountId = putAccount(temp.raw);
  const checkId = putCheck(temp.raw, accountId);
  const runId = derivedId(2000, 'run');
  putResult(temp.raw, accountId, checkId, 1000, { location: 'eu' });
  putResult(temp.raw, accountId, checkId, 2000, { outcome: 'failed', attempt: 1, runId });
  putResult(temp.raw, accountId, checkId, 2000, { outcome: 'failed', attempt: 2, id: runId });
  putResult(temp.raw, accountId, checkId, 3000, { outcome: 'unknown', reason: 'observer-slow' });
  const found = async (filter: object) => {
    const page = { limit: 100, offset: 0 };
    const { rows, total } = await resultsOf(temp).list(callerOf(accountId), checkId, { ...final, ...filter }, page);
    assert.equal(total, rows.length);
    return rows.map(({ result }) => `${result.startedAt} ${result.outcome} ${result.attempt}`);
  };
  assert.deepEqual(await found({}), ['3000 unknown 1', '2000 failed 2', '1000 passed 1']);
  assert.deepEqual(await found({ resultType: 'ATTEMPT' }), ['2000 failed 1']);
  assert.equal((await found({ resultType: 'ALL' })).length, 4);
  assert.deepEqual(await found({ hasFailures: true }), ['2000 failed 2']);
  assert.deepEqual(await found({ hasFailures: false }), ['3000 unknown 1', '1000 passed 1']);
  assert.deepEqual(await found({ outcome: 'unknown' }), ['3000 unknown 1']);
  assert.deepEqual(await found({ outcome: 'degraded' }), []);
  assert.deepEqual(await found({ location: 'eu' }), ['1000 passed 1']);
  assert.deepEqual(await found({ from: 2000, to: 2000 }), ['2000 failed 2']);
  assert.deepEqual(await found({ from: 2001 }), ['3000 unknown 1']);
  assert.deepEqual(await found({ checkType: 'BROWSER' }), []);
  assert.equal((await found({ checkType: 'API' })).length, 3);
});

test('a result shows request and response where they are kept, a missed one how many slots it stands for', async (newStore) => {
  await using temp = await newStore();
  const accountId = putAccount(temp.raw);
  const checkId = putCheck(temp.raw, accountId, { name: 'Größe ✓' });
  const plain = putResult(temp.raw, accountId, checkId, 1000, { details: { s: 200 } });
  const kept = putResult(temp.raw, accountId, checkId, 2000, {
    outcome: 'failed',
    reason: 'status',
    message: 'got 500',
  });
  const newest = putResult(temp.raw, accountId, checkId, 3000);
  const missed = putResult(temp.raw, accountId, checkId, 4000, {
    outcome: 'missed',
    reason: 'downtime',
    slots: 12,
    responseUs: null,
  });
  const key = { account_id: idBytes(accountId), check_id: idBytes(checkId) };
  insertRow(temp.raw, 'exchanges', { ...key, result_id: idBytes(kept), exchange: '{"full":1}' });
  insertRow(temp.raw, 'passing_exchanges', {
    ...key,
    location: 'local',
    result_id: idBytes(newest),
    exchange: '{"full":2}',
  });
  const results = resultsOf(temp);
  const caller = callerOf(accountId);
  const text = async (id: string) => (await results.find(caller, checkId, id)).described?.['written'];
  assert.equal(await text(plain), '{"details":{"s":200},"exchange":null}');
  assert.equal(await text(kept), '{"details":null,"exchange":{"full":1}}');
  assert.equal(await text(newest), '{"details":null,"exchange":{"full":2}}');
  const { result, described, checkName } = await results.find(caller, checkId, missed);
  assert.deepEqual(
    [result.outcome, result.reason, result.slots, result.responseTimeMs],
    ['missed', 'downtime', 12, null],
  );
  assert.deepEqual([described, checkName], [null, 'Größe ✓']);
});

test('results of unknown checks, foreign checks and unknown results are not found', async (newStore) => {
  await using temp = await newStore();
  const accountId = putAccount(temp.raw);
  const foreign = putAccount(temp.raw);
  const checkId = putCheck(temp.raw, foreign);
  const resultId = putResult(temp.raw, foreign, checkId, 1000);
  const own = putCheck(temp.raw, accountId);
  const results = resultsOf(temp);
  const caller = callerOf(accountId);
  for (const id of [checkId, newId()]) {
    await assert.rejects(results.list(caller, id, final, { limit: 10, offset: 0 }), refusedWith('not-found'));
    await assert.rejects(results.walk(caller, id, final, null, 10), refusedWith('not-found'));
    await assert.rejects(results.find(caller, id, resultId), refusedWith('not-found'));
  }
  await assert.rejects(results.find(caller, own, resultId), refusedWith('not-found'));
});

test('a result is found without its check among those of every check of the account, and of no other', async (newStore) => {
  await using temp = await newStore();
  const { store, raw } = temp;
  const [accountId, foreign] = [putAccount(raw), putAccount(raw)];
  const [first, second] = [putCheck(raw, accountId), putCheck(raw, accountId)];
  const theirCheck = putCheck(raw, foreign);
  const results: Record<string, string> = {};
  for (const checkId of [first, second]) results[checkId] = putResult(raw, accountId, checkId, 1000);
  const runId = derivedId(2000, 'run');
  const attempt = putResult(raw, accountId, second, 2000, { outcome: 'failed', attempt: 1, runId });
  const theirs = putResult(raw, foreign, theirCheck, 1000);
  // What is left of a deleted check until its slice goes.
  const left = putResult(raw, accountId, newId(), 1000);
  for (const [of, checkId] of [
    [accountId, first],
    [foreign, theirCheck],
  ] as const) {
    const key = { account_id: idBytes(of), check_id: idBytes(checkId) };
    const exchange = json({ of: checkId });
    insertRow(raw, 'exchanges', { ...key, result_id: idBytes(results[checkId] ?? theirs), exchange });
  }
  const { checkResults } = store;
  for (const [checkId, id] of Object.entries(results)) {
    const found = await checkResults.findAnywhere(accountId, id);
    assert.deepEqual([found?.accountId, found?.checkId, found?.id, found?.isFinal], [accountId, checkId, id, true]);
    assert.deepEqual(found?.exchange, checkId === first ? { of: first } : null);
    assert.deepEqual(found, await checkResults.find(accountId, checkId, id));
  }
  const tried = await checkResults.findAnywhere(accountId, attempt);
  assert.deepEqual([tried?.checkId, tried?.isFinal, tried?.runId, tried?.outcome], [second, false, runId, 'failed']);
  for (const id of [theirs, left, newId()]) assert.equal(await checkResults.findAnywhere(accountId, id), null);
  assert.equal(await checkResults.findAnywhere(foreign, attempt), null);

  // An id is one within its check only: the same one elsewhere is another result.
  putResult(raw, foreign, theirCheck, 2000, { id: attempt });
  assert.deepEqual(await checkResults.findAnywhere(accountId, attempt), tried);
  assert.equal((await checkResults.findAnywhere(foreign, attempt))?.checkId, theirCheck);
});

test('every check has a status, also one that never ran, and thousands are listed once each', async (newStore) => {
  await using temp = await newStore();
  const accountId = putAccount(temp.raw);
  temp.raw.exec('BEGIN');
  for (let index = 0; index < 2345; index++) putCheck(temp.raw, accountId, { createdAt: 1 + Math.floor(index / 10) });
  temp.raw.exec('COMMIT');
  const checkId = putCheck(temp.raw, accountId, { createdAt: 5000 });
  const lastResultId = newId();
  insertRow(temp.raw, 'check_states', {
    account_id: idBytes(accountId),
    check_id: idBytes(checkId),
    status: 'failing',
    since: 6500,
    failed_in_a_row: 1,
    degraded_in_a_row: 0,
    last_result_id: idBytes(lastResultId),
    last_outcome: outcomeCodes.encode('unknown'),
    last_reason: reasonCodes.encode('overload'),
    last_location: 'local',
    longest_response_us: 900_500,
    shortest_response_us: 1500,
    certificate_valid_to: temp.clock.now() + 9.5 * 86_400_000,
    created_at: 6000,
    updated_at: 7000,
    revision: 1,
  });
  const statuses = createCheckStatusActions({ checkStatuses: temp.store.checkStatuses, clock: temp.clock });
  const all = (await statuses.list(callerOf(accountId))).flat();
  assert.equal(new Set(all.map((status) => status.checkId)).size, 2346);
  assert.deepEqual(all.at(-1), {
    checkId,
    name: 'Front page',
    status: 'failing',
    since: 6500,
    isActive: true,
    nextRunAt: nextSlot(temp.clock.now() + 1, 60_000, 0),
    lastOutcome: 'unknown',
    lastReason: 'overload',
    lastLocation: 'local',
    lastResultId,
    longestMs: 900.5,
    shortestMs: 1.5,
    sslDaysRemaining: 9,
    incidentId: null,
    acknowledgedAt: null,
    flappingSince: null,
    acknowledgedBy: null,
    suppressedBy: null,
    createdAt: 5000,
    updatedAt: 7000,
  });
  assert.deepEqual(await statuses.find(callerOf(accountId), checkId), all.at(-1));
  assert.equal(all[0]?.status, null);
  await assert.rejects(statuses.find(callerOf(putAccount(temp.raw)), checkId), refusedWith('not-found'));
});

test('alerts are those of the last six hours unless a span is asked for', async (newStore) => {
  await using temp = await newStore();
  const accountId = putAccount(temp.raw);
  const checkId = putCheck(temp.raw, accountId);
  const otherId = putCheck(temp.raw, accountId);
  const now = temp.clock.now();
  const old = putAlert(temp.raw, accountId, checkId, now - 6 * 3_600_000 - 1);
  const recent = putAlert(temp.raw, accountId, checkId, now - 6 * 3_600_000);
  const other = putAlert(temp.raw, accountId, otherId, now);
  putAlert(temp.raw, putAccount(temp.raw), checkId, now);
  const alerts = createCheckAlertActions({ ...temp.store, clock: temp.clock });
  const ids = async (of: string | null, span: object) => {
    const { rows, total } = await alerts.list(callerOf(accountId), of, span, { limit: 10, offset: 0 });
    assert.equal(total, rows.length);
    return rows.map(({ id }) => id);
  };
  assert.deepEqual(await ids(null, {}), [other, recent]);
  assert.deepEqual(await ids(checkId, {}), [recent]);
  assert.deepEqual(await ids(checkId, { from: 0 }), [recent, old]);
  assert.deepEqual(await ids(checkId, { to: now - 6 * 3_600_000 - 1 }), [old]);
  await assert.rejects(ids(newId(), {}), refusedWith('not-found'));
  await assert.rejects(ids(null, { from: 2, to: 1 }), refusedWith('invalid'));
});

test('a result link opens its own result for 30 days, and no other', async (newStore) => {
  await using temp = await newStore();
  const accountId = putAccount(temp.raw);
  const checkId = putCheck(temp.raw, accountId);
  const resultId = putResult(temp.raw, accountId, checkId, 1000);
  const links = createResultLinks({ publicUrl: () => 'https://tocsin.example', secret: new Uint8Array(32).fill(1) });
  const now = temp.clock.now();
  const link = links.link(accountId, checkId, resultId, now);
  assert.match(link, /^https:\/\/tocsin\.example\/results\/[\w-]+$/);
  assert.ok(link.length < 130, link);
  const token = link.slice(link.lastIndexOf('/') + 1);
  assert.deepEqual(links.open(token, now), { accountId, checkId, resultId, expiresAt: now + 30 * 86_400_000 });
  for (let index = 0; index < token.length; index++) {
    const changed = token.slice(0, index) + (token[index] === 'A' ? 'B' : 'A') + token.slice(index + 1);
    assert.equal(links.open(changed, now), null, `changed at ${index}`);
  }
  for (const wrong of ['', 'x', `${token}A`, `${token}=`, token.slice(1)]) assert.equal(links.open(wrong, now), null);
  const others = createResultLinks({ publicUrl: () => 'https://tocsin.example', secret: new Uint8Array(32).fill(2) });
  assert.equal(others.open(token, now), null);

  const page = createResultPageActions({
    serverTimeZone: 'UTC',
    ...depsOf(temp),
    pings: temp.store.pings,
    testSessions: temp.store.testSessions,
    testEvents: temp.store.testEvents,
    findPingMasker: assert.fail,
    links,
    clock: temp.clock,
  });
  assert.equal((await page.open(token)).result.id, resultId);
  temp.clock.advance(30 * 86_400_000 - 5000);
  assert.equal((await page.open(token)).checkName, 'Front page');
  assert.equal(await page.isOfDeletedCheck(token), false);
  assert.equal(await temp.store.checks.remove(accountId, checkId, noNotifications), true);
  await assert.rejects(page.open(token), refusedWith('not-found'));
  assert.equal(await page.isOfDeletedCheck(token), true);
  assert.equal(await page.isOfDeletedCheck(`${token.slice(0, -1)}?`), false, 'what is guessed tells of nothing');
  temp.raw.prepare('DELETE FROM accounts WHERE id = ?').run(idBytes(accountId));
  temp.clock.advance(4999);
  assert.equal(await page.isOfDeletedCheck(token), false, 'an account that is not here any more has deleted nothing');
  temp.clock.advance(1001);
  await assert.rejects(page.open(token), refusedWith('not-found'));
  assert.equal(await page.isOfDeletedCheck(token), false);
});
