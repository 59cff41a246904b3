// Addresses from which checks come, as firewalls, a Go SDK and Terraform's data source read them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startComposed } from '../support/service/composed.ts';
import { asker } from '../support/service/service.ts';

const named = '203.0.113.7,203.0.113.8,eu-1=198.51.100.4,eu-1=203.0.113.7,eu-1=2001:db8::/56,office=192.0.2.1';

test('the addresses that the operator names are listed by location, as text and for IPv6', async (t) => {
  const on = await startComposed(t, { TOCSIN_LOCATION: 'home', TOCSIN_STATIC_ADDRESSES: named });
  const { must } = asker(() => on.address, on.apiKey);
  const byRegion = {
    home: ['203.0.113.7', '203.0.113.8'],
    'eu-1': ['198.51.100.4', '203.0.113.7'],
    office: ['192.0.2.1'],
  };
  const all = ['203.0.113.7', '203.0.113.8', '198.51.100.4', '192.0.2.1'];
  assert.deepEqual(await must('GET', '/v1/static-ips'), all);
  assert.deepEqual(await must('GET', '/v1/static-ips-by-region'), byRegion);
  assert.deepEqual(await must('GET', '/v1/static-ipv6s'), ['2001:db8::/56']);
  assert.deepEqual(await must('GET', '/v1/static-ipv6s-by-region'), { 'eu-1': '2001:db8::/56' });
  assert.equal(await textOf(on, '/v1/static-ips.txt'), `${all.join('\n')}\n`);
  assert.equal(await textOf(on, '/v1/static-ipv6s.txt'), '2001:db8::/56\n');
});

test('the addresses of a private location are shown to its account only', async (t) => {
  const on = await startComposed(t, { TOCSIN_STATIC_ADDRESSES: named });
  const { must } = asker(() => on.address, on.apiKey);
  const { id } = await must('POST', '/v1/accounts', { name: 'Other' });
  const made = await must('POST', '/v1/api-keys', { name: 'other', role: 'read-write', accountIds: [id] });
  const other = asker(() => on.address, String(made['key']));
  await other.must('POST', '/v1/private-locations', { name: 'Office', slugName: 'office' });
  assert.ok(!('office' in (await must('GET', '/v1/static-ips-by-region'))));
  assert.ok('office' in (await other.must('GET', '/v1/static-ips-by-region')));
});

test('an installation whose operator names no addresses has empty lists', async (t) => {
  const on = await startComposed(t);
  const { must } = asker(() => on.address, on.apiKey);
  assert.deepEqual(await must('GET', '/v1/static-ips'), []);
  assert.deepEqual(await must('GET', '/v1/static-ips-by-region'), {});
  assert.deepEqual(await must('GET', '/v1/static-ipv6s-by-region'), {});
  assert.equal(await textOf(on, '/v1/static-ips.txt'), '');
});

async function textOf({ address, apiKey }: { address: string; apiKey: string }, path: string): Promise<string> {
  const response = await fetch(`${address}${path}`, { headers: { authorization: `Bearer ${apiKey}` } });
  assert.match(response.headers.get('content-type') ?? '', /^text\/plain/);
  return response.text();
}
