// Secrets of ready-made kinds reach their service through the sending thread, and nothing else.
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import type { ChannelSender } from '#channels/kind.ts';
import type { SendOutcome } from '#domain/deliveries/delivery.ts';
import { type Gateways, noGateways } from '#domain/deliveries/gateways.ts';
import type { JsonObject } from '#domain/json.ts';
import { type Received, receiver } from '../../../tests/support/receivers/http-receivers.ts';
import { alertCases, rendered } from '../../../tests/support/receivers/sample-alerts.ts';
import { createSender, type SenderThreadOptions } from './sender.ts';

const echoed = (got: Received): string => `${got.url} ${JSON.stringify(got.headers)} ${got.body.toString()}`;

/** By their options: the thread of each loads the kinds of all channels. */
const senders = new Map<string, ChannelSender>();
after(() => Promise.all([...senders.values()].map((sender) => sender.close())));

function senderWith(options: Partial<SenderThreadOptions> = {}): ChannelSender {
  const whole = { egress: { mode: 'any', allow: [] }, gateways: noGateways, ...options } as const;
  const known = senders.get(JSON.stringify(whole)) ?? createSender(whole);
  senders.set(JSON.stringify(whole), known);
  return known;
}

/** Sends a failure to a service that repeats in its response and headers all it received. */
async function sendTo(
  type: string,
  channel: (host: string) => { config: JsonObject; secrets: JsonObject; gateways?: Gateways },
  { status = 202, ...options }: Partial<SenderThreadOptions> & { readonly status?: number } = {},
): Promise<{ got: Received | undefined; outcome: SendOutcome; host: string }> {
  const { host, received } = await receiver((_, response) => {
    const [got] = received.slice(-1);
    assert.ok(got);
    response.setHeader('retry-after', '7');
    response.setHeader('location', `http://other.example${got.url}`);
    response.writeHead(status).end(echoed(got));
  });
  const { config, secrets, gateways = noGateways } = channel(host);
  const request = rendered(type, config, alertCases['failure'] ?? {}, gateways);
  const sender = senderWith({ gateways, ...options });
  const sending = {
    type,
    request,
    secrets,
    accountId: 'a',
    deliveryId: 'd-1',
    createdAt: 1000,
    startedAt: Date.now(),
    attempt: 1,
  };
  const outcome = await sender.send({ ...sending, replayOf: null });
  assert.ok(!JSON.stringify([request, outcome]).includes('canary'), JSON.stringify([request, outcome]));
  return { got: received[0], outcome, host };
}

test('Slack: the webhook URL is requested and never shown, even if the server repeats it', async () => {
  const channel = (host: string) => ({
    config: { url: `http://${host}/********` },
    secrets: { url: `http://${host}/services/T0/canary?x=canary` },
  });
  const { got, outcome } = await sendTo('SLACK', channel, { status: 200 });
  assert.equal(got?.url, '/services/T0/canary?x=canary');
  assert.equal(outcome.error, null);
  assert.equal(outcome.response?.headers['location'], 'http://other.example********');
  const { outcome: refused } = await sendTo('SLACK', channel, { egress: { mode: 'public', allow: [] } });
  assert.equal(refused.error?.class, 'egress-refused', 'the account chooses the host');
});

test('PagerDuty: the routing key is in the body that is sent', async () => {
  const channel = (host: string) => ({
    config: {},
    secrets: { serviceKey: 'canary"key' },
    gateways: { ...noGateways, pagerDutyUrl: `http://${host}/pd` },
  });
  // The operator's URL is allowed even where accounts could not choose it.
  const { got, outcome, host } = await sendTo('PAGERDUTY', channel, { egress: { mode: 'public', allow: [] } });
  assert.equal(got?.url, '/pd/v2/enqueue');
  const sent = JSON.parse(got.body.toString()) as JsonObject;
  assert.equal(sent['routing_key'], 'canary"key');
  const url = rendered('PAGERDUTY', {}, alertCases['failure'] ?? {}, channel(host).gateways);
  assert.deepEqual({ ...sent, routing_key: '********' }, JSON.parse(url.body));
  assert.deepEqual([outcome.error, outcome.response?.status], [null, 202]);
});

