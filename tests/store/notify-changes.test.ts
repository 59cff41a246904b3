// Channels and subscribers are notified once of each change of a status page, in slices, and not of what is no longer true.
import assert from 'node:assert/strict';
import { subscribersChannelId } from '#domain/deliveries/page-news.ts';
import { newId } from '#lib/id.ts';
import { idBytes } from '#store/base/codec.ts';
import { onSqlite, test } from '../support/store/each-engine.ts';
import { aChannel } from '../support/store/records.ts';
import { aStatusService } from '../support/store/status-pages.ts';
import { Notifying } from './notifying.ts';

const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000];
onSqlite(
  'an update is sent once, a minute after it appeared, with those of that minute, to those who want its services',
  async (newStore) => {
    await using own = await Notifying.open(newStore);
    const other = await own.store.statusServices.add(aStatusService(own.accountId));
    await own.subscribe('all@example.com');
    await own.subscribe('this@example.com', [own.serviceId]);
    await own.subscribe('other@example.com', [other.id]);
    const { id } = await own.incident();
    await own.pass(0);
    await own.pass(minuteMs / 2);
    await own.addUpdate(id);
    await own.addUpdate(id, { description: 'Silent.', notifySubscribers: false });
    await own.addUpdate(id, { description: 'Later.', publicAt: own.now + hourMs });
    await own.pass(minuteMs / 2 - 1);
    assert.deepEqual(own.read(), []);
    await own.pass(1);
    assert.deepEqual(own.read(), [
      ['all@example.com', 'We look.', 'Fixed.'],
      ['this@example.com', 'We look.', 'Fixed.'],
    ]);
    await own.pass(10 * minuteMs);
    assert.deepEqual(own.read(), []);
    await own.pass(hourMs);
    await own.pass(minuteMs);
    assert.deepEqual(own.read(), [
      ['all@example.com', 'Later.'],
      ['this@example.com', 'Later.'],
    ]);
    await own.incident({ serviceIds: [] });
    await own.pass(0);
    await own.pass(minuteMs);
    assert.deepEqual(
      own.read().map(([to]) => to),
      ['all@example.com', 'this@example.com', 'other@example.com'],
      'an incident of no service is about the whole page',
    );
  },
);

onSqlite('more than ten changes of a minute are several messages, and none is left out', async (newStore) => {
  await using own = await Notifying.open(newStore);
  await own.subscribe('all@example.com');
  const { id } = await own.incident();
  for (let count = 1; count <= 11; count++) await own.addUpdate(id, { description: `Update ${count}.` });
  await own.pass(0);
  await own.pass(minuteMs);
  await own.pass(minuteMs);
  const mails = own.read().map(([, ...texts]) => texts);
  assert.deepEqual(
    mails.map(({ length }) => length),
    [10, 2],
  );
  const all = ['We look.', ...Array.from({ length: 11 }, (_, index) => `Update ${index + 1}.`)];
  assert.deepEqual(mails.flat().toSorted(), all.toSorted());
});

test('drafts, unpublished pages and outdated changes cause no notifications', async (newStore) => {
  await using own = await Notifying.open(newStore);
  const setPublished = (isPublished: boolean) =>
    own.store.statusPages.change(own.accountId, own.page.id, (present) => ({ ...present, isPublished }), {});
  await own.subscribe('all@example.com');
  const draft = await own.incident({ isDraft: true });
  await own.pass(0);
  await own.pass(minuteMs);
  assert.deepEqual(own.read(), []);
  const setDraft = (isDraft: boolean) =>
    own.store.statusIncidents.change(own.accountId, draft.id, (present) => ({ ...present, isDraft }));
  await setDraft(false);
  await own.pass(0);
  await setDraft(true);
  await own.pass(minuteMs);
  await own.pass(minuteMs);
  assert.deepEqual(own.read(), [], 'it became a draft again');
  const ids = draft.updates.map(({ id }) => id);
  assert.equal((await own.store.pageChanges.progress(own.accountId, ids)).size, 0);
  await setDraft(false);
  await own.pass(0);
  await own.pass(minuteMs);
  assert.deepEqual(own.read(), [['all@example.com', 'We look.']], 'it was published after all');
  await setDraft(true);
  await own.pass(minuteMs);
  await setDraft(false);
  await own.pass(minuteMs);
  await own.pass(minuteMs);
  assert.deepEqual(own.read(), [], 'they know it');
  await setPublished(false);
  const incident = await own.incident({ serviceIds: [] });
  await own.pass(0);
  await own.pass(minuteMs);
  await setPublished(true);
  await own.pass(minuteMs);
  await own.pass(minuteMs);
  assert.deepEqual(own.read(), [], 'it appeared on a draft');
  await own.addUpdate(incident.id);
  await own.pass(0);
  await setPublished(false);
  await own.pass(minuteMs);
  await setPublished(true);
  await own.pass(2 * minuteMs);
  assert.deepEqual(own.read(), [], 'the page was not published when it was due');
  await own.addUpdate(incident.id);
  await own.pass(dayMs);
  await own.pass(minuteMs);
  assert.equal(own.read().length, 0, 'it is no news after a day');
  own.page = await own.pages.pageOf(own.serviceId);
  await own.subscribe('new@example.com');
  await own.pass(minuteMs);
  await own.pass(minuteMs);
  assert.deepEqual(own.read(), [], 'a new page sends nothing old');
  const progress = await own.store.pageChanges.progress(own.accountId, [
    draft.updates[0]?.id ?? '',
    incident.updates[0]?.id ?? '',
  ]);
  assert.deepEqual(
    [...progress.values()].map(({ status }) => status),
    ['SENT', 'WITHDRAWN'],
  );
});

