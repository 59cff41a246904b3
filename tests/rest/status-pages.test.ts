// Status pages over REST: pages, services and incidents, and what one account sees of another's.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resourcesUnderTest } from './resources-under-test.ts';

type Attributes = Readonly<Record<string, string>>;
const attributesOf = (body: Record<string, unknown>) => body['attributes'] as Attributes;
const png = `data:image/png;base64,${Buffer.from('89504e470d0a1a0a0000', 'hex').toString('base64')}`;
const update = { status: 'INVESTIGATING', description: 'We are looking into it.' };

test('a page shows services of its account, and another account sees neither', async () => {
  await using on = resourcesUnderTest();
  const { status, body: service } = await on.ask('POST', '/v1/status-pages/services', { name: 'Checkout', id: null });
  assert.equal(status, 201, JSON.stringify(service));
  const cards = [{ name: 'Shop', services: [{ id: service['id'], name: 'as it was received' }] }];
  const created = await on.ask('POST', '/v1/status-pages', { name: 'Example', url: 'example', logo: png, cards });
  assert.equal(created.status, 201, JSON.stringify(created.body));
  const { id, pageUrl, logo, cards: shown } = created.body;
  assert.match(String(pageUrl), /\/status\/example\/$/);
  assert.equal(logo, png);
  const [card] = shown as { readonly services: readonly object[] }[];
  assert.deepEqual(card?.services, [{ id: service['id'], name: 'Checkout', accountId: service['accountId'] }]);
  assert.deepEqual((await on.ask('GET', `/v1/status-pages/${String(id)}`)).body, created.body);
  assert.deepEqual((await on.ask('PUT', `/v1/status-pages/${String(id)}`, created.body)).body['cards'], shown);
  const listed = (await on.ask('GET', '/v1/status-pages?limit=1')).body;
  assert.deepEqual([listed['length'], listed['nextId']], [1, null]);
  const foreign = 'tsn_foreign';
  assert.equal((await on.ask('GET', `/v1/status-pages/${String(id)}`, undefined, foreign)).status, 404);
  assert.equal((await on.ask('GET', '/v1/status-pages', undefined, foreign)).body['length'], 0);
  const stolen = await on.ask('POST', '/v1/status-pages', { name: 'Theirs', url: 'theirs', cards }, foreign);
  assert.match(attributesOf(stolen.body)['cards'] ?? '', /unknown service/);
  const inUse = await on.ask('DELETE', `/v1/status-pages/services/${String(service['id'])}`);
  assert.equal(inUse.status, 409);
  assert.match(String(inUse.body['message']), /“Example”/);
  assert.equal((await on.ask('DELETE', `/v1/status-pages/${String(id)}`)).status, 204);
  assert.equal((await on.ask('DELETE', `/v1/status-pages/services/${String(service['id'])}`)).status, 204);
});

test('a page names channels of its account that can show its changes', async () => {
  await using on = resourcesUnderTest();
  const channel = async (type: string, config: object, key?: string): Promise<number> => {
    const { status, body } = await on.ask('POST', '/v1/alert-channels', { type, config }, key);
    assert.equal(status, 201, JSON.stringify(body));
    return Number(body['id']);
  };
  const hook = await channel('WEBHOOK', { url: 'https://hook.example' });
  const pager = await channel('OPSGENIE', { apiKey: 'k', region: 'US', priority: 'P1' });
  const page = { name: 'Example', url: 'example' };
  const refused = await on.ask('POST', '/v1/status-pages', { ...page, alertChannelIds: [hook, pager, 999] });
  assert.equal(refused.status, 400);
  assert.match(attributesOf(refused.body)['alertChannelIds'] ?? '', /OPSGENIE, which shows alerts only|is unknown/);
  const { body: created } = await on.ask('POST', '/v1/status-pages', { ...page, alertChannelIds: [hook] });
  assert.deepEqual(created['alertChannelIds'], [hook]);
  const path = `/v1/status-pages/${String(created['id'])}`;
  assert.deepEqual((await on.ask('PUT', path, { name: 'Other' })).body['alertChannelIds'], [hook]);
  assert.equal((await on.ask('PUT', path, { alertChannelIds: [pager] })).status, 400);
  const foreign = await on.ask(
    'POST',
    '/v1/status-pages',
    { ...page, url: 'f', alertChannelIds: [pager] },
    'tsn_foreign',
  );
  assert.match(attributesOf(foreign.body)['alertChannelIds'] ?? '', /is unknown/);
  assert.equal((await on.ask('DELETE', `/v1/alert-channels/${hook}`)).status, 204);
  assert.deepEqual((await on.ask('GET', path)).body['alertChannelIds'], []);
});

