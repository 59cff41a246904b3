// The overview of all checks over HTTP on a real store: states, filters, order and pages.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { idBytes } from '#store/base/codec.ts';
import type { OverviewBody } from '#contract/results/overview.ts';
import {
  countChange,
  insertRow,
  putAccount,
  putCheck,
  putGroup,
  putState,
  type StateRow,
} from '../support/store/rows.ts';
import { openServer, type ServerOnStore } from './server-on-store.ts';

const minuteMs = 60_000;

async function openOverview() {
  const on = await openServer();
  const get = (query: string) => on.server.inject({ url: `/v1/overview${query}`, headers: on.as() });
  const read = async (query = ''): Promise<OverviewBody> => {
    const answer = await get(query);
    assert.equal(answer.statusCode, 200, answer.body);
    return answer.json<OverviewBody>();
  };
  const names = async (query: string) => (await read(query)).rows.map(({ name }) => name);
  return { on, get, read, names, [Symbol.asyncDispose]: () => on[Symbol.asyncDispose]() };
}

/** Returns the id of the slow one. */
function putChecks(on: ServerOnStore): string {
  const { raw, accountId } = on;
  const put = (name: string, inspect: Parameters<typeof putCheck>[2], state: StateRow | null): string => {
    const id = putCheck(raw, accountId, { name, ...inspect });
    if (state !== null) putState(on, id, state);
    return id;
  };
  putGroup(raw, accountId, 7);
  put('old failure', { groupId: 7 }, { status: 'failing', outcome: 'failed', agoMs: 9000 * minuteMs });
  put('new failure', {}, { status: 'failing', outcome: 'failed', responseUs: 9000 });
  const slow = put('slow', {}, { status: 'degraded', outcome: 'degraded', responseUs: 8000 });
  put('fine', { checkType: 'TCP' }, { responseUs: 500 });
  put('never ran', {}, null);
  put('lost', {}, { outcome: 'unknown', verdictAgoMs: 4 * minuteMs });
  put('interrupted', {}, { outcome: 'unknown', verdictAgoMs: 2 * minuteMs });
  put('off', { activated: false }, { status: 'failing', outcome: 'failed' });
  raw.prepare(`UPDATE checks SET tags = '["Web","shop"]' WHERE name = 'fine'`).run();
  raw.prepare(`UPDATE checks SET muted = 1 WHERE name = 'slow'`).run();
  raw.prepare(`UPDATE check_groups SET tags = '["web"]'`).run();
  putCheck(raw, putAccount(raw), { name: 'foreign' });
  countChange(raw, accountId);
  return slow;
}

test('the overview shows what fails first, and counts the states of the whole account', async () => {
  await using over = await openOverview();
  const { on, read } = over;
  assert.deepEqual([(await read()).rows, (await read()).total], [[], 0]);
  putChecks(on);
  const { rows, summary, total, deliveries, nextMaintenance, page, limit } = await read();
  assert.deepEqual(
    rows.map(({ name, state }) => [name, state]),
    [
      ['new failure', 'failing'],
      ['old failure', 'failing'],
      ['slow', 'degraded'],
      ['lost', 'unknown'],
      ['never ran', 'unknown'],
      ['fine', 'passing'],
      ['interrupted', 'passing'],
      ['off', 'paused'],
    ],
  );
  const counts = { failing: 2, degraded: 1, passing: 2, unknown: 2, paused: 1 };
  assert.deepEqual(summary, { total: 8, ...counts, muted: 1, inMaintenance: 0, silent: 6, flapping: 0 });
  assert.deepEqual(deliveries, { pending: 0, retrying: 0, exhausted24h: 0 });
  assert.deepEqual([nextMaintenance, total, page, limit], [null, 8, 1, 50]);
  const [first] = rows;
  const { lastResult, since, nextRunAt, buckets, sparkline } = first ?? {};
  const now = on.clock.now();
  assert.equal(since, new Date(now - minuteMs).toISOString());
  assert.equal(nextRunAt, new Date(now + minuteMs).toISOString());
  const { id, ...result } = lastResult ?? {};
  assert.equal(typeof id, 'string');
  const startedAt = new Date(now - 30_000).toISOString();
  const message = 'expected 200, got 500';
  assert.deepEqual(result, { outcome: 'failed', startedAt, responseTimeMs: 9, location: 'local', message });
  assert.deepEqual([buckets?.length, sparkline?.length], [24, 24]);
  assert.deepEqual([first?.frequencySeconds, first?.groupName, first?.url, first?.silent], [60, null, null, true]);
  const paused = rows.find(({ name }) => name === 'off');
  assert.deepEqual([paused?.since, paused?.nextRunAt, paused?.activated, paused?.silent], [null, null, false, false]);
});

