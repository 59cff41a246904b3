// From a red row to the result, the delivery and its replay.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { expectHidden, expectVisible } from './expect.ts';
import { startScriptedServer } from '../support/targets/scripted-server.ts';
import { startWebUi } from './web-ui.ts';

test('a failing check leads to its result, its delivery and a replay, live', async (t) => {
  const target = await startScriptedServer(t);
  const channel = await startScriptedServer(t);
  const { service, open } = await startWebUi(t);
  await service.must('POST', '/v1/alert-channels', {
    type: 'WEBHOOK',
    autoSubscribe: true,
    config: { name: 'Ops chat', url: channel.url },
  });
  const page = await open();
  // Some browsers report a language that Intl refuses.
  await page.addInitScript("Object.defineProperty(Navigator.prototype, 'language', { get: () => 'en-US@posix' })");
  await page.reload();
  await expectVisible(page.getByText('No checks yet'));
  const { id } = await service.must('POST', '/v1/checks/api', {
    name: 'Cart API',
    frequency: 1440,
    retryStrategy: { type: 'FIXED', baseBackoffSeconds: 1, maxRetries: 1 },
    request: {
      method: 'GET',
      url: target.url,
      assertions: [{ source: 'RESPONSE_TIME', comparison: 'LESS_THAN', target: '60000' }],
    },
  });
  const row = page.getByRole('listitem').filter({ hasText: 'Cart API' });
  await expectVisible(row.getByText('Passing'));
  target.answer(() => ({ status: 503, body: '<b>down</b>' }));
  await service.must('POST', `/v1/triggers/checks/${String(id)}`);
  await expectVisible(row.getByText('Failing'), 20_000);
  await row.getByRole('link', { name: 'Cart API' }).click();
  await expectVisible(page.getByRole('heading', { level: 1, name: 'Cart API' }));
  const settings = page.getByRole('region', { name: 'What this check does' });
  await expectVisible(settings.getByText(`GET ${target.url}`));
  for (const said of ['Response time is less than 60000', 'One, after 1 s'])
    await expectVisible(settings.getByText(said));
  const notified = page.getByRole('region', { name: 'If this check fails' });
  await expectVisible(notified.getByText('Alert on the first failed run, no reminders.'));
  await expectVisible(notified.getByText('Ops chat'));
  await expectVisible(notified.getByText('is notified of the failure and of the recovery').first());
  const failedRow = page
    .getByRole('region', { name: 'Results' })
    .getByRole('row')
    .filter({ hasText: 'Failed' })
    .first();
  await failedRow.getByRole('link').first().click();
  await expectVisible(page.getByText(/expected a status below 400, got 503/i).first());
  await expectVisible(page.getByText('<b>down</b>').first());
  // Deliveries appear with all names, so that no column moves.
  const named = Promise.withResolvers<void>();
  await page.route(`**/v1/checks/${String(id)}`, async (route) => {
    await named.promise;
    await route.continue();
  });
  await page.goto('/deliveries');
  await expectVisible(page.getByRole('status', { name: 'Loading' }));
  await expectHidden(page.getByRole('table', { name: 'Deliveries' }));
  named.resolve();
  await expectVisible(page.getByRole('table', { name: 'Deliveries' }).getByRole('link', { name: 'Cart API' }));
  await page.getByRole('table', { name: 'Deliveries' }).getByRole('link', { name: 'Failing' }).click();
  await expectVisible(page.getByRole('heading', { level: 1, name: 'Failing: Cart API' }));
  await expectVisible(page.getByText('HTTP 200').first());
  await page.getByRole('button', { name: 'Replay' }).click();
  await expectVisible(page.getByText('Replay of'));
  await expectVisible(page.getByText('HTTP 200').first());
  const assertions = [{ source: 'HEADERS', comparison: 'NOT_EQUALS', property: 'x-state', target: 'broken' }];
  const request = { method: 'GET', url: target.url, assertions };
  const older = await service.must('POST', '/v1/checks/api', { name: 'Older', activated: false, request });
  const database = new DatabaseSync(join(service.environment['TOCSIN_DATA_DIR'] ?? '', 'tocsin.db'), { timeout: 5000 });
  database.exec(`UPDATE checks SET definition = replace(definition, ',"passesIfAbsent":false', '')`);
  database.close();
  await page.goto(`/checks/${String(older['id'])}`);
  await expectVisible(page.getByText('One assertion passes even if its value does not exist'));
  await page.getByRole('button', { name: 'Upgrade assertions' }).click();
  await expectHidden(page.getByRole('region', { name: 'Older assertions' }));
  const upgraded = await service.must('GET', `/v1/checks/${String(older['id'])}`);
  assert.equal(JSON.stringify(upgraded).includes('passesIfAbsent'), false);
});
