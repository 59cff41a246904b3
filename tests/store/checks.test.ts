// Checks, groups and channels in the store: what is kept, listed, sealed, moved and taken along.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Check } from '#domain/checks/check.ts';
import type { CheckGroup } from '#domain/checks/check-group.ts';
import { nextSlot } from '#domain/checks/schedule.ts';
import { newId } from '#lib/id.ts';
import { idBytes } from '#store/base/codec.ts';
import type { CheckWrite, Saved } from '#store/checks/checks.ts';
import type { Store } from '#store/store.ts';
import { test } from '../support/store/each-engine.ts';
import type { RawRows } from '../support/store/raw-rows.ts';
import { aChannel, aCheck, aGroup, noNotifications } from '../support/store/records.ts';

const nothing = { subscriptions: null, isAutoAssigned: false };
const page = { limit: 100, offset: 0 };

function saved<Stored>(outcome: Saved<Stored> | null): Stored {
  assert.ok(outcome !== null && 'saved' in outcome, `not saved: ${JSON.stringify(outcome)}`);
  return outcome.saved;
}

async function addCheck(store: Store, check: Check, more: Partial<CheckWrite> = {}): Promise<Check> {
  return saved(await store.checks.add({ check, ...nothing, ...more })).check;
}

/** The row of a check's schedule, read from the file itself. */
function scheduleRow(raw: RawRows, checkId: string): Record<string, unknown> | null {
  const row = raw.prepare('SELECT * FROM schedules WHERE check_id = ?').get(idBytes(checkId));
  return row === undefined ? null : { ...row };
}

test('a check comes back as it was stored, under its own account only', async (newStore) => {
  await using temp = await newStore();
  const accountId = randomUUID();
  const { store, clock } = temp;
  const check = aCheck(accountId, { name: 'Zürich 東京 🛎', tags: ['a', 'ü'], description: "it's" });
  await addCheck(store, check);
  const found = await store.checks.find(accountId, check.id);
  assert.deepEqual(found, {
    check: { ...check, createdAt: clock.now(), updatedAt: null },
    subscriptions: [],
    notifiesNobody: true,
  });
  assert.equal(await store.checks.find(randomUUID(), check.id), null);
});

test('secrets of a check stand sealed in the database', async (newStore) => {
  await using temp = await newStore();
  const accountId = randomUUID();
  const { store } = temp;
  const request = { method: 'GET', url: 'https://a.example', basicAuth: { username: 'bob', password: 'canary-one' } };
  const check = aCheck(accountId, {
    environmentVariables: [{ key: 'TOKEN', value: 'canary-two', locked: false, secret: true }],
    settings: { request },
  });
  await addCheck(store, check);
  const found = await store.checks.find(accountId, check.id);
  assert.equal(found?.check.environmentVariables[0]?.value, 'canary-two');
  assert.deepEqual(found?.check.settings, { request });
  assert.ok(temp.stored().includes('https://a.example'), 'the database holds the check');
  assert.ok(!temp.stored().includes('canary-'), 'the database holds no secret');
});

test('lists the variable names of all groups without values, and their locked variables', async (newStore) => {
  await using temp = await newStore();
  const { store } = temp;
  const accountId = randomUUID();
  const variable = { value: 'canary', locked: true };
  const add = (account: string, environmentVariables: CheckGroup['environmentVariables']) =>
    store.checkGroups.add({ group: { ...aGroup(account), environmentVariables }, ...nothing });
  for (let left = 250; left > 0; left--) await add(accountId, []);
  await add(accountId, [
    { ...variable, key: 'FLOOR', secret: false },
    { ...variable, key: 'TOKEN', secret: true },
  ]);
  await add(accountId, [{ ...variable, key: 'FLOOR', secret: true }]);
  await add(randomUUID(), [{ ...variable, key: 'FOREIGN', secret: false }]);
  assert.deepEqual(await store.checkGroups.variableKeys(accountId), [
    { key: 'FLOOR', secret: false },
    { key: 'TOKEN', secret: true },
    { key: 'FLOOR', secret: true },
  ]);
  assert.deepEqual(await store.checkGroups.variableKeys(randomUUID()), []);
  await add(accountId, [{ ...variable, key: 'OPEN', secret: false, locked: false }]);
  assert.deepEqual(
    await store.checkGroups.lockedVariables(accountId),
    [{ key: 'FLOOR', value: 'canary', locked: true, secret: false }],
    'secret and unlocked variables are omitted',
  );
});

