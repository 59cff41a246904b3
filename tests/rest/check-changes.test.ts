// Changes to many checks over HTTP: preview, rules, progress and undo.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { AnswerOf } from '#contract/operations.ts';
import { undoMs } from '#domain/changes/bulk-change.ts';
import { newId } from '#lib/id.ts';
import { type Composed, startComposed } from '../support/service/composed.ts';
import { asker } from '../support/service/service.ts';
import { until } from '../support/until.ts';

type Change = AnswerOf<'getCheckChange'>;
type Check = Record<string, unknown> & { readonly id: string };

const cleanups: (() => void | Promise<void>)[] = [];
let on: Composed;
let { must, api } = asker(() => '');

before(async () => {
  on = await startComposed({ after: (work) => void cleanups.push(work) }, { TOCSIN_ROLES: 'api' });
  ({ must, api } = asker(() => on.address, on.apiKey));
});
after(async () => {
  for (const work of cleanups) await work();
});

async function add(name: string, more: object = {}, path = '/v1/checks/url'): Promise<string> {
  const body = { name, request: { url: 'http://127.0.0.1:1/' }, ...more };
  return ((await must('POST', path, body)) as Check).id;
}

const heartbeat = { request: undefined, heartbeat: { period: 1, periodUnit: 'hours', grace: 1, graceUnit: 'minutes' } };
const find = async (id: string) => (await must('GET', `/v1/checks/${id}`)) as Check;
const start = async (checkIds: readonly string[], body: object) =>
  (await must('POST', '/v1/check-changes', { checkIds, ...body })) as unknown as Change;

/** Waits for the end of a change. */
async function ended({ id }: Pick<Change, 'id'>): Promise<Change> {
  return until('the end of the change', async () => {
    const change = (await must('GET', `/v1/check-changes/${id}`)) as unknown as Change;
    return change.status === 'ended' && change;
  });
}

async function undone({ id }: Pick<Change, 'id'>): Promise<Change> {
  return ended((await must('POST', `/v1/check-changes/${id}/undo`)) as unknown as Change);
}

function counts({ checks, changed, unchanged, refused, remaining }: Change): readonly number[] {
  return [checks, changed, unchanged, refused, remaining];
}

test('a preview says what would change, what is so already and what cannot, and changes nothing', async () => {
  const shop = await add('Shop');
  const quick = await add('Quick', { frequency: 5 });
  const job = await add('Job', heartbeat, '/v1/checks/heartbeat');
  const unknown = newId();
  const checkIds = [shop, quick, job, unknown, shop];
  const change = { frequency: 5, frequencyOffset: null };
  const preview = await start(checkIds, { change, dryRun: true });
  const refusals = [
    { checkId: job, name: 'Job', reason: 'A heartbeat has no interval: it expects pings in its own period.' },
    { checkId: unknown, name: null, reason: 'No check of this account has this ID.' },
  ];
  assert.deepEqual([preview.id, preview.status, counts(preview)], [null, 'preview', [4, 1, 1, 2, 0]]);
  assert.deepEqual(preview.refusals, refusals);
  assert.equal((await find(shop))['frequency'], 10);
  const done = await ended(await start(checkIds, { change }));
  assert.deepEqual([counts(done), done.refusals], [[4, 1, 1, 2, 0], refusals]);
  assert.equal((await find(shop))['frequency'], 5);
  assert.equal((await find(quick))['updated_at'], null, 'a check that is so already gets no new revision');
});

