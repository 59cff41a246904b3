// Every ready-made kind of channel over REST: saved, shown without its secret, changed and refused.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { channelRules } from '#channels/rules.ts';
import { noGateways } from '#domain/deliveries/gateways.ts';
import { ownId } from './rest-under-test.ts';
import { resourcesUnderTest } from './resources-under-test.ts';

const mask = '********';

interface Kind {
  readonly config: object;
  readonly shown: object;
  readonly secrets: object;
  /** Invalid configurations by the field that the refusal names. */
  readonly wrong: readonly (readonly [config: object, field: string])[];
}

const slackUrl = 'https://hooks.slack.com/services/T0/B0/canary';
const kinds: Readonly<Record<string, Kind>> = {
  SLACK: {
    config: { url: slackUrl },
    shown: { name: '', url: `https://hooks.slack.com/${mask}`, channel: '', longTail: false },
    secrets: { url: slackUrl },
    wrong: [
      [{}, 'config.url'],
      [{ url: 'hooks.slack.com/canary' }, 'config.url'],
      [{ url: `https://hooks.slack.com/${mask}` }, 'config.url'],
      [{ url: mask }, 'config.url'],
      [{ url: slackUrl, text: 'x' }, 'config.text'],
    ],
  },
  PAGERDUTY: {
    config: { account: 'acme', serviceName: 'shop', serviceKey: 'canary-key' },
    shown: { name: '', account: 'acme', serviceName: 'shop', serviceKey: mask, longTail: false },
    secrets: { serviceKey: 'canary-key' },
    wrong: [
      [{}, 'config.serviceKey'],
      [{ serviceKey: '' }, 'config.serviceKey'],
      [{ serviceKey: 'two words' }, 'config.serviceKey'],
      [{ serviceKey: mask }, 'config.serviceKey'],
    ],
  },
  OPSGENIE: {
    config: { name: 'on call', apiKey: 'canary-key', region: 'EU' },
    shown: { name: 'on call', apiKey: mask, region: 'EU', priority: 'P3', longTail: false },
    secrets: { apiKey: 'canary-key' },
    wrong: [
      [{ name: 'x' }, 'config.apiKey'],
      [{ apiKey: 'a\r\nx: y' }, 'config.apiKey'],
      [{ apiKey: 'k', region: 'MARS' }, 'config.region'],
      [{ apiKey: 'k', priority: 'P6' }, 'config.priority'],
    ],
  },
};

test('channels for SMS messages and calls need a number in E.164 form', async () => {
  await using api = resourcesUnderTest();
  for (const type of ['SMS', 'CALL']) {
    const made = await api.ask('POST', '/v1/alert-channels', { type, config: { number: '+15551234567' } });
    assert.deepEqual(made.body.config, { name: '', number: '+15551234567' }, made.text);
    for (const number of [
      '',
      '15551234567',
      '+0155512345',
      '+1 555 1234567',
      '+15551234567,+15551234568',
      '+1\n2345678',
    ]) {
      const refused = await api.ask('POST', '/v1/alert-channels', { type, config: { number } });
      assert.equal(refused.status, 400, number);
      assert.deepEqual(Object.keys(refused.body.attributes), ['config.number']);
    }
  }
});

test('channels for SMS messages and calls need a service of the operator', () => {
  const gateway = { url: 'https://sms.example/', template: '' };
  assert.match(channelRules.missing('SMS', { ...noGateways, call: gateway }) ?? '', /must set TOCSIN_SMS_URL$/);
  assert.match(channelRules.missing('CALL', { ...noGateways, sms: gateway }) ?? '', /must set TOCSIN_CALL_URL$/);
  assert.equal(channelRules.missing('SMS', { ...noGateways, sms: gateway }), null);
  assert.equal(channelRules.missing('CALL', { ...noGateways, call: gateway }), null);
});

for (const [type, { config, shown, secrets, wrong }] of Object.entries(kinds)) {
  test(`a ${type} channel shows no secret, keeps it when the mask or nothing is sent back, and replaces it`, async () => {
    await using api = resourcesUnderTest();
    const made = await api.ask('POST', '/v1/alert-channels', { type, config });
    assert.equal(made.status, 201, made.text);
    assert.deepEqual(made.body.config, shown);
    const path = `/v1/alert-channels/${made.body.id}`;
    const stored = async () => (await api.temp.store.alertChannels.find(ownId, made.body.id))?.channel;
    assert.deepEqual((await stored())?.secrets, secrets);
    assert.ok(!JSON.stringify((await stored())?.config).includes('canary'));
    for (const as of ['tsn_writer', 'tsn_reader'] as const) {
      const read = await api.ask('GET', path, undefined, as);
      assert.deepEqual(read.body.config, shown);
      const kept = await api.ask('PUT', path, read.body);
      assert.equal(kept.status, 200, kept.text);
      assert.deepEqual((await stored())?.secrets, secrets);
    }
    const named = await api.ask('PATCH', path, { config: { name: 'renamed' } });
    assert.deepEqual(named.body.config, { ...shown, name: 'renamed' });
    assert.deepEqual((await stored())?.secrets, secrets);
    const [field = ''] = Object.keys(secrets);
    const other = `${String(Object.values(secrets)[0])}-2`;
    assert.equal((await api.ask('PATCH', path, { config: { [field]: other } })).status, 200);
    assert.deepEqual((await stored())?.secrets, { [field]: other });
    assert.equal((await api.ask('PATCH', path, { config: { [field]: null } })).status, 400);
  });

  test(`an invalid ${type} channel is refused with the field`, async () => {
    await using api = resourcesUnderTest();
    for (const [invalid, field] of wrong) {
      const refused = await api.ask('POST', '/v1/alert-channels', { type, config: invalid });
      assert.equal(refused.status, 400, `${refused.text} for ${JSON.stringify(invalid)}`);
      assert.deepEqual(Object.keys(refused.body.attributes), [field], refused.text);
    }
  });
}