test('a check is scheduled exactly while it and its group are activated, always at the same phase', async (newStore) => {
  await using temp = await newStore();
  const accountId = randomUUID();
  const { store, raw, clock } = temp;
  const { group } = saved(await store.checkGroups.add({ group: aGroup(accountId), ...nothing }));
  const check = await addCheck(store, aCheck(accountId, { groupId: group.id }));
  const first = scheduleRow(raw, check.id);
  assert.equal(first?.['interval_ms'], 600_000);
  const phase = Number(first['phase_ms']);
  assert.equal(first['next_due_at'], nextSlot(clock.now(), 600_000, phase));

  const switchCheck = (activated: boolean) =>
    store.checks.change(accountId, check.id, (present) => ({ check: { ...present.check, activated }, ...nothing }));
  const switchGroup = (activated: boolean) =>
    store.checkGroups.change(accountId, group.id, (present) => ({
      group: { ...present.group, activated },
      ...nothing,
    }));
  await switchCheck(false);
  assert.equal(scheduleRow(raw, check.id), null);
  await switchGroup(false);
  await switchCheck(true);
  assert.equal(scheduleRow(raw, check.id), null, 'the group is still deactivated');
  clock.advance(3_600_001);
  await switchGroup(true);
  const again = scheduleRow(raw, check.id);
  assert.equal(again?.['phase_ms'], phase);
  assert.equal(again?.['next_due_at'], nextSlot(clock.now(), 600_000, phase));
});

test('an edit moves what is due next only when it changes the interval or the phase', async (newStore) => {
  await using temp = await newStore();
  const accountId = randomUUID();
  const { store, raw, clock } = temp;
  const check = await addCheck(store, aCheck(accountId));
  const edit = (change: Partial<Check>) =>
    store.checks.change(accountId, check.id, (present) => ({ check: { ...present.check, ...change }, ...nothing }));
  const before = scheduleRow(raw, check.id)?.['next_due_at'];
  clock.advance(1_800_000);
  await edit({ name: 'Renamed', locations: ['local'], runParallel: true });
  const renamed = scheduleRow(raw, check.id);
  assert.equal(renamed?.['next_due_at'], before, 'an overdue slot stays to be recorded');
  assert.equal(renamed?.['locations'], '["local"]');
  assert.equal(renamed?.['run_parallel'], 1);

  await edit({ frequency: 1, frequencyOffset: 17 });
  const fixed = scheduleRow(raw, check.id);
  assert.equal(fixed?.['phase_ms'], 17_000);
  assert.equal(fixed?.['next_due_at'], Date.UTC(2026, 2, 10, 12, 30, 17));
  await edit({ frequency: 0, frequencyOffset: 20 });
  assert.equal(scheduleRow(raw, check.id)?.['interval_ms'], 20_000);
});

test('a group decides where and how its checks run, until it is deleted', async (newStore) => {
  await using temp = await newStore();
  const accountId = randomUUID();
  const { store, raw } = temp;
  const { group } = saved(await store.checkGroups.add({ group: aGroup(accountId), ...nothing }));
  const check = await addCheck(store, aCheck(accountId, { groupId: group.id }));
  await store.checkGroups.change(accountId, group.id, (present) => ({
    group: { ...present.group, locations: ['here'], runParallel: true },
    ...nothing,
  }));
  assert.equal(scheduleRow(raw, check.id)?.['locations'], '["here"]');
  assert.equal(scheduleRow(raw, check.id)?.['run_parallel'], 1);
  assert.equal(await store.checkGroups.remove(accountId, group.id), true);
  assert.equal((await store.checks.find(accountId, check.id))?.check.groupId, null);
  assert.equal(scheduleRow(raw, check.id)?.['locations'], '[]');
  assert.equal(scheduleRow(raw, check.id)?.['run_parallel'], 0);
  assert.equal(await store.checkGroups.remove(accountId, group.id), false);
});

