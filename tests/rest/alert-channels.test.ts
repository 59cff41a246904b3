// Alert channels over REST: written, read, subscribed and refused.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { idBytes } from '#store/base/codec.ts';
import { insertRow } from '../support/store/rows.ts';
import { ownId } from './rest-under-test.ts';
import { type Resources, resourcesUnderTest } from './resources-under-test.ts';

const url = 'https://hooks.example/{{CHECK_NAME}}';
const request = { method: 'GET', url: 'https://shop.example/' };

async function makeChannel(api: Resources, config: object = {}, body: object = {}): Promise<number> {
  const created = await api.ask('POST', '/v1/alert-channels', { type: 'WEBHOOK', config: { url, ...config }, ...body });
  assert.equal(created.status, 201, created.text);
  return created.body.id;
}

const make = async (api: Resources, path: string, body: object) => (await api.ask('POST', path, body)).body.id;
const makeCheck = (api: Resources): Promise<string> => make(api, '/v1/checks/api', { name: 'A', request });
const makeGroup = (api: Resources, body: object = {}): Promise<number> =>
  make(api, '/v2/check-groups', { name: 'G', ...body });

test('a channel is created with every default, read, changed in part, reset and deleted', async () => {
  await using api = resourcesUnderTest();
  const id = await makeChannel(api, { method: 'post' });
  const read = await api.ask('GET', `/v1/alert-channels/${id}`);
  assert.deepEqual(read.body, {
    id: 1,
    type: 'WEBHOOK',
    config: {
      name: '',
      url,
      method: 'POST',
      template: null,
      headers: [],
      queryParameters: [],
      webhookSecret: null,
      previousSecretUntil: null,
      webhookType: null,
      longTail: false,
    },
    subscriptions: [],
    sendRecovery: true,
    sendFailure: true,
    sendDegraded: false,
    sslExpiry: false,
    sslExpiryThreshold: 30,
    autoSubscribe: false,
    grouping: false,
    activeHours: null,
    report: null,
    isFailing: false,
    failingSince: null,
    lastDeliveredAt: null,
    waitingDeliveries: 0,
    created_at: '2026-03-10T12:00:00.000Z',
    updated_at: null,
  });
  const changed = await api.ask('PUT', `/v1/alert-channels/${id}`, { sendDegraded: true, sslExpiryThreshold: 7 });
  assert.equal(changed.body.sendDegraded, true);
  assert.equal(changed.body.config.url, url);
  const reset = await api.ask('PUT', `/v1/alert-channels/${id}`, { sendDegraded: null, sslExpiryThreshold: null });
  const { warnings, ...shown } = reset.body;
  assert.equal(warnings.length, 1, 'nothing is subscribed');
  assert.deepEqual({ ...shown, updated_at: null }, read.body);
  assert.equal((await api.ask('DELETE', `/v1/alert-channels/${id}`)).status, 204);
  assert.equal((await api.ask('GET', `/v1/alert-channels/${id}`)).status, 404);
});

test('a secret is masked, kept when the mask or nothing is sent back, replaced, rotated and removed', async () => {
  await using api = resourcesUnderTest();
  const id = await makeChannel(api, { webhookSecret: 'canary-1' });
  const put = (config: object) => api.ask('PUT', `/v1/alert-channels/${id}`, { config: { url, ...config } });
  const secrets = async () => {
    const stored = await api.temp.store.alertChannels.find(ownId, id);
    const { webhookSecret = null, previousSecret = null } = stored?.channel.secrets ?? {};
    return [webhookSecret, previousSecret];
  };
  const shown = await api.ask('GET', `/v1/alert-channels/${id}`);
  assert.equal(shown.body.config.webhookSecret, '********');
  await put({ webhookSecret: '********', name: 'x' });
  await put({ name: 'y' });
  await api.ask('PUT', `/v1/alert-channels/${id}`, shown.body);
  assert.deepEqual(await secrets(), ['canary-1', null]);

  const until = '2026-03-11T12:00:00.000Z';
  const rotated = await put({ webhookSecret: 'canary-2', previousSecretUntil: until });
  assert.equal(rotated.body.config.previousSecretUntil, until);
  assert.deepEqual(await secrets(), ['canary-2', { secret: 'canary-1', until: Date.parse(until) }]);
  const sentBack = await api.ask('PUT', `/v1/alert-channels/${id}`, rotated.body);
  assert.equal(sentBack.body.config.previousSecretUntil, until, 'an answer sent back changes nothing');
  assert.doesNotMatch(rotated.text + sentBack.text + (await api.ask('GET', '/v1/alert-channels')).text, /canary/);

  await put({ webhookSecret: 'canary-3' });
  assert.deepEqual(await secrets(), ['canary-3', null], 'without a time the old one ends at once');
  const past = await put({ webhookSecret: 'canary-4', previousSecretUntil: '2020-01-01T00:00:00Z' });
  assert.deepEqual(Object.keys(past.body.attributes), ['config.previousSecretUntil']);
  const removed = await put({ webhookSecret: null });
  assert.equal(removed.body.config.webhookSecret, null);
  assert.deepEqual(await secrets(), [null, null]);
  assert.equal((await put({ webhookSecret: '********' })).status, 400, 'the mask of nothing');
});

