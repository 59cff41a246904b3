// A failing receiver gets the same delivery again, and each attempt is logged (spec §6.5). All tests here wait for the
// real pause of 20 s at the same time.
import assert from 'node:assert/strict';
import { idBytes } from '#store/base/codec.ts';
import { describe } from '../support/service/one-process.ts';
import { type Message, startReceiver } from '../support/receivers/receiver.ts';
import { startScriptedServer } from '../support/targets/scripted-server.ts';
import type { Service } from '../support/service/service.ts';
import { until } from '../support/until.ts';

const secret = 'a secret between two';
const pauseMs = 20_000;

/** A check that fails on demand, and its receiver. */
async function fixture(t: { after(work: () => void): void }, service: Service) {
  const [target, receiver] = [await startScriptedServer(t), await startReceiver(t, secret)];
  const group = await service.must('POST', '/v2/check-groups', { name: 'Shops' });
  const groupId = Number(group['id']);
  const request = { method: 'GET', url: target.url };
  const check = await service.must('POST', '/v1/checks/api', { name: 'Cart', frequency: 1440, groupId, request });
  const channel = await service.must('POST', '/v1/alert-channels', {
    type: 'WEBHOOK',
    config: {
      url: `${receiver.url}/{{$UUID}}`,
      webhookSecret: secret,
      template: '{"ALERT_TYPE":"{{ALERT_TYPE}}","random":{{$RANDOM_NUMBER}},"at":"{{moment \'x\'}}"}',
    },
    subscriptions: [{ groupId }],
  });
  const run = async (status: number): Promise<void> => {
    target.answer({ status });
    await service.must('POST', `/v1/triggers/check-groups/${groupId}`);
  };
  return { receiver, channelId: Number(channel['id']), checkId: String(check['id']), run };
}

interface LoggedAttempt {
  readonly number: number;
  readonly response?: { readonly status: number };
  readonly error?: { readonly class: string };
  readonly nextAttemptAt?: string;
}

const attemptsOf = (delivery: Record<string, unknown>): LoggedAttempt[] => delivery['attempts'] as LoggedAttempt[];
const read = (service: Service, id: string): Promise<Record<string, unknown>> =>
  service.must('GET', `/v1/deliveries/${id}`);
const ended = (service: Service, id: string, status: string): Promise<Record<string, unknown>> =>
  until(`delivery ${id} to be ${status}`, async () => {
    const delivery = await read(service, id);
    return delivery['status'] === status && delivery;
  });

/**
 * Headers of the attempt: the Standard Webhooks signature is renewed, so that receivers do not reject it as too old.
 */
const ofAttempt = ['x-service-attempt', 'webhook-timestamp', 'webhook-signature', 'connection'];

/** Must be the same in every attempt: request line, body, signature, id and timestamp. */
function sameIn({ hit, text, deliveryId, timestamp }: Message): unknown {
  const headers = Object.fromEntries(Object.entries(hit.headers).filter(([name]) => !ofAttempt.includes(name)));
  return { method: hit.method, url: hit.url, text, deliveryId, timestamp, headers };
}