test('checks are found by tags, name in any case, URL, group, activation and status', async (newStore) => {
  await using temp = await newStore();
  const accountId = randomUUID();
  const { store, clock } = temp;
  const { group } = saved(await store.checkGroups.add({ group: aGroup(accountId), ...nothing }));
  const add = async (name: string, change: Partial<Check> = {}) => {
    clock.advance(1);
    await addCheck(store, aCheck(accountId, { name, ...change }));
  };
  await add('Über uns', { tags: ['web', 'de'] });
  await add('100% sure_thing', { tags: ['web'], activated: false });
  await add('Kasse', { groupId: group.id, settings: { request: { url: 'https://Pay.example/a_b' } } });
  await addCheck(store, aCheck(randomUUID(), { name: 'Über foreign', tags: ['web'] }));
  const names = async (filter: Parameters<Store['checks']['list']>[1]) => {
    const { rows, total } = await store.checks.list(accountId, filter, page);
    assert.equal(total, rows.length);
    return rows.map(({ check }) => check.name);
  };
  assert.deepEqual(await names({}), ['Kasse', '100% sure_thing', 'Über uns']);
  assert.deepEqual(await names({ tags: ['web'] }), ['100% sure_thing', 'Über uns']);
  assert.deepEqual(await names({ tags: ['web', 'de'] }), ['Über uns']);
  assert.deepEqual(await names({ tags: ['We'] }), []);
  assert.deepEqual(await names({ search: 'üBER' }), ['Über uns']);
  assert.deepEqual(await names({ search: '%' }), ['100% sure_thing']);
  assert.deepEqual(await names({ search: 'e_t' }), ['100% sure_thing']);
  assert.deepEqual(await names({ apiCheckUrlFilterPattern: 'pay.EXAMPLE/a_' }), ['Kasse']);
  assert.deepEqual(await names({ groupId: group.id }), ['Kasse']);
  assert.deepEqual(await names({ activated: false }), ['100% sure_thing']);
  assert.deepEqual(await names({ checkType: 'API', search: 'kasse', tags: [] }), ['Kasse']);
  assert.deepEqual(await names({ status: 'failing' }), []);
});

test('tags are found as they were last written', async (newStore) => {
  await using temp = await newStore();
  const accountId = randomUUID();
  const { store } = temp;
  const check = await addCheck(store, aCheck(accountId, { tags: ['a\nb'] }));
  await store.checks.change(accountId, check.id, () => ({ check: { ...check, tags: ['a', 'b'] }, ...nothing }));
  for (const [tag, total] of [
    ['a', 1],
    ['b', 1],
    ['a\nb', 0],
  ] as const) {
    assert.equal((await store.checks.list(accountId, { tags: [tag] }, page)).total, total, tag);
  }
});

test('many checks are listed page by page, each once, newest first', async (newStore) => {
  await using temp = await newStore();
  const accountId = randomUUID();
  const { store, clock } = temp;
  for (let number = 0; number < 110; number++) {
    if (number % 3 === 0) clock.advance(1);
    await addCheck(store, aCheck(accountId, { name: `Check ${number}` }));
  }
  const seen: Check[] = [];
  for (let offset = 0; offset < 110; offset += 20) {
    const { rows, total } = await store.checks.list(accountId, {}, { limit: 20, offset });
    assert.equal(total, 110);
    seen.push(...rows.map(({ check }) => check));
  }
  assert.equal(new Set(seen.map(({ id }) => id)).size, 110);
  assert.deepEqual(
    seen.map(({ createdAt }) => createdAt),
    seen.map(({ createdAt }) => createdAt).sort((one, other) => other - one),
  );
});

test('two changes at once both hold', async (newStore) => {
  await using temp = await newStore();
  const accountId = randomUUID();
  const { store } = temp;
  const check = await addCheck(store, aCheck(accountId));
  await Promise.all(
    Array.from({ length: 20 }, (_, number) =>
      store.checks.change(accountId, check.id, (present) => ({
        check: { ...present.check, tags: [...present.check.tags, `t${number}`] },
        ...nothing,
      })),
    ),
  );
  assert.equal((await store.checks.find(accountId, check.id))?.check.tags.length, 20);
  assert.equal((await store.checks.list(accountId, { tags: ['t0', 't19'] }, page)).total, 1);
});