test('locked headers are shown only to those who may change them', async () => {
  await using api = resourcesUnderTest();
  const id = await makeChannel(api, { headers: [{ key: 'authorization', value: 'Bearer canary', locked: true }] });
  assert.match((await api.ask('GET', `/v1/alert-channels/${id}`)).text, /canary/);
  for (const path of [`/v1/alert-channels/${id}`, '/v1/alert-channels']) {
    assert.doesNotMatch((await api.ask('GET', path, undefined, 'tsn_reader')).text, /canary/);
  }
});

test('subscriptions are replaced as a set, changed one by one, and seen from checks and groups', async () => {
  await using api = resourcesUnderTest();
  const checkId = await makeCheck(api);
  const groupId = await makeGroup(api);
  const id = await makeChannel(api, {}, { subscriptions: [{ checkId, activated: true }] });
  const path = `/v1/alert-channels/${id}`;
  const added = await api.ask('PUT', `${path}/subscriptions`, { groupId, activated: false });
  assert.equal(added.status, 200, added.text);
  assert.deepEqual(added.body, { id: 2, checkId: null, groupId, activated: false, escalationMinutes: 0 });
  const later = { groupId, checkId: null, activated: true, escalationMinutes: 15 };
  const changed = await api.ask('PUT', `${path}/subscriptions`, later);
  assert.deepEqual(changed.body, { id: 2, ...later });
  assert.deepEqual((await api.ask('GET', path)).body.subscriptions, [
    { id: 1, checkId, groupId: null, activated: true, escalationMinutes: 0 },
    { id: 2, ...later },
  ]);
  const ofCheck = async () => (await api.ask('GET', `/v1/checks/${checkId}`)).body.alertChannelSubscriptions;
  assert.deepEqual(await ofCheck(), [{ alertChannelId: id, activated: true, escalationMinutes: 0 }]);
  const [ofGroup] = (await api.ask('GET', `/v1/check-groups/${groupId}`)).body.alertChannelSubscriptions;
  assert.deepEqual(ofGroup, { alertChannelId: id, activated: true, escalationMinutes: 15 });
  const tooLong = await api.ask('PUT', `${path}/subscriptions`, { ...later, escalationMinutes: 1441 });
  assert.deepEqual([tooLong.status, Object.keys(tooLong.body.attributes)], [400, ['escalationMinutes']]);
  const upper = await api.ask('PUT', `${path}/subscriptions`, { checkId: checkId.toUpperCase(), activated: true });
  assert.equal(upper.body.id, 1, 'ids are the same in any case');

  await api.ask('PUT', path, { subscriptions: [{ groupId, activated: true }] });
  assert.deepEqual(await ofCheck(), []);
  assert.equal((await api.ask('GET', path)).body.subscriptions[0].id, 2, 'one that stays keeps its id');
  await api.ask('PUT', path, { sendDegraded: true });
  assert.equal((await api.ask('GET', path)).body.subscriptions.length, 1, 'not named: not changed');
  await api.ask('PUT', `/v1/checks/${checkId}`, { alertChannelSubscriptions: [{ alertChannelId: id }] });
  await api.ask('PUT', path, { subscriptions: null });
  assert.deepEqual(await ofCheck(), []);
});