test('subscribers are notified in slices, each once, whichever process goes on and however many wait', async (newStore) => {
  await using own = await Notifying.open(newStore);
  const page = { accountId: own.accountId, pageId: own.page.id };
  const emails = Array.from({ length: 950 }, (_, index) => `s${index}@example.com`);
  await own.store.statusSubscribers.add(
    page,
    emails.map((email) => ({ email, serviceIds: null })),
    true,
  );
  const { updates } = await own.incident();
  await own.publish();
  const stateOf = async () => {
    const found = await own.store.pageChanges.progress(own.accountId, [updates[0]?.id ?? '']);
    const { status, notified, subscribers } = found.get(updates[0]?.id ?? '') ?? assert.fail();
    return [status, notified, subscribers];
  };
  assert.deepEqual(await stateOf(), ['DUE', 0, 0]);
  own.pages.path.temp.clock.advance(minuteMs);
  const due = await own.store.pageNews.due(own.now, null);
  await own.notify();
  assert.deepEqual(await stateOf(), ['SENDING', 200, 950]);
  const [stale] = due.batches;
  assert.ok(stale);
  const late = { deliveries: [], progress: null, notified: 0, isLast: true };
  assert.equal(await own.store.pageNews.send(stale, late, own.now), false, 'a process that was slow changes nothing');
  const told: string[] = [];
  const other = own.process();
  for (let round = 0; round < 10; round++) {
    await Promise.all([own.notify(), other()]);
    const waiting = await own.store.pageNews.waiting(own.accountId, 10_000);
    assert.ok(waiting <= 600, String(waiting));
    if (round % 2 === 1) told.push(...own.read().map(([to]) => String(to)));
  }
  told.push(...own.read().map(([to]) => String(to)));
  assert.deepEqual(told.toSorted(), emails.toSorted());
  assert.deepEqual(await stateOf(), ['SENT', 950, 950]);
});

onSqlite(
  'subscribers are notified of maintenance a day and an hour before, at its start and its end, also across summer time',
  async (newStore) => {
    // Clocks in Berlin go forward on 29 March 2026 at 02:00.
    const from = Date.parse('2026-03-29T03:30:00+02:00');
    await using own = await Notifying.open(newStore, from - 30 * hourMs);
    const service = await own.store.statusServices.add(aStatusService(own.accountId, { tags: ['shop'] }));
    own.page = await own.pages.pageOf(service.id);
    await own.pages.path.check({ tags: ['shop'] });
    await own.subscribe('all@example.com');
    const window = {
      name: 'Database',
      description: null,
      tags: ['shop'],
      checkIds: [],
      groupIds: [],
      startsAt: from - dayMs,
      endsAt: from - dayMs + 2 * hourMs,
      repeatInterval: 1,
      repeatUnit: 'DAY',
      repeatEndsAt: null,
      timezone: 'Europe/Berlin',
      pauseAllChecks: false,
      silenceAllAlerts: false,
      silenceAlertsTags: [],
      isPublic: true,
    } as const;
    const first = from - 23 * hourMs;
    await own.store.maintenanceWindows.add(own.accountId, { ...window, startsAt: first, endsAt: first + 2 * hourMs });
    const told: (readonly [string, string])[] = [];
    while (own.now < from + 3 * hourMs) {
      await own.pass(29 * minuteMs);
      await own.pass(minuteMs);
      for (const [to, ...says] of own.read()) {
        assert.equal(to, 'all@example.com');
        told.push(...says.map((say) => [new Date(own.now).toISOString().slice(5, 16), say] as const));
      }
    }
    const times = (event: string) => told.filter(([, say]) => say === event).map(([at]) => at);
    assert.equal(times('DAY_BEFORE').length, 3, JSON.stringify(told));
    // 03:30 local is 02:30 UTC before the change and 01:30 UTC after it.
    // Messages are read twice an hour, the first time half an hour after.
    assert.deepEqual(times('STARTED'), ['03-28T03:00', '03-29T02:00']);
    assert.equal(times('HOUR_BEFORE')[1], '03-29T01:00');
    assert.equal(times('ENDED')[1], '03-29T04:00');
  },
);