test('Opsgenie: the key is in the authorization that is sent and masked in the log', async () => {
  const channel = (host: string) => ({
    config: { region: 'US', priority: 'P1' },
    secrets: { apiKey: 'canary-key' },
    gateways: { ...noGateways, opsgenieUrl: `http://${host}` },
  });
  const options = { egress: { mode: 'public', allow: [] }, status: 429 } as const;
  const { got, outcome } = await sendTo('OPSGENIE', channel, options);
  assert.equal(got?.url, '/v2/alerts');
  assert.equal(got.headers['authorization'], 'GenieKey canary-key');
  assert.deepEqual(
    outcome.headers.find(([name]) => name === 'authorization'),
    ['authorization', 'GenieKey ********'],
  );
  assert.deepEqual([outcome.error?.class, outcome.response?.headers['retry-after']], ['status', '7']);
});

test('without an address of the operator, the egress policy applies to PagerDuty and Opsgenie', async () => {
  for (const [type, secrets] of [
    ['PAGERDUTY', { serviceKey: 'canary' }],
    ['OPSGENIE', { apiKey: 'canary' }],
  ] as const) {
    const sender = senderWith();
    const strict = senderWith({ egress: { mode: 'public', allow: [] } });
    const { host } = await receiver((_, response) => response.end());
    const request = { ...rendered(type, {}, alertCases['failure'] ?? {}), url: `http://${host}/` };
    const sending = {
      type,
      request,
      secrets,
      accountId: 'a',
      deliveryId: 'd',
      createdAt: 0,
      startedAt: 0,
      attempt: 1,
      replayOf: null,
    };
    assert.equal((await sender.send(sending)).error, null);
    assert.equal((await strict.send(sending)).error?.class, 'egress-refused');
  }
});

for (const [type, name] of [
  ['SMS', 'sms'],
  ['CALL', 'call'],
] as const) {
  test(`${type}: the operator's service gets the text, and its URL and credentials are never shown`, async () => {
    const channel = (host: string) => ({
      config: { number: '+15551234567' },
      secrets: {},
      gateways: {
        ...noGateways,
        [name]: {
          url: `http://canary-user:canary%3Apw@${host}/canary/send?key=canary`,
          template: 'To={{NUMBER}}&Body={{TEXT}}',
        },
      },
    });
    const options = { egress: { mode: 'public', allow: [] }, status: 503 } as const;
    const { got, outcome, host } = await sendTo(type, channel, options);
    assert.equal(got?.url, '/canary/send?key=canary');
    assert.equal(got.headers['authorization'], `Basic ${Buffer.from('canary-user:canary:pw').toString('base64')}`);
    assert.equal(got.headers['idempotency-key'], 'd-1');
    const form = new URLSearchParams(got.body.toString());
    assert.equal(form.get('To'), '+15551234567');
    assert.match(form.get('Body') ?? '', /^Cart API has failed: expected a status below 400/);
    assert.deepEqual(outcome.response?.headers, { 'retry-after': '7' });
    assert.equal(outcome.error?.class, 'status');
    assert.ok(!JSON.stringify(outcome).includes(host), JSON.stringify(outcome));
  });
}

test("failures of SMS and calls do not name the operator's service", async () => {
  const { host } = await receiver((_, response) => response.destroy());
  for (const type of ['SMS', 'CALL'] as const) {
    const request = rendered(type, { number: '+15551234567' }, alertCases['failure'] ?? {});
    const sending = {
      type,
      accountId: 'a',
      request,
      secrets: {},
      deliveryId: 'd',
      createdAt: 0,
      startedAt: 0,
      attempt: 1,
      replayOf: null,
    };
    const what = type === 'SMS' ? 'SMS messages' : 'calls';
    for (const [url, message] of [
      [`http://${host}/`, `the service for ${what} closed the connection without a response`],
      ['http://canary.invalid/', `the service for ${what} cannot be resolved`],
      [`https://${host}/`, `the service for ${what} failed the TLS handshake`],
    ] as const) {
      const gateway = { url, template: '{{NUMBER}}{{TEXT}}' };
      const sender = senderWith({ gateways: { ...noGateways, sms: gateway, call: gateway } });
      assert.equal((await sender.send(sending)).error?.message, message);
    }
    assert.match((await senderWith().send(sending)).error?.message ?? '', /is no longer set up$/);
  }
});
