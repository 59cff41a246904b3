// Secrets in URLs: user info, and the complete address of some receivers. Read-only keys do not see them, and alerts do
// not repeat them.
import assert from 'node:assert/strict';
import { test } from '../support/service/one-process.ts';
import { asker } from '../support/service/service.ts';
import { startTarget } from '../support/targets/target.ts';
import { until } from '../support/until.ts';

const canaries = ['checkcanary', 'groupcanary', 'hookcanary', 'addresscanary', 'querycanary'];
const encoded = ['user:checkcanary', 'hook:hookcanary'].map((text) => Buffer.from(text).toString('base64'));

test('read-only keys see no user info of URLs and no secret addresses; other keys see both', async ({
  t,
  startService,
}) => {
  const reported: string[] = [];
  const target = await startTarget(t, (request, response) => {
    if (request.method === 'POST') request.on('data', (bytes: Buffer) => reported.push(bytes.toString()));
    request.on('end', () => response.writeHead(request.method === 'POST' ? 200 : 500).end()).resume();
  });
  const service = await startService(t);
  const { host } = new URL(target.url);
  const url = `http://hook:hookcanary@${host}/services/addresscanary?token=querycanary`;
  const config = { name: 'Chat', url, webhookType: 'WEBHOOK_SLACK', template: '{{CHECK_URL}} {{ALERT_TYPE}}' };
  const channel = await service.must('POST', '/v1/alert-channels', { type: 'WEBHOOK', autoSubscribe: true, config });
  const apiCheckDefaults = { url: 'http://group:groupcanary@shop.example/' };
  const group = await service.must('POST', '/v2/check-groups', { name: 'Shops', apiCheckDefaults });
  const request = { method: 'GET', url: `http://user:checkcanary@${host}/a` };
  const every = { frequency: 0, frequencyOffset: 10 };
  const check = await service.must('POST', '/v1/checks/api', { name: 'Shop', ...every, request });
  const other = await service.must('POST', '/v1/checks/url', { name: 'Page', ...every, request: { url: request.url } });
  await until('both alerts', () => reported.length >= 2);
  for (const body of reported) assert.equal(body, `http://${host}/a ALERT_FAILURE`);

  const deliveries = (await service.must('GET', '/v1/deliveries')) as unknown as { id: string }[];
  const results = (await service.must('GET', `/v1/check-results/${String(check['id'])}`)) as unknown as {
    id: string;
  }[];
  const paths = [
    '/v1/checks',
    `/v1/checks/${String(check['id'])}`,
    `/v1/checks/${String(other['id'])}`,
    '/v1/check-groups',
    `/v1/check-groups/${String(group['id'])}`,
    '/v1/alert-channels',
    `/v1/alert-channels/${String(channel['id'])}`,
    '/v1/deliveries',
    `/v1/deliveries/${deliveries[0]?.id}`,
    '/v1/alert-notifications',
    `/v1/check-results/${String(check['id'])}`,
    `/v1/check-results/${String(check['id'])}/${results[0]?.id}`,
    '/v1/check-statuses',
    '/v1/check-alerts',
  ];
  for (const role of ['read-only', 'read-run'] as const) {
    const { key } = await service.must('POST', '/v1/api-keys', { name: role, role });
    const reader = asker(() => service.address, String(key));
    for (const path of paths) {
      const { status, body } = await reader.api('GET', path);
      assert.equal(status, 200, path);
      const text = JSON.stringify(body);
      for (const secret of [...canaries, ...encoded]) assert.ok(!text.includes(secret), `${role} ${path}: ${secret}`);
    }
    const shown = await reader.must('GET', `/v1/alert-channels/${String(channel['id'])}`);
    assert.equal((shown['config'] as { url: string }).url, `http://********@${host}/********`);
    const read = await reader.must('GET', `/v1/checks/${String(check['id'])}`);
    assert.equal((read['request'] as { url: string }).url, `http://********@${host}/a`);
  }
  const whole = await service.must('GET', `/v1/alert-channels/${String(channel['id'])}`);
  assert.equal((whole['config'] as { url: string }).url, url);
  const sent = await service.must('GET', `/v1/checks/${String(check['id'])}`);
  assert.equal((sent['request'] as { url: string }).url, request.url);
});
