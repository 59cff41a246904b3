// A failing check suppresses the alerts of those that depend on it, through the real service.
import assert from 'node:assert/strict';
import { test as it } from '../support/service/one-process.ts';
import { startReceiver } from '../support/receivers/receiver.ts';
import { startScriptedServer } from '../support/targets/scripted-server.ts';
import { until } from '../support/until.ts';

it('suppresses the alert of a check while the check that it depends on fails', async ({ t, startService }) => {
  const service = await startService(t);
  const [database, app] = [await startScriptedServer(t), await startScriptedServer(t)];
  const receiver = await startReceiver(t, 'a secret between two');
  const config = { url: receiver.url, webhookSecret: 'a secret between two' };
  await service.must('POST', '/v1/alert-channels', { type: 'WEBHOOK', autoSubscribe: true, config });
  const add = (name: string, url: string, more: object = {}) => {
    const request = { method: 'GET', url };
    return service.must('POST', '/v1/checks/api', { name, frequency: 0, frequencyOffset: 10, request, ...more });
  };
  const { id: databaseId } = await add('Database', database.url);
  const { id: appId } = await add('App', app.url, { dependsOn: [databaseId] });
  const run = (id: unknown) => service.must('POST', `/v1/triggers/checks/${String(id)}`);
  const status = async (id: unknown) => service.must('GET', `/v1/check-statuses/${String(id)}`);
  await until('both to pass', async () => (await status(appId))['state'] === 'passing');

  database.answer({ status: 500 });
  await run(databaseId);
  await receiver.received(({ json }) => json['CHECK_NAME'] === 'Database');
  app.answer({ status: 500 });
  await run(appId);
  const failing = await until('the app to fail', async () => {
    const found = await status(appId);
    return found['state'] === 'failing' && found;
  });
  const { since, ...by } = failing['suppressedBy'] as Record<string, unknown>;
  assert.deepEqual(by, { checkId: databaseId, name: 'Database', until: null });
  assert.ok(Date.now() - Date.parse(String(since)) >= 0);

  database.answer({ status: 200 });
  await run(databaseId);
  await receiver.received(({ json }) => json['CHECK_NAME'] === 'App' && json['ALERT_TYPE'] === 'ALERT_FAILURE');
  const types = receiver.all.map(({ json }) => `${String(json['CHECK_NAME'])} ${String(json['ALERT_TYPE'])}`);
  assert.deepEqual(types, ['Database ALERT_FAILURE', 'Database ALERT_RECOVERY', 'App ALERT_FAILURE']);
  assert.equal((await status(appId))['suppressedBy'], null);
});
