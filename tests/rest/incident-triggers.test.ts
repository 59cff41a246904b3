// Checks that open incidents of status pages (triggerIncident) name a service of their account.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resourcesUnderTest } from './resources-under-test.ts';

const check = { name: 'Home', request: { method: 'GET', url: 'http://127.0.0.1:1/' } };
const texts = { name: 'Payments fail', description: 'We are looking into it.' };

test('a check names a service of the account, and other fields of the incident change alone', async () => {
  await using on = resourcesUnderTest();
  const { id: serviceId } = (await on.ask('POST', '/v1/status-pages/services', { name: 'Checkout' })).body;
  const triggerIncident = { serviceId, ...texts };
  const created = await on.ask('POST', '/v1/checks/api', { ...check, triggerIncident });
  assert.equal(created.status, 201, created.text);
  const whole = { ...triggerIncident, severity: 'MAJOR', notifySubscribers: true };
  assert.deepEqual(created.body.triggerIncident, whole);
  const path = `/v1/checks/api/${created.body.id}`;
  const minor = await on.ask('PUT', path, { triggerIncident: { severity: 'MINOR' } });
  assert.deepEqual(minor.body.triggerIncident, { ...whole, severity: 'MINOR' });
  const updates = [{ status: 'INVESTIGATING', description: texts.description }];
  const incident = { name: texts.name, services: [serviceId], incidentUpdates: updates };
  await on.ask('POST', '/v1/status-pages/incidents', incident);
  const ofCheck = await on.ask('GET', `/v1/checks/${created.body.id}/status-incidents`);
  assert.deepEqual(
    ofCheck.body.map(({ name }: { name: string }) => name),
    [texts.name],
    ofCheck.text,
  );
  assert.equal((await on.ask('DELETE', `/v1/status-pages/services/${serviceId}`)).status, 204);
  const kept = await on.ask('PUT', path, { triggerIncident: { severity: 'MEDIUM' } });
  assert.equal(kept.status, 200, 'what it names may be gone');
  const removed = await on.ask('PUT', path, { triggerIncident: null });
  assert.equal(removed.body.triggerIncident, null);
});

test('an unknown service, and incomplete or other fields, are refused with their names', async () => {
  await using on = resourcesUnderTest();
  const unknown = { serviceId: '0199f0c4-0000-7000-8000-0000000000aa', ...texts };
  const created = await on.ask('POST', '/v1/checks/api', check);
  const path = `/v1/checks/api/${created.body.id}`;
  for (const [method, at] of [
    ['POST', '/v1/checks/api'],
    ['PUT', path],
  ] as const) {
    const refused = await on.ask(method, at, { ...check, triggerIncident: unknown });
    assert.deepEqual(
      [refused.status, refused.body.attributes],
      [400, { 'triggerIncident.serviceId': 'is not the ID of a service of status pages' }],
      refused.text,
    );
  }
  for (const [triggerIncident, field] of [
    [{ name: 'Payments fail' }, 'triggerIncident.serviceId'],
    [{ ...unknown, severity: 'HUGE' }, 'triggerIncident.severity'],
    [{ ...unknown, colour: 'red' }, 'triggerIncident.colour'],
  ] as const) {
    const refused = await on.ask('POST', '/v1/checks/api', { ...check, triggerIncident });
    assert.equal(refused.status, 400, field);
    assert.ok(field in refused.body.attributes, refused.text);
  }
});
