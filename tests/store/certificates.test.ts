// The list of certificates that checks last saw, on both engines.
import assert from 'node:assert/strict';
import type { SeenCertificate } from '#domain/results/result.ts';
import type { CertificateFilter } from '#store/overview/certificates.ts';
import { test } from '../support/store/each-engine.ts';
import { PathUnderTest } from './path-under-test.ts';

const dayMs = 86_400_000;
const monday = Date.parse('2026-03-09T00:00:00Z');

/** Records a passed result of a check, which saw a certificate or none. */
async function see(path: PathUnderTest, checkId: string, certificate: SeenCertificate | null): Promise<void> {
  await path.schedule();
  for (const claimed of await path.claim()) {
    const seen = claimed.run.checkId === checkId ? certificate : null;
    await path.record([path.ended(claimed, 'passed', { finding: path.finding('passed', { certificate: seen }) })]);
  }
  path.temp.clock.advance(10_000);
}

test('the certificates that checks last saw are listed, soonest to expire first', async (newStore) => {
  await using path = await PathUnderTest.open(newStore, monday);
  const { certificates } = path.temp.store;
  const days: Record<string, number> = { shop: 40, blog: 20, old: -332, paused: 10 };
  const ids: Record<string, string> = {};
  for (const [name, left] of Object.entries(days)) {
    const id = await path.check({ name, ...(name === 'blog' && { tags: ['eu'] }) });
    ids[name] = id;
    const validTo = monday + left * dayMs;
    await see(path, id, { domain: `${name}.example`, fingerprint: 'AB', issuer: 'R11', validTo });
  }
  await path.check({ name: 'plain' });
  await path.edit(ids['paused'] ?? '', { activated: false });
  const listed = async (filter: CertificateFilter, limit = 10, offset = 0) => {
    const { rows, total } = await certificates.list(path.accountId, filter, { limit, offset });
    return { names: rows.map(({ name }) => name), total };
  };
  assert.deepEqual(await listed({}), { names: ['old', 'blog', 'shop'], total: 3 });
  assert.deepEqual(await listed({ until: monday + 30 * dayMs }), { names: ['old', 'blog'], total: 2 });
  assert.deepEqual(await listed({ tags: ['eu'] }), { names: ['blog'], total: 1 });
  assert.deepEqual(await listed({}, 1, 2), { names: ['shop'], total: 3 });
  assert.deepEqual(await certificates.list('0199f0c4-0000-7000-8000-000000000001', {}, { limit: 10, offset: 0 }), {
    rows: [],
    total: 0,
  });

  // Later results without one keep it; a renewed one replaces it.
  const seenAt = path.now - 10_000;
  await see(path, '', null);
  const [, , shop] = (await certificates.list(path.accountId, {}, { limit: 10, offset: 0 })).rows;
  assert.ok(shop !== undefined && shop.seenAt < seenAt);
  assert.deepEqual([shop.domain, shop.issuer, shop.role], ['shop.example', 'R11', undefined]);
  const role = 'intermediate certificate "R3"';
  await see(path, ids['old'] ?? '', { domain: 'old.example', fingerprint: 'CD', role, validTo: monday + 90 * dayMs });
  const renewed = (await certificates.list(path.accountId, {}, { limit: 10, offset: 0 })).rows.at(-1);
  assert.deepEqual([renewed?.name, renewed?.role, renewed?.issuer], ['old', role, undefined]);
});
