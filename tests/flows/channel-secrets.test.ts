// A secret that takes the place of another while both sign, and random values, with time and dice in the test's hands.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { verify } from '../../docs/receivers/receiver.ts';
import { createDice } from '../../bench/chaos/dice.ts';
import { startComposed } from '../support/composed.ts';
import { type Cleanup, type Hit, startScriptedServer } from '../support/scripted-server.ts';
import { asker } from '../support/service.ts';

const mask = '********';
const hour = 3_600_000;

/** A service whose time goes on when told to, and the receiver of its one channel. */
async function startRotating(t: Cleanup) {
  let aheadMs = 0;
  const now = (): number => Date.now() + aheadMs;
  const clocks = { clock: { now }, steadyNow: () => performance.now() + aheadMs };
  const dice = createDice(7);
  const fractions: number[] = [];
  const random = {
    uuid: () => '6b1f0f0e-3d3c-4a55-9a51-1d2f3c4b5a69',
    fraction: () => fractions.shift() ?? dice(),
  };
  const { address, apiKey, logged } = await startComposed(t, {}, clocks, random);
  const { must } = asker(() => address, apiKey);
  const receiver = await startScriptedServer(t);
  const config = { url: receiver.url, webhookSecret: 'the first one', template: '{"n": {{$RANDOM_NUMBER}} }' };
  await must('POST', '/v1/alert-channels', { type: 'WEBHOOK', config });
  return {
    now,
    pass: (ms: number) => void (aheadMs += ms),
    fractions,
    logged,
    channel: async () => (await must('GET', '/v1/alert-channels/1'))['config'] as Record<string, unknown>,
    change: (change: object) => must('PUT', '/v1/alert-channels/1', { config: { ...config, ...change } }),
    /** Sends a test message; answers with what came. */
    async send(): Promise<Hit> {
      const before = receiver.all.length;
      await must('POST', '/v1/alert-channels/1/test', {});
      const hit = receiver.all[before];
      assert.ok(hit !== undefined);
      return hit;
    },
  };
}

/** Who of these would find it genuine. */
function signersOf({ headers, body }: Hit, now: number, secrets: readonly string[]): string[] {
  const single = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  return secrets.filter((secret) => verify(single, body, [secret], now) === 'genuine');
}

test('a new secret signs beside the old one until the chosen time, and alone after it', async (t) => {
  const service = await startRotating(t);
  const secrets = ['the first one', 'the second one'];
  const signers = async (): Promise<string[]> => signersOf(await service.send(), service.now(), secrets);
  assert.deepEqual(await signers(), ['the first one']);

  const until = service.now() + hour;
  const previousSecretUntil = new Date(until).toISOString();
  await service.change({ webhookSecret: 'the second one', previousSecretUntil });
  const hit = await service.send();
  assert.deepEqual(signersOf(hit, service.now(), secrets), secrets);
  assert.equal(String(hit.headers['webhook-signature']).split(' ').length, 2);
  const expected = createHmac('sha256', 'the second one').update(hit.body).digest('hex');
  assert.equal(hit.headers['x-service-signature'], expected, 'the specified header has room for the new one alone');
  const shown = await service.channel();
  assert.deepEqual([shown['webhookSecret'], shown['previousSecretUntil']], [mask, previousSecretUntil]);

  service.pass(until - service.now() - 2000);
  assert.deepEqual(await signers(), secrets);
  service.pass(until - service.now());
  assert.deepEqual(await signers(), ['the second one']);
  assert.equal((await service.channel())['previousSecretUntil'], null);
});

test('a mask that is sent back changes no secret, and the time of the old one can be moved and ended', async (t) => {
  const service = await startRotating(t);
  const secrets = ['the first one', 'the second one'];
  const signers = async (): Promise<string[]> => signersOf(await service.send(), service.now(), secrets);
  const at = (ms: number): string => new Date(service.now() + ms).toISOString();
  await service.change({ webhookSecret: 'the second one', previousSecretUntil: at(hour) });

  await service.change(await service.channel());
  assert.deepEqual(await signers(), secrets, 'all of it, sent back as it was shown');
  await service.change({ webhookSecret: mask, previousSecretUntil: at(3 * hour) });
  service.pass(2 * hour);
  assert.deepEqual(await signers(), secrets, 'the time was moved');
  await service.change({ webhookSecret: mask, previousSecretUntil: null });
  assert.deepEqual(await signers(), ['the second one'], 'the time was ended');
  await service.change({ webhookSecret: null });
  assert.equal((await service.send()).headers['webhook-signature'], undefined);
  assert.doesNotMatch(JSON.stringify(service.logged), /the (first|second) one/);
});

test('$RANDOM_NUMBER of what is sent goes from 0 to 1000, as the source of randomness does', async (t) => {
  const service = await startRotating(t);
  service.fractions.push(0, 1 - 2 ** -40);
  const sent = [await service.send(), await service.send()];
  assert.deepEqual(
    sent.map(({ body }) => body.toString()),
    ['{"n": 0 }', '{"n": 1000 }'],
  );
});
