// Random values of what is sent, with a seeded source.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRandom } from '../../bench/chaos/random.ts';
import { startComposed } from '../support/service/composed.ts';
import { startScriptedServer } from '../support/targets/scripted-server.ts';
import { asker } from '../support/service/service.ts';

test('$RANDOM_NUMBER of what is sent goes from 0 to 1000, as the source of randomness does', async (t) => {
  const next = createRandom(7);
  const fractions: number[] = [];
  const random = {
    uuid: () => '6b1f0f0e-3d3c-4a55-9a51-1d2f3c4b5a69',
    fraction: () => fractions.shift() ?? next(),
  };
  const clocks = { clock: { now: () => Date.now() }, steadyNow: () => performance.now() };
  const { address, apiKey } = await startComposed(t, {}, clocks, random);
  const { must } = asker(() => address, apiKey);
  const receiver = await startScriptedServer(t);
  const config = { url: receiver.url, template: '{"n": {{$RANDOM_NUMBER}} }' };
  await must('POST', '/v1/alert-channels', { type: 'WEBHOOK', config });
  fractions.push(0, 1 - 2 ** -40);
  for (let n = 0; n < 2; n++) await must('POST', '/v1/alert-channels/1/test', {});
  assert.deepEqual(
    receiver.all.map(({ body }) => body.toString()),
    ['{"n": 0 }', '{"n": 1000 }'],
  );
});
