// The ledger adds up on the screen and lists what is lost, and the usage page shows the limits of the account.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { startScriptedServer } from '../support/targets/scripted-server.ts';
import { until } from '../support/until.ts';
import { expectVisible } from './expect.ts';
import { startWebUi } from './web-ui.ts';

test('a person sees that every run, alert and delivery is accounted for, and an operator that one is lost', async (t) => {
  const ui = await startWebUi(t, { TOCSIN_ACCOUNT_LIMITS: 'checks=2' });
  const target = await startScriptedServer(t);
  target.answer(({ url }) => ({ status: url === '/hook' ? 200 : 503 }));
  await ui.service.must('PUT', '/v1/accounts/me', { timeZone: zoneAtNoon() });
  const post = (path: string, body: unknown) => ui.service.must('POST', path, body);
  const often = { frequency: 0, frequencyOffset: 10, request: { method: 'GET', url: `${target.url}/shop` } };
  const { id: checkId } = await post('/v1/checks/api', { name: 'Cart', ...often });
  await post('/v1/checks/api', { name: 'Search', muted: true, ...often });
  const config = { url: `${target.url}/hook` };
  const subscriptions = [{ checkId, activated: true }];
  await post('/v1/alert-channels', { type: 'WEBHOOK', config, subscriptions });
  await until('a delivery, and a muted alert', async () => {
    const { alerts, deliveries } = (await ui.service.must('GET', '/v1/ledger')) as Record<
      string,
      Record<string, number>
    >;
    return (alerts?.['muted'] ?? 0) > 0 && (deliveries?.['delivered'] ?? 0) > 0;
  });
  const page = await ui.open();
  await page.getByRole('navigation', { name: 'Main', exact: true }).getByRole('link', { name: 'Ledger' }).click();
  await expectVisible(page.getByText('Everything adds up.'));
  const due = await numbers(page, 'Runs: Counted when due');
  const became = await numbers(page, 'Runs: What became of them');
  assert.equal(due['Total'], became['Total']);
  assert.ok((became['Failed'] ?? 0) >= 2, 'both checks failed');
  const alerts = await numbers(page, 'Alerts: What became of them');
  assert.deepEqual([alerts['Sent to a channel'], alerts['Muted or in maintenance']], [1, 1]);
  await expectVisible(page.getByRole('link', { name: /^Search: \d+ failed$/ }));
  assert.ok(await page.getByRole('button', { name: 'Next day' }).isDisabled());
  await page.getByRole('link', { name: 'Delivered' }).click();
  await expectVisible(page.getByRole('table').getByRole('link', { name: 'Cart', exact: true }).first());
  await page.getByRole('button', { name: 'Show any time' }).click();
  await page.waitForURL((url) => !url.search.includes('from'));

  ui.service.rows((raw) => raw.exec('DELETE FROM deliveries'));
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto('/settings/system');
  await expectVisible(page.getByText('The sums do not add up.'));
  await expectVisible(page.getByText('1 delivery counted, but not found.').first());
  await expectVisible(page.getByRole('table', { name: 'Accounts that do not add up' }));
  await page.getByRole('link', { name: 'Ledger of this account' }).click();
  await expectVisible(page.getByText('1 delivery counted, but not found.').first());
  await page.getByRole('button', { name: 'Previous day' }).click();
  await expectVisible(page.getByText('Everything adds up.'));

  await page.goto('/settings/usage');
  await expectVisible(page.getByRole('listitem').filter({ hasText: 'Checks' }).getByText('Used up: 2 of 2'));
  await expectVisible(page.getByRole('listitem').filter({ hasText: 'Channels' }).getByText('1 of 1,000'));
});

/** Where it is about noon: no day ends during the test. */
function zoneAtNoon(): string {
  const behind = new Date().getUTCHours() - 12;
  return `Etc/GMT${behind === 0 ? '' : behind > 0 ? `+${behind}` : behind}`;
}

/** Lines of a side of a sum. */
async function numbers(page: Page, name: string): Promise<Record<string, number>> {
  const rows = await page.getByRole('table', { name }).locator('tbody tr, tfoot tr').all();
  const lines = await Promise.all(
    rows.map(
      async (row) => [await row.locator('th').innerText(), Number(await row.locator('td').innerText())] as const,
    ),
  );
  return Object.fromEntries(lines);
}