test('a subscription names exactly one check or group of this account', async () => {
  await using api = resourcesUnderTest();
  const id = await makeChannel(api);
  const checkId = await makeCheck(api);
  const foreign = (await api.ask('POST', '/v1/checks/api', { name: 'F', request }, 'tsn_foreign')).body.id;
  for (const [subscription, names] of [
    [{ checkId: foreign }, ['checkId']],
    [{ checkId: randomUUID() }, ['checkId']],
    [{ groupId: 12 }, ['groupId']],
    [{ checkId, groupId: 12 }, ['checkId', 'groupId']],
    [{}, ['checkId', 'groupId']],
  ] as const) {
    const one = await api.ask('PUT', `/v1/alert-channels/${id}/subscriptions`, subscription);
    assert.equal(one.status, 400, JSON.stringify(subscription));
    assert.deepEqual(Object.keys(one.body.attributes), names);
    const all = await api.ask('PUT', `/v1/alert-channels/${id}`, { subscriptions: [{ checkId }, subscription] });
    assert.equal(all.status, 400);
    assert.deepEqual(
      Object.keys(all.body.attributes),
      names.map((name) => `subscriptions[1].${name}`),
    );
  }
  assert.deepEqual((await api.ask('GET', `/v1/alert-channels/${id}`)).body.subscriptions, []);
});

test('a template that names a secret of the account, or of a group it is subscribed to, is refused', async () => {
  await using api = resourcesUnderTest();
  await api.ask('POST', '/v1/variables', { key: 'SHOP_KEY', value: 'canary', secret: true });
  const groupId = await makeGroup(api, { environmentVariables: [{ key: 'GROUP_KEY', value: 'canary', secret: true }] });
  const config = { url, template: 'a\nb {{SHOP_KEY}}' };
  const refused = await api.ask('POST', '/v1/alert-channels', { type: 'WEBHOOK', config });
  assert.equal(refused.status, 400);
  assert.match(refused.body.attributes['config.template'], /SHOP_KEY is a secret, .*logs hide.*line 2, column/);
  assert.doesNotMatch(refused.text, /canary/);

  const id = await makeChannel(api, { template: '{{GROUP_KEY}}' });
  const attached = await api.ask('PUT', `/v1/alert-channels/${id}/subscriptions`, { groupId });
  assert.deepEqual(Object.keys(attached.body.attributes), ['config.template']);
  const all = await api.ask('PUT', `/v1/alert-channels/${id}`, { subscriptions: [{ groupId }] });
  assert.equal(all.status, 400);
});

for (const [what, body, path] of [
  ['an unknown type of channel', { type: 'PIGEON' }, 'type'],
  ['a field that does not exist', { sendFailures: true }, 'sendFailures'],
  ['a field of the configuration that does not exist', { config: { url, secret: 'x' } }, 'config.secret'],
  ['a broken template', { config: { url, template: '{{#if X}}' } }, 'config.template'],
  [
    'a header that is ours',
    { config: { url, headers: [{ key: 'x-service-signature', value: 'x' }] } },
    'config.headers[0].key',
  ],
  ['a threshold out of range', { sslExpiryThreshold: 31 }, 'sslExpiryThreshold'],
] as const) {
  test(`${what} is refused, and named`, async () => {
    await using api = resourcesUnderTest();
    const refused = await api.ask('POST', '/v1/alert-channels', { type: 'WEBHOOK', config: { url }, ...body });
    assert.equal(refused.status, 400, refused.text);
    assert.ok(Object.keys(refused.body.attributes).includes(path), refused.text);
    if (path === 'type') assert.match(refused.body.message, /WEBHOOK/);
    const id = await makeChannel(api);
    assert.equal(id, 1, 'nothing was written');
    assert.equal((await api.ask('PUT', `/v1/alert-channels/${id}`, body)).status, 400);
  });
}

test('a channel with autoSubscribe is subscribed to new checks and groups unless the request declines', async () => {
  await using api = resourcesUnderTest();
  const id = await makeChannel(api, {}, { autoSubscribe: true });
  const check = (await api.ask('POST', '/v1/checks/api', { name: 'A', request })).body;
  assert.deepEqual(check.alertChannelSubscriptions, [{ alertChannelId: id, activated: true, escalationMinutes: 0 }]);
  const group = (await api.ask('POST', '/v1/check-groups?autoAssignAlerts=false', { name: 'G' })).body;
  assert.deepEqual(group.alertChannelSubscriptions, []);
  await api.ask('PUT', `/v1/checks/${check.id}`, { alertChannelSubscriptions: [] });
  const renamed = await api.ask('PUT', `/v1/checks/${check.id}`, { name: 'B' });
  assert.deepEqual(renamed.body.alertChannelSubscriptions, [], 'a later change does not subscribe again');
});

