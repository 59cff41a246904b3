// SMS messages through the real process: the operator's service stays hidden, and an account cannot use it without limit.
import assert from 'node:assert/strict';
import { test } from '../support/service/one-process.ts';
import { firstRun } from '../support/service/first-run.ts';
import { startScriptedServer } from '../support/targets/scripted-server.ts';
import { until } from '../support/until.ts';

test('SMS messages go out up to the limit of the account, the rest waits, and no answer shows the service', async (given) => {
  const { t } = given;
  const [target, gateway] = [await startScriptedServer(t), await startScriptedServer(t)];
  target.answer({ status: 503 });
  gateway.answer(({ headers }) => ({ status: 201, body: `sent by ${headers.host} for ${headers.authorization}` }));
  const { host } = new URL(gateway.url);
  const api = await given.startService(t, {
    TOCSIN_SMS_URL: `http://canary-user:canary-password@${host}/canary`,
    TOCSIN_SMS_TEMPLATE: 'To={{NUMBER}}&Body={{TEXT}}',
    TOCSIN_TELEPHONE_LIMIT: '1',
    LOG_LEVEL: 'debug',
  });
  const config = { number: '+15551234567' };
  const refused = await api.api('POST', '/v1/alert-channels', { type: 'CALL', config });
  assert.equal(refused.status, 400);
  assert.match(JSON.stringify(refused.body), /TOCSIN_CALL_URL/);
  await api.must('POST', '/v1/alert-channels', { type: 'SMS', config, autoSubscribe: true });
  for (const name of ['Cart & "co"', 'Search', 'Login']) {
    const check = { name, frequency: 1440, request: { method: 'GET', url: target.url } };
    await firstRun(api, (await api.must('POST', '/v1/checks/api', check))['id']);
  }
  interface Shown {
    readonly id: string;
    readonly status: string;
    readonly error: string | null;
    readonly attempts: readonly unknown[];
  }
  const log = async () => (await api.must('GET', '/v1/deliveries')) as unknown as readonly Shown[];
  const isWaiting = ({ status, error, attempts }: Shown): boolean =>
    status === 'pending' && attempts.length === 0 && /limit of 1 SMS messages and calls per hour/.test(error ?? '');
  const settled = await until('each delivery to be sent or to wait', async () => {
    const found = await log();
    return found.length === 3 && found.every((each) => each.status === 'delivered' || isWaiting(each)) && found;
  });
  // Two, if an hour ended meanwhile.
  const sent = settled.filter(({ status }) => status === 'delivered').length;
  assert.ok(sent === 1 || sent === 2, JSON.stringify(settled));
  assert.equal(gateway.all.length, sent);
  const [hit] = gateway.all;
  assert.equal(hit?.url, '/canary');
  assert.equal(hit.headers.authorization, `Basic ${Buffer.from('canary-user:canary-password').toString('base64')}`);
  const form = new URLSearchParams(hit.body.toString());
  assert.equal(form.get('To'), '+15551234567');
  assert.match(form.get('Body') ?? '', /^Cart & "co" has failed: .*503.* http:\/\/\S+$/);

  // An hour may have ended meanwhile: then one more is sent.
  const tries = [];
  for (let count = 0; count < 2; count++) tries.push(await api.api('POST', '/v1/alert-channels/1/test', {}));
  const waits = tries.at(-1);
  assert.equal(waits?.status, 409, JSON.stringify(tries));
  assert.match(
    JSON.stringify(waits.body),
    /The test message waits: the account has reached its limit of 1 SMS messages and calls per hour; continues at \S+Z\. See delivery/,
  );

  const whole = await Promise.all(settled.map(({ id }) => api.must('GET', `/v1/deliveries/${id}`)));
  const shown = JSON.stringify([whole, await api.must('GET', '/v1/alert-channels')]);
  assert.match(shown, /"url":"sms:\+15551234567"/);
  assert.match(shown, /sent by \*{8} for Basic \*{8}/);
  for (const hidden of ['canary', host]) {
    assert.ok(!shown.includes(hidden), shown);
    assert.ok(!Object.values(api.stored()).join('\n').includes(hidden));
  }
  assert.ok(!api.printed.includes('canary'));
});