test('every setting is changed and restored, and a check that was changed again is kept', async () => {
  const group = Number((await must('POST', '/v1/check-groups', { name: 'Shops' }))['id']);
  const channels: number[] = [];
  for (const name of ['One', 'Two']) {
    const config = { name, url: 'https://hooks.example/', method: 'POST', headers: [], template: '{}' };
    channels.push(Number((await must('POST', '/v1/alert-channels', { type: 'WEBHOOK', config }))['id']));
  }
  const [one = 0, two = 0] = channels;
  await must('POST', '/v1/private-locations', { name: 'Office', slugName: 'office' });
  const alertSettings = { escalationType: 'RUN_BASED', runBasedEscalation: { failedRunThreshold: 3 } };
  const subscribed = { alertChannelSubscriptions: [{ alertChannelId: one, activated: false }] };
  const first = await add('First', { tags: ['a', 'b'], ...subscribed });
  const second = await add('Second', { tags: ['b'], mutedUntilRecovery: true, alertSettings });
  const before = await Promise.all([find(first), find(second)]);
  const mutedFrom = (): unknown =>
    on.raw.prepare(`SELECT definition ->> '$.mutedFrom' AS at FROM checks WHERE name = 'Second'`).get()?.['at'];
  const muted = mutedFrom();
  const change = {
    activated: false,
    mutedUntil: new Date(Date.now() + 3_600_000).toISOString(),
    mutedUntilRecovery: false,
    frequency: 0,
    frequencyOffset: 30,
    locations: ['local'],
    privateLocations: ['office'],
    runParallel: true,
    groupId: group,
    useGlobalAlertSettings: false,
    alertSettings: { escalationType: 'TIME_BASED', timeBasedEscalation: { minutesFailingThreshold: 10 } },
    addTags: ['c'],
    removeTags: ['b'],
    addChannels: [two],
    removeChannels: [one],
  };
  const done = await ended(await start([first, second], { change }));
  assert.deepEqual(counts(done), [2, 2, 0, 0, 0]);
  assert.equal(Date.parse(done.undoableUntil ?? ''), Date.parse(done.ended_at ?? '') + undoMs);
  const { addTags: _a, removeTags: _r, addChannels: _c, removeChannels: _d, ...plain } = change;
  const changed = await find(first);
  assert.deepEqual({ ...changed, ...plain, tags: ['a', 'c'] }, changed);
  assert.deepEqual(changed['alertChannelSubscriptions'], [
    { alertChannelId: two, activated: true, escalationMinutes: 0 },
  ]);
  assert.deepEqual((await find(second))['tags'], ['c']);

  await must('PUT', `/v1/checks/${first}`, { name: 'Renamed' });
  const back = await undone(done);
  assert.deepEqual(
    [back.undoOf, counts(back), back.refusals, back.undoableUntil],
    [done.id, [2, 1, 0, 1, 0], [{ checkId: first, name: 'Renamed', reason: 'It was changed again afterwards.' }], null],
  );
  const restored = await find(second);
  const { updated_at, nextRunAt } = restored;
  assert.deepEqual(restored, { ...before[1], updated_at, nextRunAt });
  assert.equal(mutedFrom(), muted, 'the mute goes on from its first start');
  const again = await api('POST', `/v1/check-changes/${done.id}/undo`);
  assert.deepEqual([again.status, again.body['message']], [409, 'The change has been undone already.']);
});

test('an undo does not bring back a private location that was deleted meanwhile, and no heartbeat gets one', async () => {
  const location = await must('POST', '/v1/private-locations', { name: 'Lab', slugName: 'lab' });
  const [id, free] = [await add('In the lab', { privateLocations: ['lab'] }), await add('Anywhere')];
  const job = await add('Lab job', heartbeat, '/v1/checks/heartbeat');
  const same = await ended(await start([id, free, job], { change: { privateLocations: ['lab'] } }));
  assert.deepEqual(counts(same), [3, 1, 1, 1, 0]);
  assert.match(same.refusals[0]?.reason ?? '', /A heartbeat runs in no location/);
  const done = await ended(await start([id, free], { change: { privateLocations: null } }));
  assert.deepEqual(counts(done), [2, 2, 0, 0, 0]);
  await must('DELETE', `/v1/private-locations/${String(location['id'])}`);
  const back = await undone(done);
  assert.equal(back.refused, 2);
  assert.match(back.refusals[0]?.reason ?? '', /privateLocations\[0\]: is not the slug of a private location/);
  assert.equal((await find(id))['privateLocations'], null);
});

test('an undo keeps subscriptions that were changed afterwards on the page of a channel', async () => {
  const config = { name: 'Hook', url: 'https://hooks.example/', method: 'POST', headers: [], template: '{}' };
  const [one, two] = await Promise.all(
    [1, 2].map(async () => Number((await must('POST', '/v1/alert-channels', { type: 'WEBHOOK', config }))['id'])),
  );
  const [changed, same] = [await add('Subscribed again'), await add('Not subscribed again')];
  const done = await ended(await start([changed, same], { change: { addChannels: [one] } }));
  await must('PUT', `/v1/alert-channels/${two}/subscriptions`, { checkId: changed, activated: true });
  const back = await undone(done);
  const refusal = { checkId: changed, name: 'Subscribed again', reason: 'It was changed again afterwards.' };
  assert.deepEqual([counts(back), back.refusals], [[2, 1, 0, 1, 0], [refusal]]);
  assert.equal(((await find(changed))['alertChannelSubscriptions'] as unknown[]).length, 2);
  assert.deepEqual((await find(same))['alertChannelSubscriptions'], []);
});

test('rules of single changes refuse the same, with the reason', async () => {
  const needed = await add('Needed');
  const group = Number((await must('POST', '/v1/check-groups', { name: 'Depends', dependsOn: [needed] }))['id']);
  const full = await add('Full', { tags: Array.from({ length: 100 }, (_, index) => `t${index}`) });
  const tagged = await ended(await start([full], { change: { addTags: ['one-more'] } }));
  assert.deepEqual(tagged.refusals, [{ checkId: full, name: 'Full', reason: 'It would have more than 100 tags.' }]);
  const other = await add('Needs', { dependsOn: [] });
  await must('PUT', `/v1/checks/${needed}`, { dependsOn: [other] });
  for (const dryRun of [true, false]) {
    const moved = await start([other], { change: { groupId: group }, dryRun });
    const { refusals } = dryRun ? moved : await ended(moved);
    assert.match(refusals[0]?.reason ?? '', /^dependsOn forms a cycle/);
  }
});

