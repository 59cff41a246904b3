// The certificate of a domain that a browser check names, through the whole service: a real Chromium, a real channel.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAuthority } from '../support/targets/certificates.ts';
import { startComposed } from '../support/service/composed.ts';
import { freePort } from '../support/free-port.ts';
import { startReceiver } from '../support/receivers/receiver.ts';
import { asker } from '../support/service/service.ts';
import { startTarget, startTlsTarget } from '../support/targets/target.ts';
import { until } from '../support/until.ts';

type Body = Record<string, unknown>;

test('a browser check that names a domain tells of the certificate there, and a domain that is not there changes nothing', async (t) => {
  const validTo = new Date(Date.now() + 5 * 86_400_000 + 600_000);
  const secure = await startTlsTarget(t, createAuthority().issue({ validTo }), (_, response) => response.end());
  const shop = await startTarget(t, (_, response) => response.end('<!doctype html><title>Shop</title>'));
  const receiver = await startReceiver(t, 'secret');
  const on = await startComposed(t);
  const { must, api } = asker(() => on.address, on.apiKey);
  await must('POST', '/v1/alert-channels', {
    type: 'WEBHOOK',
    autoSubscribe: true,
    sslExpiry: true,
    config: { url: receiver.url, webhookSecret: 'secret' },
  });
  const check = {
    frequency: 1440,
    environmentVariables: [
      { key: 'SHOP', value: shop.url },
      { key: 'DOMAIN', value: 'localhost' },
    ],
    script: `import { test, expect } from '@playwright/test';
test('the shop', async ({ page }) => {
  await page.goto(process.env.SHOP);
  await expect(page).toHaveTitle('Shop');
});
`,
  };
  const made = (more: Body): Promise<Body> => must('POST', '/v1/checks/browser', { ...check, ...more });
  const run = async ({ id }: Body): Promise<Body> => {
    await must('POST', `/v1/triggers/checks/${String(id)}`);
    const found = async (): Promise<Body | undefined> =>
      ((await must('GET', `/v1/check-results/${String(id)}`)) as unknown as Body[])[0];
    return until('a result', found, { withinMs: 120_000 });
  };
  const daysOf = async ({ id }: Body): Promise<unknown> =>
    (await must('GET', `/v1/check-statuses/${String(id)}`))['sslDaysRemaining'];

  const refused = await api('POST', '/v1/checks', {
    name: 'Wrong',
    checkType: 'BROWSER',
    ...check,
    sslCheckDomain: 'https://shop.example/',
  });
  assert.equal(refused.status, 400);
  assert.match(JSON.stringify(refused.body), /sslCheckDomain.*is not a domain; use shop\.example/);

  const named = `{{DOMAIN}}:${secure.port}`;
  const passing = await made({ name: 'Passing', sslCheckDomain: named });
  assert.equal(passing['sslCheckDomain'], named);
  const away = await made({ name: 'Away', sslCheckDomain: `localhost:${await freePort()}`, script: '1;' });
  const failing = await made({ name: 'Failing', sslCheckDomain: named, script: 'throw new Error("closed");' });
  const results = await Promise.all([passing, away, failing].map(run));
  assert.deepEqual(
    results.map((result) => [result['outcome'], result['reason']]),
    [
      ['passed', null],
      ['passed', null],
      ['failed', 'script'],
    ],
    JSON.stringify(results.map((result) => result['message'])),
  );

  for (const name of ['Passing', 'Failing']) {
    const { json } = await receiver.received(
      (message) => message.json['ALERT_TYPE'] === 'ALERT_SSL' && message.json['CHECK_NAME'] === name,
    );
    const reported = [json['SSL_DAYS_REMAINING'], json['SSL_CHECK_DOMAIN'], json['CHECK_TYPE']];
    assert.deepEqual(reported, [5, 'localhost', 'BROWSER']);
  }
  const failure = await receiver.alert('ALERT_FAILURE');
  assert.deepEqual([failure.json['SSL_DAYS_REMAINING'], failure.json['SSL_CHECK_DOMAIN']], ['', '']);
  assert.deepEqual(await Promise.all([passing, away, failing].map(daysOf)), [5, null, 5]);
  assert.ok(!receiver.all.some(({ json }) => json['CHECK_NAME'] === 'Away'));
});