test('an address belongs to one page of the installation, until it is given up', async () => {
  await using on = resourcesUnderTest();
  const page = { name: 'Example', url: 'example', customDomain: 'status.example.com' };
  const { body } = await on.ask('POST', '/v1/status-pages', page);
  const other = { name: 'Other', url: 'other', customDomain: null };
  const { body: second } = await on.ask('POST', '/v1/status-pages', other, 'tsn_foreign');
  for (const [field, value] of [
    ['url', 'example'],
    ['customDomain', 'STATUS.example.com'],
  ] as const) {
    const taken = await on.ask('PUT', `/v1/status-pages/${String(second['id'])}`, { [field]: value }, 'tsn_foreign');
    assert.equal(taken.status, 409);
    assert.match(attributesOf(taken.body)[field] ?? '', /Another page/);
  }
  const both = { url: 'free', customDomain: 'status.example.com' };
  assert.equal((await on.ask('PUT', `/v1/status-pages/${String(second['id'])}`, both, 'tsn_foreign')).status, 409);
  const { status } = await on.ask('POST', '/v1/status-pages', { name: 'Free', url: 'free' });
  assert.equal(status, 201, 'a refused change claims nothing');
  await on.ask('PUT', `/v1/status-pages/${String(body['id'])}`, { customDomain: null });
  const now = await on.ask(
    'PUT',
    `/v1/status-pages/${String(second['id'])}`,
    { customDomain: 'status.example.com' },
    'tsn_foreign',
  );
  assert.equal(now.status, 200);
});

test('colours without contrast, files that are no images and a missing password are refused', async () => {
  await using on = resourcesUnderTest();
  const page = { name: 'Example', url: 'example' };
  const cases: readonly (readonly [object, string, RegExp])[] = [
    [{ themeColors: { light: '#ffff00' } }, 'themeColors.light', /contrast of 1\.\d/],
    [{ logo: 'https://cdn.example/logo.png' }, 'logo', /load nothing from elsewhere/],
    [{ logo: `data:image/png;base64,${Buffer.from('<svg/>').toString('base64')}` }, 'logo', /PNG/],
    [{ visibility: 'PASSWORD' }, 'password', /required/],
    [{ url: 'Über' }, 'url', /lower-case/],
    [{ customDomain: '10.0.0.1' }, 'customDomain', /host name/],
    [{ redirectTo: 'javascript:alert(1)' }, 'redirectTo', /http/],
  ];
  for (const [fields, path, expected] of cases) {
    const { status, body } = await on.ask('POST', '/v1/status-pages', { ...page, ...fields });
    assert.equal(status, 400, path);
    assert.match(attributesOf(body)[path] ?? JSON.stringify(body), expected);
  }
});