test('filters narrow the overview, and all but the state narrow its summary', async () => {
  await using over = await openOverview();
  const { on, read, names, get } = over;
  const slow = putChecks(on);
  const flaps = 'UPDATE check_states SET flapping_since = 1, revision = revision + 1 WHERE check_id = ?';
  on.raw.prepare(flaps).run(idBytes(slow));
  for (const [query, found] of [
    ['?state=failing', ['new failure', 'old failure']],
    ['?state=paused,degraded', ['slow', 'off']],
    ['?checkType=TCP', ['fine']],
    ['?groupId=7', ['old failure']],
    ['?groupId=none&state=failing', ['new failure']],
    ['?muted=true', ['slow']],
    [`?checkId=${slow}`, ['slow']],
    ['?silent=false', ['slow', 'off']],
    ['?flapping=true', ['slow']],
    ['?flapping=false&state=degraded', []],
    ['?tag=shop', ['fine']],
    ['?tag=web', ['old failure']],
    ['?tag=Web&tag=shop', ['fine']],
    ['?tag=Web,shop', ['fine']],
    ['?search=FAIL', ['new failure', 'old failure']],
    ['?search=web', ['old failure', 'fine']],
    ['?search=nothing', []],
  ] as const) {
    assert.deepEqual(await names(query), found, query);
  }
  assert.equal((await names('?sort=-flapping'))[0], 'slow');
  const flapping = await read('?flapping=true');
  assert.equal(flapping.rows[0]?.flappingSince, '1970-01-01T00:00:00.001Z');
  assert.deepEqual([flapping.rows[0]?.changesLastHour, flapping.summary.flapping], [0, 1]);
  assert.equal((await read('?flapping=false')).rows[0]?.changesLastHour, null);
  const { summary, total } = await read('?state=failing&groupId=7');
  assert.deepEqual([summary.total, summary.failing, total], [1, 1, 1]);
  assert.equal((await read('?state=failing')).summary.total, 8);
  for (const wrong of ['?state=broken', '?sort=size', '?limit=201', '?groupId=x', '?muted=yes', '?checkType=FTP']) {
    assert.equal((await get(wrong)).statusCode, 400, wrong);
  }
});

test('the overview is sorted in both directions and read page by page', async () => {
  await using over = await openOverview();
  const { on, names, read } = over;
  putChecks(on);
  const byName = ['fine', 'interrupted', 'lost', 'never ran', 'new failure', 'off', 'old failure', 'slow'];
  assert.deepEqual(await names('?sort=name'), byName);
  assert.deepEqual(await names('?sort=-name'), byName.toReversed());
  const times = await names('?sort=-responseTime');
  assert.deepEqual([times.slice(0, 2), times.at(-1)], [['new failure', 'slow'], 'never ran']);
  assert.deepEqual((await names('?sort=since'))[1], 'old failure');
  assert.deepEqual((await names('?sort=-state'))[0], 'off');
  assert.equal((await names('?sort=lastRun')).at(-1), 'never ran');
  assert.equal((await names('?sort=availability')).length, 8);
  const { rows, total, page, limit } = await read('?sort=name&limit=3&page=3');
  assert.deepEqual([rows.map(({ name }) => name), total, page, limit], [['old failure', 'slow'], 8, 3, 3]);
});

