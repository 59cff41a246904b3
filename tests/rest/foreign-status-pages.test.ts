// Traffic of clients of another service that is about status pages and dashboards (reference §5.6).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resourcesUnderTest } from './resources-under-test.ts';

const zero = '0001-01-01T00:00:00Z';
/** A status page whose optional fields are not set. */
const aPage = {
  id: '',
  name: 'Status',
  url: 'status',
  customDomain: '',
  description: '',
  logo: '',
  redirectTo: '',
  favicon: '',
  defaultTheme: 'AUTO',
  footerText: '',
  createdAt: zero,
  updatedAt: zero,
  created_at: zero,
  updated_at: zero,
};

test('a Terraform provider creates, reads, updates and deletes a status page with a service', async () => {
  await using on = resourcesUnderTest();
  const service = (await on.ask('POST', '/v1/status-pages/services', { id: '', name: 'Checkout' })).body;
  const cards = [{ name: 'Shop', services: [{ id: service.id, name: '' }] }];
  const created = await on.ask('POST', '/v1/status-pages', { ...aPage, cards });
  assert.equal(created.status, 201, created.text);
  const path = `/v1/status-pages/${created.body.id}`;
  const none = { customDomain: null, description: null, logo: null, redirectTo: null, favicon: null };
  const { cards: shown, ...read } = (await on.ask('GET', path)).body;
  assert.deepEqual([read['name'], read['url'], read['defaultTheme']], ['Status', 'status', 'AUTO']);
  for (const [field, value] of Object.entries(none)) assert.equal(read[field], value, field);
  const named = { id: service.id, name: 'Checkout', accountId: service.accountId };
  assert.deepEqual(
    (shown as { name: string; services: object[] }[]).map(({ name, services }) => ({ name, services })),
    [{ name: 'Shop', services: [named] }],
  );
  const domain = { customDomain: 'status.shop.example', redirectTo: 'https://shop.example' };
  const { body: moved } = await on.ask('PUT', path, { ...aPage, cards, ...domain });
  assert.deepEqual([moved.customDomain, moved.redirectTo], Object.values(domain));
  const { body: cleared } = await on.ask('PUT', path, { ...aPage, cards });
  assert.deepEqual([cleared.customDomain, cleared.redirectTo], [null, null]);
  const logo = await on.ask('PUT', path, { logo: 'https://shop.example/logo.png' });
  assert.deepEqual([logo.status, Object.keys(logo.body.attributes)], [400, ['logo']], logo.text);
  assert.match(logo.text, /must be a data URL of a PNG, .*, because pages load nothing from elsewhere/);
  assert.equal((await on.ask('DELETE', path)).status, 204);
  const gone = await on.ask('GET', path);
  assert.deepEqual([gone.status, gone.body.statusCode], [404, 404]);
  assert.equal((await on.ask('DELETE', `/v1/status-pages/services/${service.id}`)).status, 204);
});

test('requests about dashboards are refused with what Tocsin has instead', async () => {
  await using on = resourcesUnderTest();
  for (const path of ['/v1/dashboards', '/v1/dashboards/1']) {
    const refused = await on.ask('POST', path, { header: 'Shop' });
    assert.deepEqual(
      [refused.status, refused.body.message],
      [404, 'Tocsin has no dashboards. Use status pages: /v1/status-pages.'],
    );
  }
  const incident = await on.ask('POST', '/v1/incidents', { name: 'Shop is down', impact: 'MAJOR' });
  assert.deepEqual(
    [incident.status, incident.body.message],
    [404, 'Tocsin has no incidents of dashboards. Use incidents of status pages: /v1/status-pages/incidents.'],
  );
});