describe('a failed delivery', { concurrency: 8 }, ({ it }) => {
  it('is retried after 20 s with the same bytes, id and timestamp, and the next attempt number', async (t, service) => {
    const { receiver, run } = await fixture(t, service);
    receiver.answer((_, came) => (came === 0 ? { status: 500, body: 'not now' } : { status: 200 }));
    await run(500);
    const first = await receiver.received(({ attempt }) => attempt === 1);
    const second = await receiver.received(({ attempt }) => attempt === 2, pauseMs + 10_000);
    assert.deepEqual(sameIn(second), sameIn(first));
    const pause = second.hit.at - first.hit.at;
    assert.ok(pause >= pauseMs && pause < pauseMs + 5_000, `${pause} ms`);
    const delivery = await ended(service, first.deliveryId, 'delivered');
    assert.deepEqual(
      attemptsOf(delivery).map(({ number, response, error, nextAttemptAt }) => [
        number,
        response?.status,
        error?.class,
        nextAttemptAt === undefined,
      ]),
      [
        [1, 500, 'status', false],
        [2, 200, undefined, true],
      ],
    );
  });

  it('does not delay the recovery, and has an older timestamp', async (t, service) => {
    const { receiver, run } = await fixture(t, service);
    receiver.answer((message) => ({
      status: message.json['ALERT_TYPE'] === 'ALERT_FAILURE' && message.attempt === 1 ? 503 : 200,
    }));
    await run(500);
    const failure = await receiver.alert('ALERT_FAILURE');
    await run(200);
    const recovery = await receiver.alert('ALERT_RECOVERY');
    const late = await receiver.received(({ attempt }) => attempt === 2, pauseMs + 10_000);
    assert.equal(late.deliveryId, failure.deliveryId);
    assert.ok(late.hit.at > recovery.hit.at, 'it comes after the recovery');
    assert.ok(late.timestamp < recovery.timestamp, 'and says that it is older');
  });

  it('is retried after a reset connection, too', async (t, service) => {
    const { receiver, run } = await fixture(t, service);
    receiver.answer((_, came) => (came === 0 ? 'reset' : { status: 200 }));
    await run(500);
    const second = await receiver.received(({ attempt }) => attempt === 2, pauseMs + 10_000);
    const delivery = await ended(service, second.deliveryId, 'delivered');
    assert.deepEqual(
      attemptsOf(delivery).map(({ error }) => error?.class),
      ['reset', undefined],
    );
  });

  it('is retried at once on request', async (t, service) => {
    const { receiver, run } = await fixture(t, service);
    receiver.answer((_, came) => ({ status: came === 0 ? 500 : 200 }));
    await run(500);
    const { deliveryId } = await receiver.received(() => true);
    await until('the attempt to be logged', async () => attemptsOf(await read(service, deliveryId)).length === 1);
    await service.must('POST', `/v1/deliveries/${deliveryId}/retry`);
    await receiver.received(({ attempt }) => attempt === 2, 10_000);
  });

  it('is logged with its channel and check after its last attempt', async (t, service) => {
    const { receiver, run, channelId, checkId } = await fixture(t, service);
    receiver.answer({ status: 500 });
    await run(500);
    const { deliveryId } = await receiver.received(() => true);
    await until('the attempt to be logged', async () => attemptsOf(await read(service, deliveryId)).length === 1);
    // As if four more attempts had failed; other tests cover the pauses.
    service.rows((raw) => raw.prepare('UPDATE deliveries SET attempts = 5 WHERE id = ?').run(idBytes(deliveryId)));
    await service.must('POST', `/v1/deliveries/${deliveryId}/retry`);
    await ended(service, deliveryId, 'exhausted');
    const line = await until('a line of the log', () =>
      service.printed.split('\n').find((each) => each.includes('delivery.exhausted') && each.includes(deliveryId)),
    );
    const { channel, check } = JSON.parse(line) as Record<string, unknown>;
    assert.deepEqual([channel, check], [channelId, checkId]);
  });

  it('can be cancelled, and replayed as a new delivery', async (t, service) => {
    const { receiver, run, channelId } = await fixture(t, service);
    receiver.answer({ status: 500 });
    await run(500);
    const first = await receiver.received(() => true);
    await until('the attempt to be logged', async () => attemptsOf(await read(service, first.deliveryId)).length === 1);
    assert.equal((await service.api('POST', `/v1/deliveries/${first.deliveryId}/replay`)).status, 409, 'it is pending');
    await service.must('POST', `/v1/deliveries/${first.deliveryId}/cancel`);
    assert.equal((await read(service, first.deliveryId))['status'], 'cancelled');
    assert.equal((await service.api('POST', `/v1/deliveries/${first.deliveryId}/retry`)).status, 409);

    receiver.answer({ status: 200 });
    const replay = await service.must('POST', `/v1/deliveries/${first.deliveryId}/replay`);
    assert.equal(replay['replayOf'], first.deliveryId);
    const again = await receiver.received(({ deliveryId }) => deliveryId === replay['id']);
    assert.equal(again.hit.headers['x-service-replay-of'], first.deliveryId);
    assert.equal(first.hit.headers['x-service-replay-of'], undefined, 'what is no replay names none');
    assert.equal(again.attempt, 1);
    await ended(service, again.deliveryId, 'delivered');
    // The channel may also have been told that another test's receiver fails.
    const list = await service.api('GET', `/v1/deliveries?alertChannelId=${channelId}&status=delivered`);
    const delivered = (list.body as unknown as { id: string }[]).map(({ id }) => id);
    assert.deepEqual(
      [replay['id'], first.deliveryId].map((id) => delivered.includes(String(id))),
      [true, false],
    );
  });
});