test('channels of another account are as unknown as those that never existed', async () => {
  await using api = resourcesUnderTest();
  const foreign = await api.ask('POST', '/v1/alert-channels', { type: 'WEBHOOK', config: { url } }, 'tsn_foreign');
  assert.equal(foreign.body.id, 1, 'numbers count up per account');
  for (const id of ['1', '42']) {
    assert.equal((await api.ask('GET', `/v1/alert-channels/${id}`)).status, 404);
    assert.equal((await api.ask('PUT', `/v1/alert-channels/${id}`, { sendDegraded: true })).status, 404);
    assert.equal((await api.ask('PUT', `/v1/alert-channels/${id}/subscriptions`, { groupId: 1 })).status, 404);
    assert.equal((await api.ask('DELETE', `/v1/alert-channels/${id}`)).status, 404);
  }
  for (let number = 0; number < 25; number++) await makeChannel(api);
  const page = await api.ask('GET', '/v1/alert-channels?page=3');
  assert.equal(page.range, '20-24/25');
});

test('two changes of a channel at once both hold', async () => {
  await using api = resourcesUnderTest();
  const id = await makeChannel(api);
  const put = (body: object) => api.ask('PUT', `/v1/alert-channels/${id}`, body);
  await Promise.all([put({ sendDegraded: true }), put({ sslExpiry: true }), put({ sendRecovery: false })]);
  const { sendDegraded, sslExpiry, sendRecovery } = (await api.ask('GET', `/v1/alert-channels/${id}`)).body;
  assert.deepEqual([sendDegraded, sslExpiry, sendRecovery], [true, true, false]);
});

test('a write warns of variables in templates that nothing defines', async () => {
  await using api = resourcesUnderTest();
  await api.ask('POST', '/v1/variables', { key: 'FLOOR', value: '3' });
  await makeGroup(api, { environmentVariables: [{ key: 'DOOR', value: '4' }] });
  const template = '{{ALERT_TITLE}} {{FLOOR}} {{DOOR}}';
  const body = { type: 'WEBHOOK', autoSubscribe: true, config: { url, template } };
  const created = await api.ask('POST', '/v1/alert-channels', body);
  assert.equal(created.body.warnings, undefined);
  const changed = await api.ask('PUT', '/v1/alert-channels/1', { config: { template: '{{ALERT_TITEL}}' } });
  const message = 'ALERT_TITEL is not defined and renders as empty text. Did you mean ALERT_TITLE?';
  assert.deepEqual(changed.body.warnings, [{ path: 'config.template', message }]);
});

test('the name of a preset beside its configuration is refused where no preset is sent', async () => {
  await using api = resourcesUnderTest();
  const named = await api.ask('POST', '/v1/alert-channels', { type: 'WEBHOOK', name: 'on call', config: { url } });
  assert.deepEqual([named.status, Object.keys(named.body.attributes)], [400, ['name']]);
});

test('active hours are kept, changed in part, and refused with the field', async () => {
  await using api = resourcesUnderTest();
  const config = { name: 'Hook', url: 'https://hook.example/' };
  const create = (activeHours: unknown) =>
    api.ask('POST', '/v1/alert-channels', { type: 'WEBHOOK', config, activeHours });
  const periods = [{ days: ['MON'], from: '08:00', to: '24:00' }];
  const { body } = await create({ timeZone: 'Europe/Berlin', periods });
  const shown = { timeZone: 'Europe/Berlin', periods, outside: 'WAIT', otherChannelId: null };
  assert.deepEqual(body.activeHours, shown);
  const renamed = await api.ask('PUT', `/v1/alert-channels/${body.id}`, { sendDegraded: true });
  assert.deepEqual(renamed.body.activeHours, shown);
  for (const [hours, expected] of [
    [{ timeZone: 'Mars/Olympus', periods }, /activeHours\.timeZone.*must be an IANA time zone/],
    [{ timeZone: 'UTC', periods: [] }, /activeHours\.periods/],
    [{ timeZone: 'UTC', periods: [{ days: ['MONDAY'], from: '08:00', to: '18:00' }] }, /periods\[0\]\.days\[0\]/],
    [
      { timeZone: 'UTC', periods: [{ days: ['MON'], from: '24:00', to: '18:00' }] },
      /periods\[0\]\.from.*00:00 to 23:59/,
    ],
    [{ timeZone: 'UTC', periods, outside: 'OTHER_CHANNEL' }, /activeHours\.otherChannelId.*is required/],
    [
      { timeZone: 'UTC', periods, outside: 'OTHER_CHANNEL', otherChannelId: 99 },
      /activeHours\.otherChannelId.*is not the ID of another alert channel/,
    ],
  ] as const) {
    const { status, text } = await create(hours);
    assert.equal(status, 400, text);
    assert.match(text, expected);
  }
});

