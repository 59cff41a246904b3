// Reports: a week's figures, other periods, CSV, and who receives the report by email.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { startScriptedServer } from '../support/targets/scripted-server.ts';
import { until } from '../support/until.ts';
import { expectVisible } from './expect.ts';
import { startWebUi } from './web-ui.ts';

test('a person reads the report, downloads it and has it sent by email', async (t) => {
  const ui = await startWebUi(t);
  const target = await startScriptedServer(t);
  target.answer({ status: 503 });
  const config = { address: 'ops@example.com' };
  const { id } = await ui.service.must('POST', '/v1/alert-channels', { type: 'EMAIL', config });
  const request = { method: 'GET', url: target.url };
  await ui.service.must('POST', '/v1/checks/api', { name: 'Cart API', frequency: 0, frequencyOffset: 10, request });
  await until('a failed result', async () => {
    const { summary } = (await ui.service.must('GET', '/v1/overview')) as { readonly summary: { failing: number } };
    return summary.failing === 1;
  });
  const page = await ui.open('/settings/account');
  const zone = page.getByRole('combobox', { name: 'Time zone' });
  await zone.click();
  await zone.fill('kolk');
  await page.getByRole('option', { name: 'Asia/Kolkata' }).click();
  await expectVisible(page.getByText(/Messages now show times in Asia\/Kolkata/));
  await page.goto(`${new URL(page.url()).origin}/`);
  await expectVisible(page.getByRole('link', { name: 'Cart API' }).first());
  await page.keyboard.press('g');
  await page.keyboard.press('r');
  await expectVisible(page.getByText('Nothing was measured'));
  await page.getByRole('button', { name: 'Next week' }).click();
  const longest = page.getByRole('table', { name: 'Longest incidents' });
  await expectVisible(longest.getByRole('link', { name: 'Cart API' }));
  await expectVisible(page.getByText(/\(Asia\/Kolkata\), so far/));
  assert.ok(await page.getByRole('button', { name: 'Next week' }).isDisabled());
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download CSV' }).click();
  const download = await downloading;
  assert.match(download.suggestedFilename(), /^tocsin-report-week-\d{4}-\d\d-\d\d\.csv$/);
  assert.match(readFileSync(await download.path(), 'utf8'), /^check_id,name,.*\r\n[\w-]{36},Cart API,API,/);
  await page.getByRole('button', { name: 'Report to ops@example.com' }).click();
  await page.getByRole('option', { name: 'Monthly' }).click();
  const report = await until('the schedule', async () => {
    const channel = await ui.service.must('GET', `/v1/alert-channels/${String(id)}`);
    return channel['report'] as { readonly every: string; readonly timeZone: string } | null;
  });
  assert.match(`${report.every} ${report.timeZone}`, /^month Asia\/Kolkata$/);
  // A period whose data was removed: the way back.
  await page.goto(`${new URL(page.url()).origin}/reports?at=2020-01-01T00:00:00.000Z`);
  await expectVisible(page.getByText('must be in the last 731 days'));
  await page.getByRole('button', { name: 'Next week' }).click();
  await page.waitForURL(/at=(?:%22)?2020-01-08T/);
});