test('an incident has updates, some of them scheduled, and says when it was resolved', async () => {
  await using on = resourcesUnderTest();
  const created = await on.ask('POST', '/v1/status-pages/incidents', {
    name: 'Payments fail',
    incidentUpdates: [update],
  });
  assert.equal(created.status, 201, JSON.stringify(created.body));
  const at = `/v1/status-pages/incidents/${String(created.body['id'])}`;
  assert.deepEqual([created.body['lastUpdateStatus'], created.body['isBackdated']], ['INVESTIGATING', false]);
  const later = new Date(on.temp.clock.now() + 3_600_000).toISOString();
  const resolved = { status: 'RESOLVED', description: 'Over.', publicIncidentUpdateDate: later };
  const { body: scheduled } = await on.ask('POST', `${at}/incident-updates`, resolved);
  assert.equal(scheduled['isScheduled'], true);
  assert.equal((await on.ask('GET', at)).body['resolvedAt'], null);
  await on.ask('PUT', `${at}/incident-updates/${String(scheduled['id'])}`, {
    publicIncidentUpdateDate: new Date(on.temp.clock.now()).toISOString(),
  });
  const { body: over } = await on.ask('GET', at);
  assert.equal(over['lastUpdateStatus'], 'RESOLVED');
  assert.match(String(over['resolvedAt']), /Z$/);
  assert.equal((await on.ask('DELETE', `${at}/incident-updates/${String(scheduled['id'])}`)).status, 204);
  assert.equal((await on.ask('GET', at)).body['resolvedAt'], null);
  const [{ id: first } = { id: '' }] = created.body['incidentUpdates'] as { readonly id: string }[];
  assert.equal((await on.ask('DELETE', `${at}/incident-updates/${first}`)).status, 409);
  const backdated = { name: 'Earlier', startedAt: '2026-01-01T00:00:00Z', incidentUpdates: [update] };
  assert.equal((await on.ask('POST', '/v1/status-pages/incidents', backdated)).body['isBackdated'], true);
  const future = { ...backdated, startedAt: '9096-01-01T00:00:00Z' };
  assert.match(
    attributesOf((await on.ask('POST', '/v1/status-pages/incidents', future)).body)['startedAt'] ?? '',
    /future/,
  );
  const listed = (await on.ask('GET', '/v1/status-pages/incidents?limit=1&isOpen=true')).body;
  const next = (await on.ask('GET', `/v1/status-pages/incidents?limit=1&nextId=${String(listed['nextId'])}`)).body;
  assert.deepEqual([listed['length'], next['length'], next['nextId']], [1, 1, null]);
  assert.equal((await on.ask('GET', at, undefined, 'tsn_foreign')).status, 404);
  assert.equal((await on.ask('DELETE', at)).status, 204);
});

test('open incidents are found by a check that tells the state of their services, by its ID, group or tags', async () => {
  await using on = resourcesUnderTest();
  const made = async (path: string, body: object): Promise<unknown> => {
    const answer = await on.ask('POST', path, body);
    assert.equal(answer.status, 201, answer.text);
    return answer.body['id'];
  };
  const groupId = await made('/v2/check-groups', { name: 'Shop', tags: ['shop'] });
  const check = { name: 'Cart', groupId, tags: ['cart'], request: { method: 'GET', url: 'https://example.com' } };
  const checkId = String(await made('/v1/checks/api', check));
  const other = String(await made('/v1/checks/api', { ...check, groupId: null, tags: [] }));
  const services = '/v1/status-pages/services';
  const sources = [{ checkIds: [checkId] }, { groupIds: [groupId] }, { tags: ['cart'] }, { tags: ['shop'] }];
  const incident = { incidentUpdates: [update] };
  for (const [index, source] of sources.entries()) {
    const service = await made(services, { name: `Service ${index}`, ...source });
    await made('/v1/status-pages/incidents', {
      ...incident,
      name: `Incident ${index}`,
      isDraft: index === 0,
      services: [service],
    });
  }
  const elsewhere = await made(services, { name: 'Elsewhere', tags: ['else'] });
  await made('/v1/status-pages/incidents', { ...incident, name: 'Elsewhere', services: [elsewhere] });
  const namesOf = async (id: string): Promise<string[]> => {
    const { body } = await on.ask('GET', `/v1/checks/${id}/status-incidents`);
    return (body as { name: string }[]).map(({ name }) => name);
  };
  assert.deepEqual(await namesOf(checkId), ['Incident 3', 'Incident 2', 'Incident 1', 'Incident 0']);
  assert.deepEqual(await namesOf(other), []);
  const open = (await on.ask('GET', '/v1/status-pages/incidents?isDraft=true')).body['entries'] as { id: string }[];
  const over = { status: 'RESOLVED', description: 'Over.' };
  await on.ask('POST', `/v1/status-pages/incidents/${open[0]?.id}/incident-updates`, over);
  assert.deepEqual(await namesOf(checkId), ['Incident 3', 'Incident 2', 'Incident 1']);
  const foreign = await on.ask('GET', `/v1/checks/${checkId}/status-incidents`, undefined, 'tsn_foreign');
  assert.equal(foreign.status, 404);
});