test('reports follow weeks in the zone that the account had when they were set up, unless they name one', async () => {
  await using api = resourcesUnderTest();
  const { accounts } = api.temp.store;
  insertRow(api.temp.raw, 'accounts', { id: idBytes(ownId), created_at: 1 });
  await accounts.change(ownId, { timeZone: 'Asia/Tokyo' });
  const config = { address: 'ops@example.com' };
  const { body } = await api.ask('POST', '/v1/alert-channels', { type: 'EMAIL', config, report: { every: 'week' } });
  assert.deepEqual(body.report, { every: 'week', timeZone: 'Asia/Tokyo' });
  const change = async (report: object | null) =>
    (await api.ask('PUT', `/v1/alert-channels/${body.id}`, { report })).body.report;
  await accounts.change(ownId, { timeZone: null });
  assert.deepEqual(await change({ every: 'month' }), { every: 'month', timeZone: 'Asia/Tokyo' });
  assert.deepEqual(await change({ timeZone: 'Europe/Berlin' }), { every: 'month', timeZone: 'Europe/Berlin' });
  assert.equal(await change(null), null);
  assert.deepEqual(await change({ every: 'week' }), { every: 'week', timeZone: 'UTC' });
});

test('webhooks to chat services group alerts of flapping checks by default, plain webhooks and paging services do not', async () => {
  await using api = resourcesUnderTest();
  const grouping = async (type: string, config: object, more: object = {}) => {
    const made = await api.ask('POST', '/v1/alert-channels', { type, config, ...more });
    return [made.body.id, made.body.grouping];
  };
  const [id, plain] = await grouping('WEBHOOK', { url });
  assert.equal(plain, false);
  assert.equal((await grouping('WEBHOOK', { url, webhookType: 'WEBHOOK_DISCORD' }))[1], true);
  assert.equal((await grouping('WEBHOOK', { url, webhookType: 'WEBHOOK_NTFY' }, { grouping: false }))[1], false);
  assert.equal((await grouping('WEBHOOK', { url, webhookType: 'WEBHOOK_OPSGENIE' }))[1], false);
  assert.equal((await grouping('WEBHOOK', { url, webhookType: 'toString' }))[1], false);
  assert.equal((await grouping('SLACK', { url: 'https://hooks.slack.com/services/T0/B0/x' }))[1], true);
  const put = async (body: object) => (await api.ask('PUT', `/v1/alert-channels/${id}`, body)).body.grouping;
  assert.equal(await put({ grouping: true }), true);
  assert.equal(await put({ sendDegraded: true }), true, 'other changes keep it');
  assert.equal(await put({ grouping: null }), false);
});

test('many subscriptions are added in one request, all or none', async () => {
  await using api = resourcesUnderTest();
  const id = await makeChannel(api);
  const path = `/v1/alert-channels/${id}/subscriptions`;
  const [first, second, groupId] = [await makeCheck(api), await makeCheck(api), await makeGroup(api)];
  await api.ask('PUT', path, { checkId: first, activated: false });
  const unknown = { checkId: '0199f0c4-3b5e-7000-8000-000000000001' };
  const refused = await api.ask('POST', path, { subscriptions: [{ checkId: second }, unknown] });
  assert.deepEqual([refused.status, Object.keys(refused.body.attributes)], [400, ['subscriptions[1].checkId']]);
  const many = Array.from({ length: 201 }, () => ({ checkId: second }));
  assert.equal((await api.ask('POST', path, { subscriptions: many })).status, 400);
  assert.equal((await api.ask('GET', `/v1/alert-channels/${id}`)).body.subscriptions.length, 1);
  const added = await api.ask('POST', path, { subscriptions: [{ checkId: first }, { checkId: second }, { groupId }] });
  assert.equal(added.status, 201);
  assert.deepEqual(
    added.body.map((each: { checkId: string; groupId: number; activated: boolean }) => [
      each.checkId ?? each.groupId,
      each.activated,
    ]),
    [
      [first, true],
      [second, true],
      [groupId, true],
    ],
  );
});
