// A paging service through the real process: one incident is opened and resolved, replayed, and left alone by tests.
import assert from 'node:assert/strict';
import { test } from '../support/service/one-process.ts';
import { firstRun } from '../support/service/first-run.ts';
import { startScriptedServer } from '../support/targets/scripted-server.ts';
import { until } from '../support/until.ts';

const serviceKey = 'canary-routing-key';

interface Event {
  readonly routing_key: string;
  readonly event_action: string;
  readonly dedup_key: string;
  readonly payload?: { readonly summary: string; readonly severity: string };
}

test('an incident is opened and resolved under one key; replays say so, tests have their own key', async (given) => {
  const { t } = given;
  const [target, service] = [await startScriptedServer(t), await startScriptedServer(t)];
  service.answer({ status: 202, body: `{"status":"success","key":"${serviceKey}"}` });
  const api = await given.startService(t, { TOCSIN_PAGERDUTY_URL: service.url, LOG_LEVEL: 'debug' });
  const events = async (count: number): Promise<Event[]> =>
    (await service.hits(count)).map(({ url, body }) => {
      assert.equal(url, '/v2/enqueue');
      return JSON.parse(body.toString()) as Event;
    });

  const config = { serviceName: 'Shop', serviceKey };
  const channel = await api.must('POST', '/v1/alert-channels', { type: 'PAGERDUTY', config, autoSubscribe: true });
  assert.deepEqual((channel['config'] as { serviceKey: string }).serviceKey, '********');
  const check = { name: 'Cart', frequency: 1440, request: { method: 'GET', url: target.url } };
  const { id: checkId } = await api.must('POST', '/v1/checks/api', check);
  await firstRun(api, checkId);

  target.answer({ status: 503 });
  await api.must('POST', `/v1/triggers/checks/${String(checkId)}`);
  const [failure] = await events(1);
  assert.ok(failure);
  assert.deepEqual([failure.event_action, failure.routing_key], ['trigger', serviceKey]);
  assert.deepEqual([failure.payload?.summary, failure.payload?.severity], ['Cart has failed', 'critical']);

  target.answer({ status: 200 });
  await api.must('POST', `/v1/triggers/checks/${String(checkId)}`);
  const [, recovery] = await events(2);
  assert.deepEqual([recovery?.event_action, recovery?.dedup_key], ['resolve', failure.dedup_key]);

  const sent = await api.must('POST', `/v1/alert-channels/${String(channel['id'])}/test`, {});
  assert.equal((sent['response'] as { status: number }).status, 202);
  const [, , test] = await events(3);
  assert.equal(test?.event_action, 'trigger');
  assert.notEqual(test.dedup_key, failure.dedup_key);
  assert.match(test.payload?.summary ?? '', /^\[TEST\] /);

  const log = async () => (await api.must('GET', '/v1/deliveries')) as unknown as { id: string; status: string }[];
  const delivered = await until('all deliveries to be logged', async () => {
    const found = await log();
    return found.length === 3 && found.every(({ status }) => status === 'delivered') && found;
  });
  const oldest = delivered.at(-1)?.id ?? '';
  await api.must('POST', `/v1/deliveries/${oldest}/replay`);
  const [, , , replay] = await events(4);
  assert.deepEqual([replay?.event_action, replay?.dedup_key], ['trigger', failure.dedup_key]);
  assert.equal(replay?.payload?.summary, 'Cart has failed (replayed)');

  await until('the replay to be logged', async () => (await log()).every(({ status }) => status === 'delivered'));
  const whole = await Promise.all((await log()).map(({ id }) => api.must('GET', `/v1/deliveries/${id}`)));
  const shown = JSON.stringify([whole, await api.must('GET', '/v1/alert-channels'), sent]);
  assert.ok(!shown.includes('canary'), shown);
  assert.match(shown, /"key\\":\\"\*{8}\\"/);
  assert.ok(!api.printed.includes('canary'));
});