test('an edit that throws, and a reference that names nothing, change nothing', async (newStore) => {
  await using temp = await newStore();
  const accountId = randomUUID();
  const { store } = temp;
  const check = await addCheck(store, aCheck(accountId));
  const refused = store.checks.change(accountId, check.id, () => {
    throw new RangeError('no');
  });
  await assert.rejects(refused, RangeError);
  assert.deepEqual(
    await store.checks.change(accountId, check.id, (present) => ({
      check: { ...present.check, name: 'New', groupId: 99 },
      ...nothing,
    })),
    { dangling: 'groupId' },
  );
  const subscriptions = [{ alertChannelId: 5, activated: true, escalationMinutes: 0 }];
  assert.deepEqual(await store.checks.add({ check: aCheck(accountId), subscriptions, isAutoAssigned: false }), {
    dangling: 'alertChannelSubscriptions[0].alertChannelId',
  });
  assert.equal((await store.checks.find(accountId, check.id))?.check.name, 'Shop');
  assert.equal((await store.checks.list(accountId, {}, page)).total, 1);
  assert.equal(await store.checks.change(accountId, newId(), (present) => ({ ...present, ...nothing })), null);
});

test('channels that subscribe themselves are attached to new checks and groups, unless that is declined', async (newStore) => {
  await using temp = await newStore();
  const accountId = randomUUID();
  const { store } = temp;
  const addChannel = async (autoSubscribe: boolean) =>
    saved(await store.alertChannels.add({ channel: aChannel(accountId, { autoSubscribe }), subscriptions: [] })).channel
      .id;
  const auto = await addChannel(true);
  const named = await addChannel(false);
  const own = [{ alertChannelId: named, activated: false, escalationMinutes: 5 }];
  const attached = await store.checks.add({ check: aCheck(accountId), subscriptions: own, isAutoAssigned: true });
  assert.deepEqual(saved(attached).subscriptions, [
    ...own,
    { alertChannelId: auto, activated: true, escalationMinutes: 0 },
  ]);
  const declined = await store.checks.add({ check: aCheck(accountId), subscriptions: own, isAutoAssigned: false });
  assert.deepEqual(saved(declined).subscriptions, own);
  const grouped = await store.checkGroups.add({ group: aGroup(accountId), subscriptions: [], isAutoAssigned: true });
  assert.deepEqual(saved(grouped).subscriptions, [{ alertChannelId: auto, activated: true, escalationMinutes: 0 }]);

  const { check } = saved(attached);
  const replaced = await store.checks.change(accountId, check.id, () => ({
    check,
    subscriptions: [{ alertChannelId: auto, activated: false }],
    isAutoAssigned: false,
  }));
  assert.deepEqual(saved(replaced).subscriptions, [{ alertChannelId: auto, activated: false, escalationMinutes: 0 }]);
});

test('deleting a check takes its schedule, subscriptions and open runs with it, and its results in slices', async (newStore) => {
  await using temp = await newStore();
  const accountId = randomUUID();
  const { store, raw } = temp;
  const { channel } = saved(await store.alertChannels.add({ channel: aChannel(accountId), subscriptions: [] }));
  const check = await addCheck(store, aCheck(accountId, { tags: ['a'] }), {
    subscriptions: [{ alertChannelId: channel.id, activated: true }],
  });
  const kept = await addCheck(store, aCheck(accountId));
  const account = idBytes(accountId);
  const addResult = raw.prepare(
    `INSERT INTO results (account_id, check_id, id, attempt, outcome, location, source, slots, started_at, duration_ms,
       loop_delay_ms) VALUES (?, ?, ?, 1, 0, 'local', 0, 1, 0, 1, 0)`,
  );
  raw.exec('BEGIN');
  for (let number = 0; number < 2500; number++) addResult.run(account, idBytes(check.id), idBytes(newId()));
  addResult.run(account, idBytes(kept.id), idBytes(newId()));
  raw
    .prepare(
      `INSERT INTO runs (account_id, id, check_id, location, source, attempt, due_at, available_at)
       VALUES (?, ?, ?, 'local', 0, 1, 0, 0)`,
    )
    .run(account, idBytes(newId()), idBytes(check.id));
  raw.exec('COMMIT');
  const count = (table: string) => Number(raw.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.['n']);

  assert.equal(await store.checks.remove(accountId, check.id, noNotifications), true);
  assert.equal(await store.checks.remove(accountId, check.id, noNotifications), false);
  assert.equal(scheduleRow(raw, check.id), null);
  for (const table of ['subscriptions', 'check_tags', 'runs']) assert.equal(count(table), 0, table);
  assert.equal(count('results'), 1501);
  assert.equal(raw.prepare('SELECT scheduled FROM account_counts').get()?.['scheduled'], -1, 'no longer due');
  let slices = 0;
  while ((await store.orphans.removeSome(1000)) > 0) slices++;
  assert.ok(slices >= 2);
  assert.equal(count('results'), 1, 'only that of the other check');
});

