// A check kind is a folder and four lines: adds a made-up kind to a copy of the sources and uses it.
import assert from 'node:assert/strict';
import test from 'node:test';
import { copyWithMadeUpKinds } from './support/made-up-kinds.ts';
import { startService } from './support/service/service.ts';
import { until } from './support/until.ts';

test('a check kind that is a folder and four lines is documented, validated, probed and shown', async (t) => {
  const service = await startService(t, {}, copyWithMadeUpKinds(t).place);

  const refused = async (coin: object) => {
    const { status, body } = await service.api('POST', '/v1/checks/cointoss', { name: 'A coin', coin });
    return [status, Object.keys(body['attributes'] ?? {})];
  };
  assert.deepEqual(await refused({ side: 'EDGE' }), [400, ['coin.side', 'coin.value']], 'by its schema');
  assert.deepEqual(await refused({ value: 13 }), [400, ['coin.value']], 'by its own rules');

  const made = await service.must('POST', '/v1/checks/cointoss', { name: 'A coin', coin: { value: 5 } });
  assert.deepEqual([made['checkType'], made['coin']], ['COIN_TOSS', { side: 'HEADS', value: 5 }]);
  const path = `/v1/check-results/${String(made['id'])}`;
  const results = async () => (await service.must('GET', path)) as unknown as Record<string, unknown>[];
  const [result] = await until('a result', async () => ((await results()).length > 0 ? results() : null));
  assert.deepEqual([result?.['outcome'], result?.['coinTossCheckResult']], ['passed', { side: 'HEADS', value: 5 }]);

  const changed = await service.must('PATCH', `/v1/checks/cointoss/${String(made['id'])}`, { coin: { side: 'TAILS' } });
  assert.deepEqual(changed['coin'], { side: 'TAILS', value: 5 });
  await service.must('POST', `/v1/triggers/checks/${String(made['id'])}`);
  const failed = await until('a failure', async () =>
    (await results()).find(({ outcome, message }) => outcome === 'failed' && message === 'the coin shows its tail'),
  );
  assert.equal(failed['checkType'], 'COIN_TOSS');
  const analytics = await service.must('GET', `/v1/analytics/coin-tosses/${String(made['id'])}`);
  assert.equal(analytics['checkType'], 'COIN_TOSS');

  const document = await service.must('GET', '/v1/openapi.json');
  const { schemas } = document['components'] as { schemas: Record<string, { properties: object }> };
  assert.ok('coin' in (schemas['CoinTossCheckCreate']?.properties ?? {}));
});
