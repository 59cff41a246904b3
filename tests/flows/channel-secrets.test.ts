// Secret rotation through the real service, with the clock set forward.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { verify } from '../../docs/receivers/receiver.ts';
import type { Given } from '../support/service/flow-cases.ts';
import { test } from '../support/service/one-process.ts';
import { type Hit, startScriptedServer } from '../support/targets/scripted-server.ts';
import { startWithClock } from '../support/service/service-clock.ts';

const mask = '********';
const hour = 3_600_000;

/** A service with an adjustable clock, and the receiver of its only channel. */
async function startRotating(given: Given) {
  let aheadMs = 0;
  const now = (): number => Date.now() + aheadMs;
  const { on, advance } = await startWithClock(given, {
    environment: { LOG_LEVEL: 'debug' },
  });
  const receiver = await startScriptedServer(given.t);
  const config = { url: receiver.url, webhookSecret: 'the first one', template: '{"a": 1}' };
  await on.must('POST', '/v1/alert-channels', { type: 'WEBHOOK', config });
  return {
    now,
    /** Sends a test message and returns the received request. */
    async send(): Promise<Hit> {
      const before = receiver.all.length;
      await on.must('POST', '/v1/alert-channels/1/test', {});
      const hit = receiver.all[before];
      assert.ok(hit !== undefined);
      return hit;
    },
    printed: () => on.printed,
    pass: (ms: number) => advance((aheadMs += ms)),
    channel: async () => (await on.must('GET', '/v1/alert-channels/1'))['config'] as Record<string, unknown>,
    change: (change: object) => on.must('PUT', '/v1/alert-channels/1', { config: { ...config, ...change } }),
  };
}

/** Secrets that verify the signature. */
function signersOf({ headers, body }: Hit, now: number, secrets: readonly string[]): string[] {
  const single = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  return secrets.filter((secret) => verify(single, body, [secret], now) === 'genuine');
}

test('a new secret signs together with the old one until the chosen time, then alone', async (given) => {
  const service = await startRotating(given);
  const secrets = ['the first one', 'the second one'];
  const signers = async (): Promise<string[]> => signersOf(await service.send(), service.now(), secrets);
  assert.deepEqual(await signers(), ['the first one']);

  const end = service.now() + hour;
  const previousSecretUntil = new Date(end).toISOString();
  await service.change({ webhookSecret: 'the second one', previousSecretUntil });
  const hit = await service.send();
  assert.deepEqual(signersOf(hit, service.now(), secrets), secrets);
  assert.equal(String(hit.headers['webhook-signature']).split(' ').length, 2);
  const expected = createHmac('sha256', 'the second one').update(hit.body).digest('hex');
  assert.equal(hit.headers['x-service-signature'], expected, 'the specified header has room for the new one alone');
  const shown = await service.channel();
  assert.deepEqual([shown['webhookSecret'], shown['previousSecretUntil']], [mask, previousSecretUntil]);

  await service.pass(end - service.now() - 60_000);
  assert.deepEqual(await signers(), secrets);
  await service.pass(end - service.now() + 10_000);
  assert.deepEqual(await signers(), ['the second one']);
  assert.equal((await service.channel())['previousSecretUntil'], null);
});

test('sending a masked secret back changes nothing, and the overlap can be changed or ended', async (given) => {
  const service = await startRotating(given);
  const secrets = ['the first one', 'the second one'];
  const signers = async (): Promise<string[]> => signersOf(await service.send(), service.now(), secrets);
  const at = (ms: number): string => new Date(service.now() + ms).toISOString();
  await service.change({ webhookSecret: 'the second one', previousSecretUntil: at(hour) });

  await service.change(await service.channel());
  assert.deepEqual(await signers(), secrets, 'all of it, sent back as it was shown');
  await service.change({ webhookSecret: mask, previousSecretUntil: at(3 * hour) });
  await service.pass(2 * hour);
  assert.deepEqual(await signers(), secrets, 'the time was moved');
  await service.change({ webhookSecret: mask, previousSecretUntil: null });
  assert.deepEqual(await signers(), ['the second one'], 'the time was ended');
  await service.change({ webhookSecret: null });
  assert.equal((await service.send()).headers['webhook-signature'], undefined);
  assert.doesNotMatch(service.printed(), /the (first|second) one/);
});