test('an interval that a type does not allow is refused alone and together with others', async () => {
  const script = { request: undefined, script: 'await 1;' };
  const id = await add('Script', script, '/v1/checks/multistep');
  const change = { frequency: 0, frequencyOffset: 30 };
  const alone = await api('PUT', `/v1/checks/${id}`, change);
  assert.deepEqual([alone.status, Object.keys(alone.body['attributes'] ?? {})], [400, ['frequency']]);
  const { refusals } = await ended(await start([id], { change }));
  assert.match(refusals[0]?.reason ?? '', /^frequency: must be at least 1: a script runs at most once per minute/);
});

test('a body with values that no check may have is refused as a whole, with the field', async () => {
  const id = await add('Kept');
  const cases: readonly (readonly [change: object, field: string])[] = [
    [{ locations: ['mars'] }, 'change.locations[0]'],
    [{ privateLocations: ['moon'] }, 'change.privateLocations[0]'],
    [{ groupId: 999 }, 'change.groupId'],
    [{ addChannels: [999] }, 'change.addChannels[0]'],
    [{ alertChannelSubscriptions: [{ alertChannelId: 999 }] }, 'change.alertChannelSubscriptions[0].alertChannelId'],
    [{ mutedUntil: '2020-01-01T00:00:00Z' }, 'change.mutedUntil'],
    [{ frequency: 0, frequencyOffset: null }, 'change.frequencyOffset'],
    [{ frequency: 7 }, 'change.frequency'],
    [{ tags: [], addTags: ['a'] }, 'change.tags'],
    [{}, 'change'],
    [{ frequency: 5, script: '1' }, 'change.script'],
  ];
  for (const [change, field] of cases) {
    const answer = await api('POST', '/v1/check-changes', { checkIds: [id], change });
    assert.deepEqual([answer.status, Object.keys(answer.body['attributes'] ?? {})], [400, [field]]);
  }
  for (const body of [{}, { change: { frequency: 5 }, delete: true }]) {
    assert.equal((await api('POST', '/v1/check-changes', { checkIds: [id], ...body })).status, 400);
  }
  const many = Array.from({ length: 10_001 }, () => newId());
  assert.equal((await api('POST', '/v1/check-changes', { checkIds: many, delete: true })).status, 400);
  const most = await start(many.slice(1), { delete: true, dryRun: true });
  assert.deepEqual([counts(most), most.refusals.length], [[10_000, 0, 0, 10_000, 0], 1000]);
});

test('checks are deleted together, which cannot be undone', async () => {
  const ids = [await add('Away'), await add('Gone')];
  const preview = await start(ids, { delete: true, dryRun: true });
  assert.deepEqual(counts(preview), [2, 2, 0, 0, 0]);
  const done = await ended(await start(ids, { delete: true }));
  assert.deepEqual([counts(done), done.undoableUntil], [[2, 2, 0, 0, 0], null]);
  assert.equal((await api('GET', `/v1/checks/${ids[0]}`)).status, 404);
  const answer = await api('POST', `/v1/check-changes/${done.id}/undo`);
  assert.deepEqual([answer.status, answer.body['message']], [409, 'A deletion cannot be undone.']);
});

test('the audit log has an entry for each changed check, with the person or key who started the change', async () => {
  const ids = [await add('Audited'), await add('Audited too')];
  const done = await ended(await start(ids, { change: { frequency: 60 } }));
  await undone(done);
  const entries = async (operation: string) => {
    const found = (await must('GET', '/v1/audit-log')) as unknown as AnswerOf<'listAuditLog'>;
    return found.entries.filter((entry) => entry.operation === operation);
  };
  for (const operation of ['createCheckChange', 'undoCheckChange']) {
    const mine = (await entries(operation)).filter(({ resourceId }) => ids.includes(resourceId ?? ''));
    assert.deepEqual(
      mine.map(({ actor }) => actor.kind),
      ['api-key', 'api-key'],
    );
  }
});

test('an ended change is stored for ten minutes', async () => {
  const id = await add('Old');
  const done = await ended(await start([id], { change: { tags: ['x'] } }));
  on.raw.prepare('UPDATE check_changes SET ended_at = ended_at - ?').run(undoMs);
  assert.equal((await api('GET', `/v1/check-changes/${done.id}`)).status, 404);
  assert.equal((await api('POST', `/v1/check-changes/${done.id}/undo`)).status, 404);
  assert.equal((await api('GET', `/v1/check-changes/${newId()}`)).status, 404);
});