test('maintenance that was announced and does not take place is cancelled', async (newStore) => {
  await using own = await Notifying.open(newStore);
  const service = await own.store.statusServices.add(aStatusService(own.accountId, { tags: ['shop'] }));
  own.page = await own.pages.pageOf(service.id);
  await own.pages.path.check({ tags: ['shop'] });
  await own.subscribe('all@example.com');
  const write = {
    name: 'Database',
    description: null,
    tags: ['shop'],
    checkIds: [],
    groupIds: [],
    startsAt: own.now + 2 * hourMs,
    endsAt: own.now + 4 * hourMs,
    repeatInterval: null,
    repeatUnit: null,
    repeatEndsAt: null,
    timezone: 'UTC',
    pauseAllChecks: false,
    silenceAllAlerts: false,
    silenceAlertsTags: [],
    isPublic: true,
  } as const;
  const window = await own.store.maintenanceWindows.add(own.accountId, write);
  await own.pass(0);
  await own.pass(minuteMs);
  assert.deepEqual(own.read(), [['all@example.com', 'DAY_BEFORE']]);
  const moved = { ...write, skippedOccurrences: [], startsAt: write.startsAt + hourMs, endsAt: write.endsAt + hourMs };
  await own.store.maintenanceWindows.change(own.accountId, window.id, () => moved);
  await own.pass(0);
  await own.pass(minuteMs);
  assert.deepEqual(own.read(), [['all@example.com', 'DAY_BEFORE', 'CANCELLED']], 'in one message');
  await own.store.maintenanceWindows.change(own.accountId, window.id, () => ({ ...moved, isPublic: false }));
  await own.pass(0);
  await own.pass(minuteMs);
  assert.deepEqual(own.read(), [], 'it takes place, but not in public');
});

onSqlite('a page does not wait for all pages before it', async (newStore) => {
  await using own = await Notifying.open(newStore);
  const key = (pageId: string) => ({ accountId: own.accountId, pageId });
  const pages = [];
  for (let index = 0; index < 120; index++) pages.push(await own.pages.pageOf(own.serviceId));
  await own.incident();
  await own.pass(0);
  own.pages.path.temp.clock.advance(minuteMs);
  const seen = new Set<string>();
  let next = null;
  do {
    const due = await own.store.pageNews.due(own.now, next);
    assert.ok(due.batches.length <= 50);
    for (const { pageId } of due.batches) seen.add(pageId);
    next = due.next;
  } while (next !== null);
  assert.equal(seen.size, 121);
  const last = pages.at(-1) ?? assert.fail();
  await own.store.statusSubscribers.add(key(last.id), [{ email: 'last@example.com', serviceIds: null }], true);
  for (let round = 0; round < 3; round++) await own.notify();
  assert.deepEqual(own.read(), [['last@example.com', 'We look.']]);
});

test('sent changes are known for longer than pages show their incidents', async (newStore) => {
  await using own = await Notifying.open(newStore);
  const { updates } = await own.incident();
  await own.pass(0);
  await own.pass(minuteMs);
  const ids = [updates[0]?.id ?? ''];
  assert.equal(await own.store.pageChanges.removeOld(own.now + 399 * dayMs), 0);
  assert.equal((await own.store.pageChanges.progress(own.accountId, ids)).size, 1);
  assert.equal(await own.store.pageChanges.removeOld(own.now + 401 * dayMs), 1);
  assert.equal((await own.store.pageChanges.progress(own.accountId, ids)).size, 0);
});