test('checks are listed in sections by group or tag, sorted within each, over all pages', async () => {
  await using over = await openOverview();
  const { on, read, get } = over;
  putChecks(on);
  putGroup(on.raw, on.accountId, 6);
  on.raw.exec(`UPDATE check_groups SET name = 'Zoo' WHERE id = 6`);
  on.raw.exec(`UPDATE checks SET group_id = 6 WHERE name IN ('fine', 'slow')`);
  on.raw.exec(`UPDATE checks SET tags = '["shop"]' WHERE name = 'slow'`);
  on.raw.exec(`UPDATE checks SET tags = '["web"]' WHERE name = 'old failure'`);
  countChange(on.raw, on.accountId);
  const listed = async (query: string) => {
    const { sections, rows, total } = await read(query);
    let from = 0;
    const found = sections.map(({ groupId, name, counts }) => {
      const names = rows.slice(from, (from += counts.total)).map((row) => row.name);
      return [groupId, name, counts.failing, ...names];
    });
    assert.deepEqual([rows.length, total], [from, from], 'each row is in a section');
    return found;
  };
  const others = ['new failure', 'lost', 'never ran', 'interrupted', 'off'];
  assert.deepEqual(await listed('?groupBy=group'), [
    [7, 'group 7', 1, 'old failure'],
    [6, 'Zoo', 0, 'slow', 'fine'],
    [null, null, 1, ...others],
  ]);
  assert.deepEqual(await listed('?groupBy=tag&sort=-name'), [
    [null, 'shop', 0, 'slow', 'fine'],
    [null, 'Web', 0, 'fine'],
    [null, 'web', 1, 'old failure'],
    [null, null, 1, ...others.toSorted().toReversed()],
  ]);
  assert.deepEqual(await listed('?groupBy=group&state=failing&search=old'), [[7, 'group 7', 1, 'old failure']]);
  const whole = await read('?groupBy=tag');
  assert.deepEqual([whole.total, whole.summary.total], [9, 8]);
  const pages = await Promise.all([1, 2, 3].map((page) => read(`?groupBy=tag&limit=4&page=${page}`)));
  assert.deepEqual(
    pages.flatMap(({ rows }) => rows),
    whole.rows,
  );
  for (const { sections, total } of pages) assert.deepEqual([sections, total], [whole.sections, 9]);
  assert.deepEqual((await read()).sections, []);
  assert.equal((await get('?groupBy=state')).statusCode, 400);
});

test('maintenance in progress, or the next one, is named, and its checks are marked', async () => {
  await using over = await openOverview();
  const { on, read } = over;
  putChecks(on);
  const now = on.clock.now();
  const times = { startsAt: now + minuteMs, endsAt: now + 5 * minuteMs, repeatInterval: null, repeatUnit: null };
  const all = { pauseAllChecks: false, silenceAllAlerts: false, silenceAlertsTags: [], timezone: 'UTC', tags: ['web'] };
  insertRow(on.raw, 'maintenance_windows', {
    account_id: idBytes(on.accountId),
    id: 3,
    definition: JSON.stringify({ name: 'Upgrade', description: null, repeatEndsAt: null, ...times, ...all }),
    created_at: 1,
  });
  countChange(on.raw, on.accountId);
  const { nextMaintenance, summary } = await read();
  const next = { startsAt: new Date(times.startsAt).toISOString(), endsAt: new Date(times.endsAt).toISOString() };
  assert.deepEqual(nextMaintenance, { id: 3, name: 'Upgrade', ...next });
  assert.equal(summary.inMaintenance, 0);
  on.clock.advance(2 * minuteMs);
  const { rows } = await read();
  assert.deepEqual(
    rows.flatMap(({ name, inMaintenance }) => (inMaintenance ? name : [])),
    ['old failure'],
  );
});