test('a channel that is deleted takes its subscriptions with it and cancels what it had pending', async (newStore) => {
  await using temp = await newStore();
  const accountId = randomUUID();
  const { store, raw } = temp;
  const { channel } = saved(await store.alertChannels.add({ channel: aChannel(accountId), subscriptions: [] }));
  const check = await addCheck(store, aCheck(accountId));
  await store.alertChannels.subscribe(accountId, channel.id, { checkId: check.id, groupId: null, activated: true });
  raw
    .prepare(
      `INSERT INTO deliveries (account_id, id, alert_channel_id, alert_type, status, created_at, next_attempt_at)
       VALUES (?, ?, ?, 'ALERT_FAILURE', 0, 1, 1)`,
    )
    .run(idBytes(accountId), Buffer.alloc(16, 1), channel.id);
  assert.equal(await store.alertChannels.remove(accountId, channel.id), true);
  assert.deepEqual((await store.checks.find(accountId, check.id))?.subscriptions, []);
  const delivery = raw.prepare('SELECT status, next_attempt_at, error FROM deliveries').get();
  assert.deepEqual({ ...delivery }, { status: 5, next_attempt_at: null, error: 'the alert channel was deleted' });
});

test('a channel names only checks and groups of its own account, and keeps its secrets sealed', async (newStore) => {
  await using temp = await newStore();
  const accountId = randomUUID();
  const { store } = temp;
  const foreign = await addCheck(store, aCheck(randomUUID()));
  const channel = aChannel(accountId, { secrets: { a: 'canary-a', b: { secret: 'canary-b', until: 5 } } });
  const subscriptions = [{ checkId: foreign.id, groupId: null, activated: true }];
  assert.deepEqual(await store.alertChannels.add({ channel, subscriptions }), { dangling: 'subscriptions[0].checkId' });
  const added = saved(await store.alertChannels.add({ channel, subscriptions: [] }));
  assert.equal(added.channel.id, 1, 'a refused one takes no number');
  assert.deepEqual(added.channel.secrets, channel.secrets);
  const { id } = added.channel;
  assert.deepEqual(await store.alertChannels.subscribe(accountId, id, { checkId: null, groupId: 3, activated: true }), {
    dangling: '[0].groupId',
  });
  assert.equal(await store.alertChannels.subscribe(accountId, 9, { checkId: null, groupId: 3, activated: true }), null);
  assert.ok(temp.stored().includes('hook') || temp.stored().includes('Hook'));
  assert.ok(!temp.stored().includes('canary-'));
});

test('groups are found by all of their tags and by name', async (newStore) => {
  await using temp = await newStore();
  const accountId = randomUUID();
  const { store } = temp;
  for (const [name, ...tags] of [
    ['One', 'a', 'x,"b'],
    ['Two', 'a'],
    ['Three', 'A b'],
  ] as [string, ...string[]][]) {
    await store.checkGroups.add({ group: aGroup(accountId, { name, tags }), ...nothing });
  }
  const names = async (filter: Parameters<Store['checkGroups']['list']>[1]) =>
    (await store.checkGroups.list(accountId, filter, page)).rows.map(({ group }) => group.name);
  assert.deepEqual(await names({}), ['One', 'Two', 'Three']);
  assert.deepEqual(await names({ tags: ['a'] }), ['One', 'Two']);
  assert.deepEqual(await names({ tags: ['a', 'x,"b'] }), ['One']);
  assert.deepEqual(await names({ tags: ['b'] }), []);
  assert.deepEqual(await names({ names: ['Two', 'Three'] }), ['Two', 'Three']);
});