test('a service has the state that its checks and open published incidents give it', async () => {
  await using on = resourcesUnderTest();
  const state = async (id: unknown): Promise<unknown> =>
    (await on.ask('GET', `/v1/status-pages/services/${String(id)}`)).body['state'];
  const { body: manual } = await on.ask('POST', '/v1/status-pages/services', { name: 'Chat' });
  const { body: followed } = await on.ask('POST', '/v1/status-pages/services', { name: 'Checkout', tags: ['shop'] });
  assert.deepEqual([manual['state'], followed['state']], ['operational', 'unknown']);
  const incident = { name: 'Chat is late', severity: 'MINOR', isDraft: true, services: [manual['id']] };
  const { body } = await on.ask('POST', '/v1/status-pages/incidents', { ...incident, incidentUpdates: [update] });
  assert.equal(await state(manual['id']), 'operational');
  const at = `/v1/status-pages/incidents/${String(body['id'])}`;
  await on.ask('PUT', at, { isDraft: false });
  assert.equal(await state(manual['id']), 'degraded');
  const { body: list } = await on.ask('GET', '/v1/status-pages/services');
  const states = (list['entries'] as { state: string }[]).map((each) => each.state);
  assert.deepEqual(states, ['degraded', 'unknown']);
  const sentBack = await on.ask('PUT', `/v1/status-pages/services/${String(manual['id'])}`, {
    ...manual,
    name: 'Talk',
  });
  assert.deepEqual([sentBack.status, sentBack.body['name'], sentBack.body['state']], [200, 'Talk', 'degraded']);
  await on.ask('POST', `${at}/incident-updates`, { status: 'RESOLVED', description: 'Over.' });
  assert.equal(await state(manual['id']), 'operational');
});

test('a preview renders an unsaved page from what its account has, and saves nothing', async () => {
  await using on = resourcesUnderTest();
  const { body: service } = await on.ask('POST', '/v1/status-pages/services', { name: 'Chat <b>' });
  const incident = { name: 'Chat is late', severity: 'MINOR', services: [service['id']], incidentUpdates: [update] };
  await on.ask('POST', '/v1/status-pages/incidents', incident);
  const unknown = '00000000-0000-4000-8000-000000000000';
  const cards = [{ name: 'Talk', services: [service['id'], unknown] }];
  const page = { name: 'Ünsaved <script>', url: 'unsaved', language: 'de', visibility: 'PASSWORD', logo: png, cards };
  const { status, body } = await on.ask('POST', '/v1/status-pages/preview', page, 'tsn_reader');
  assert.equal(status, 200, JSON.stringify(body));
  const html = String(body['html']);
  for (const part of ['lang="de"', 'Ünsaved &lt;script&gt;', 'Chat &lt;b&gt;', 'Chat is late', `src="${png}"`])
    assert.ok(html.includes(part), part);
  assert.match(String(body['style']), /body/);
  assert.equal((await on.ask('GET', '/v1/status-pages')).body['length'], 0);
  const foreign = await on.ask('POST', '/v1/status-pages/preview', { ...page, pageId: unknown }, 'tsn_foreign');
  assert.equal(foreign.status, 200);
  assert.ok(!/Chat/.test(String(foreign.body['html'])), 'shows nothing of another account');
  assert.equal((await on.ask('POST', '/v1/status-pages/preview', { ...page, name: '' })).status, 400);
});

test('an incident has at most 50,000 characters, whatever adds them', async () => {
  await using on = resourcesUnderTest();
  const long = (length: number) => ({ ...update, description: 'x'.repeat(length) });
  const incident = { name: 'Long', postmortem: 'x'.repeat(30_000), incidentUpdates: [long(10_000)] };
  const { body } = await on.ask('POST', '/v1/status-pages/incidents', incident);
  const at = `/v1/status-pages/incidents/${String(body['id'])}`;
  assert.equal((await on.ask('POST', `${at}/incident-updates`, long(9_990))).status, 200);
  const more = await on.ask('POST', `${at}/incident-updates`, long(11));
  assert.equal(more.status, 409);
  assert.match(String(more.body['message']), /50,000 characters/);
  assert.equal((await on.ask('POST', `${at}/incident-updates`, long(10))).status, 200);
  const [{ id: first } = { id: '' }] = body['incidentUpdates'] as { readonly id: string }[];
  assert.equal(
    (await on.ask('PUT', `${at}/incident-updates/${first}`, { description: 'y'.repeat(10_000) })).status,
    200,
  );
  const changed = await on.ask('PUT', at, { postmortem: 'x'.repeat(30_001) });
  assert.match(attributesOf(changed.body)['postmortem'] ?? '', /50,000/);
  const whole = { ...incident, incidentUpdates: [long(10_000), long(10_000), long(1)] };
  assert.equal((await on.ask('POST', '/v1/status-pages/incidents', whole)).status, 400);
});
