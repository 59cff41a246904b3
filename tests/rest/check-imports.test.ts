// Many checks at once: those that are right are created together, the others are named.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resourcesUnderTest } from './resources-under-test.ts';

interface Imported {
  readonly checks: readonly { readonly id: string | null; readonly errors: Record<string, string> }[];
}

const url = (name: string, more: object = {}) => ({
  checkType: 'URL',
  name,
  request: { url: 'https://shop.example/' },
  ...more,
});

test('those that are right are created, and each of the others says what is wrong', async () => {
  await using api = resourcesUnderTest();
  const total = async () => ((await api.ask('GET', '/v1/checks')).body as unknown[]).length;
  const checks = [
    url('One', { tags: ['import'] }),
    url(''),
    { checkType: 'TCP', name: 'Two', request: { hostname: 'db.example', port: 99_999 } },
    url('Three', { groupId: 999 }),
    { checkType: 'FAX', name: 'Four' },
    url('Five', { frequency: 0, frequencyOffset: 7, locations: ['mars'] }),
    { checkType: 'TCP', name: 'Six', request: { hostname: 'db.example', port: 5432 } },
  ];
  const tried = await api.ask('POST', '/v1/check-imports', { checks, dryRun: true });
  assert.equal(await total(), 0, 'nothing was created yet');
  const done = await api.ask('POST', '/v1/check-imports', { checks });
  assert.equal(done.status, 200, JSON.stringify(done.body));
  const imported = (done.body as Imported).checks;
  assert.deepEqual(
    imported.map(({ errors }) => Object.keys(errors)),
    [[], ['name'], ['request.port'], ['groupId'], ['checkType'], ['locations[0]', 'frequencyOffset'], []],
  );
  assert.deepEqual(
    (tried.body as Imported).checks.map(({ id }) => id),
    checks.map(() => null),
  );
  const ids = imported.map(({ id }) => id);
  assert.deepEqual(
    ids.map((id) => id !== null),
    [true, false, false, false, false, false, true],
  );
  assert.equal(await total(), 2);
  const audited = api.temp.raw.prepare('SELECT operation FROM audit_log').all();
  assert.deepEqual(
    audited.map(({ operation }) => operation),
    ['importChecks'],
    'one entry, and none of the dry run',
  );
  const six = await api.ask('GET', `/v1/checks/${ids[6]}`);
  assert.deepEqual([six.body['checkType'], six.body['frequency']], ['TCP', 10]);
});
