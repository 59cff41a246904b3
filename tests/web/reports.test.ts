// Reports: a week's figures, other ranges, CSV, paper, and who receives the report by email.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { readMail } from '../support/receivers/read-mail.ts';
import { startSmtpServer } from '../support/receivers/smtp-server.ts';
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
  await choose(page, 'Time range', 'This week');
  const longest = page.getByRole('table', { name: 'Longest incidents' });
  await expectVisible(longest.getByRole('link', { name: 'Cart API' }));
  await expectVisible(page.getByText(/\(Asia\/Kolkata\), so far/));
  assert.ok(await page.getByRole('button', { name: 'Next range' }).isDisabled());
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download CSV' }).click();
  const download = await downloading;
  assert.match(download.suggestedFilename(), /^tocsin-report-\d{4}-\d\d-\d\d\.csv$/);
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
  await page.getByRole('button', { name: 'Next range' }).click();
  await page.waitForURL(/at=(?:%22)?2020-01-08T/);
});

test('a person makes a report for one customer, prints it and sends it', async (t) => {
  const mails = await startSmtpServer();
  t.after(() => mails.close());
  const ui = await startWebUi(t, { TOCSIN_SMTP_URL: `smtp://localhost:${mails.port}` });
  const target = await startScriptedServer(t);
  target.answer({ status: 503 });
  const must: typeof ui.service.must = (...sent) => ui.service.must(...sent);
  const { id: groupId } = await must('POST', '/v1/check-groups', { name: 'Acme' });
  const request = { method: 'GET', url: target.url };
  const often = { frequency: 0, frequencyOffset: 10, request };
  await must('POST', '/v1/checks/api', { name: 'Acme shop', groupId, tags: ['eu'], ...often });
  await must('POST', '/v1/checks/api', { name: 'Own wiki', ...often });
  const config = { address: 'customer@example.com' };
  const { id } = await must('POST', '/v1/alert-channels', { type: 'EMAIL', config });
  await until('two failing checks', async () => {
    const { summary } = (await must('GET', '/v1/overview')) as { readonly summary: { failing: number } };
    return summary.failing === 2;
  });
  const page = await ui.open('/reports', { viewport: { width: 390, height: 844 } });
  await choose(page, 'Time range', 'This month');
  const all = page.getByRole('table', { name: 'All checks' });
  await expectVisible(all.getByRole('link', { name: 'Own wiki' }));
  await choose(page, 'Time range', 'Chosen days');
  const today = new Date().toISOString().slice(0, 10);
  await page.getByLabel('First day').fill(today);
  for (const [label, name] of [
    ['Group', 'Acme'],
    ['Tag', 'eu'],
  ] as const) {
    await page.getByRole('combobox', { name: label }).click();
    await page.getByRole('option', { name, exact: true }).click();
  }
  await all.getByRole('link', { name: 'Own wiki' }).waitFor({ state: 'detached' });
  await page.getByLabel('Heading').fill('Acme Ltd');
  await expectVisible(page.getByRole('heading', { level: 1, name: 'Acme Ltd' }));
  await expectVisible(page.getByText(/^Group Acme, tag eu · /));
  await page.waitForURL((url) => url.search.includes(`fromOn=${today}`) && url.search.includes('title=Acme'));

  // On paper: heading, range and figures, without navigation and controls.
  await page.emulateMedia({ media: 'print' });
  await expectVisible(page.getByRole('heading', { level: 1, name: 'Acme Ltd' }));
  await expectVisible(page.getByText(/^Uptime is the share of the monitored time/));
  for (const hidden of [
    page.getByRole('navigation').first(),
    page.getByRole('group', { name: 'Subject of the report' }),
    page.getByRole('button', { name: 'Print' }),
    page.getByRole('heading', { name: 'By email' }),
  ]) {
    assert.equal(await hidden.isVisible(), false);
  }
  const pdf = await page.pdf({ format: 'A4' });
  assert.equal(pdf.toString('latin1').match(/\/Type \/Page\b/g)?.length, 1);
  await page.emulateMedia({ media: null });

  await page.getByRole('button', { name: 'Send by email' }).click();
  await page.getByRole('button', { name: 'Send now' }).click();
  await expectVisible(page.getByText('The report is on its way to customer@example.com.'));
  const { raw } = await until('the mail', () => mails.mails[0]);
  const { headers, text } = readMail(raw);
  assert.match(headers['subject'] ?? '', /^Report for Acme Ltd: .*, 1 incident$/);
  assert.match(text, /group Acme, tag eu/);
  await page.getByRole('button', { name: 'Close' }).click();

  // A schedule takes what is chosen.
  await page.getByRole('button', { name: 'Report to customer@example.com' }).click();
  await page.getByRole('option', { name: 'Monthly' }).click();
  await expectVisible(page.getByText('Group Acme, tag eu: Acme Ltd'));
  const { report } = await must('GET', `/v1/alert-channels/${String(id)}`);
  const { every, tags, title } = report as { readonly every: string; readonly tags: string[]; readonly title: string };
  assert.deepEqual([every, tags, title], ['month', ['eu'], 'Acme Ltd']);

  await page.getByRole('button', { name: 'Send by email' }).click();
  await page.getByRole('button', { name: 'Send now' }).click();
  await page.getByRole('link', { name: 'View delivery' }).click();
  await page.waitForURL(/\/deliveries\//);
  await expectVisible(page.getByText(/SMTP 2\d\d/).first());
});

async function choose(page: Page, label: string, option: string): Promise<void> {
  await page.getByRole('button', { name: label }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
}