test('channels of a page get one message per change; deleted ones and others get none', async (newStore) => {
  await using own = await Notifying.open(newStore);
  const add = async (type: string, config: object) => {
    const channel = { ...aChannel(own.accountId), id: 0, type, config: { ...config } };
    const saved = await own.store.alertChannels.add({ channel, subscriptions: null });
    assert.ok('saved' in saved);
    return saved.saved.channel.id;
  };
  const hook = await add('WEBHOOK', { url: 'https://hook.example', method: 'POST' });
  const chat = await add('WEBHOOK', { url: 'https://hook.example', method: 'POST', webhookType: 'WEBHOOK_DISCORD' });
  const mail = await add('EMAIL', { address: 'ops@example.com' });
  const alertChannelIds = [hook, chat, mail];
  await own.store.statusPages.change(own.accountId, own.page.id, (page) => ({ ...page, alertChannelIds }), {});
  await own.store.alertChannels.remove(own.accountId, mail);
  const { id } = await own.incident();
  await own.addUpdate(id);
  await own.pass(0);
  await own.pass(minuteMs);
  assert.deepEqual(own.read(), [
    [hook, 'We look.'],
    [hook, 'Fixed.'],
  ]);
});

test('a message to somebody who has unsubscribed meanwhile ends before it is sent', async (newStore) => {
  await using own = await Notifying.open(newStore);
  await own.subscribe('stays@example.com');
  await own.subscribe('leaves@example.com');
  await own.incident();
  await own.pass(0);
  await own.pass(minuteMs);
  const key = { accountId: own.accountId, pageId: own.page.id };
  const { rows } = await own.store.statusSubscribers.list(key, null, 10, 'leaves');
  await own.store.statusSubscribers.remove({ ...key, id: rows[0]?.id ?? '' });
  assert.deepEqual(await admitted(own), [
    [true, null],
    [false, 'the address has unsubscribed'],
  ]);
});

/** Whether each claimed message to a subscriber may leave, and why not. */
async function admitted(own: Notifying): Promise<(readonly [boolean, unknown])[]> {
  const { path } = own.pages;
  const claimed = await path.claimDeliveries();
  const owners = path.temp.raw.prepare('SELECT DISTINCT leased_by AS owner FROM deliveries').all();
  const owner = String(owners.find((row) => row['owner'] !== null)?.['owner']);
  const outcomes: (readonly [boolean, unknown])[] = [];
  for (const { delivery, channel } of claimed) {
    assert.deepEqual([channel.id, channel.type], [subscribersChannelId, 'STATUS_PAGE']);
    const isAdmitted = await own.store.pageNews.admit({ accountId: own.accountId, deliveryId: delivery.id, owner });
    const [row] = path.temp.raw
      .prepare('SELECT error, leased_by FROM deliveries WHERE id = ?')
      .all(idBytes(delivery.id));
    assert.equal(row?.['leased_by'] === null, !isAdmitted);
    outcomes.push([isAdmitted, row?.['error']]);
  }
  return outcomes;
}

test('a queued message leaves without what was withdrawn meanwhile', async (newStore) => {
  await using own = await Notifying.open(newStore);
  await own.subscribe('all@example.com');
  const first = await own.incident();
  const second = await own.incident();
  const mistake = newId();
  await own.addUpdate(second.id, { id: mistake, description: 'A mistake.' });
  await own.pass(0);
  await own.pass(minuteMs);
  await own.setDraft(first.id);
  await own.store.statusIncidents.removeUpdate(own.accountId, second.id, mistake);
  assert.deepEqual(await admitted(own), [[true, null]]);
  assert.deepEqual(own.read(), [['all@example.com', 'We look.']]);
});

test('a queued message of withdrawn changes only ends', async (newStore) => {
  await using own = await Notifying.open(newStore);
  await own.subscribe('all@example.com');
  const { id } = await own.incident();
  await own.pass(0);
  await own.pass(minuteMs);
  await own.setDraft(id);
  assert.deepEqual(await admitted(own), [[false, 'the changes are no longer public']]);
});

onSqlite('readers who subscribed before a page was for the account only receive nothing of it', async (newStore) => {
  await using own = await Notifying.open(newStore);
  const { accountId, page, store } = own;
  await own.subscribe('all@example.com');
  await own.incident();
  await own.pass(0);
  await own.pass(minuteMs);
  await store.statusPages.change(accountId, page.id, (present) => ({ ...present, visibility: 'ACCOUNT' }), {});
  const [claimed] = await own.pages.path.claimDeliveries();
  const [leased] = own.pages.path.temp.raw.prepare('SELECT leased_by AS owner FROM deliveries').all();
  const claim = { accountId, deliveryId: claimed?.delivery.id ?? '', owner: String(leased?.['owner']) };
  assert.equal(await store.pageNews.admit(claim), false, 'also not what waited');
  await own.incident({ serviceIds: [] });
  await own.pass(0);
  await own.pass(minuteMs);
  assert.deepEqual(own.read(), []);
});
