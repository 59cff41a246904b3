// Acknowledging an incident updates every open page of the account.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startScriptedServer } from '../support/targets/scripted-server.ts';
import { expectHidden, expectVisible } from './expect.ts';
import { operator, shareWebUi } from './web-ui.ts';

describe('acknowledging', () => {
  const { ui } = shareWebUi();

  test('acknowledging on the check page shows on every open page within 2 s, until the recovery', async (t) => {
    const target = await startScriptedServer(t);
    target.answer(() => ({ status: 503 }));
    const { service, open } = ui();
    const { id } = await service.must('POST', '/v1/checks/api', {
      name: 'Cart API',
      frequency: 1440,
      request: { method: 'GET', url: target.url },
    });
    const check = await open(`/checks/${String(id)}`);
    const [overview, wall, alerts] = await Promise.all([open('/'), open('/wall'), open('/alerts')]);
    const row = overview.getByRole('listitem').filter({ hasText: 'Cart API' });
    const tile = wall.getByRole('listitem').filter({ hasText: 'Cart API' });
    const incident = alerts.getByRole('region', { name: 'Open incidents' }).getByRole('listitem');
    await expectVisible(row.getByText('Failing'));
    await expectVisible(tile.getByText('Failing'));
    await expectVisible(incident.getByRole('button', { name: 'Acknowledge Cart API' }));
    await expectVisible(incident.getByText('Expected a status below 400, got 503'));
    assert.equal(await row.getByText('Acknowledged').count(), 0);

    await check.getByRole('button', { name: 'Acknowledge Cart API' }).first().click();
    const who = `Acknowledged by ${operator.email}`;
    await Promise.all([
      expectVisible(check.getByText(who).first(), 2000),
      expectVisible(row.getByText('Acknowledged'), 2000),
      expectVisible(tile.getByText('Acknowledged'), 2000),
      expectVisible(incident.getByText(who), 2000),
    ]);
    await incident.getByRole('link', { name: 'View result' }).click();
    await expectVisible(alerts.getByRole('heading', { level: 1, name: 'Cart API' }));
    await expectVisible(alerts.getByText(who));

    await alerts.getByRole('button', { name: 'Actions for the incident of Cart API' }).press('Enter');
    await alerts.getByRole('menuitem', { name: 'Remove acknowledgement' }).press('Enter');
    await expectHidden(row.getByText('Acknowledged'), 2000);
    await alerts.getByRole('button', { name: 'Acknowledge Cart API' }).press('Enter');
    await expectVisible(row.getByText('Acknowledged'), 2000);

    target.answer(() => ({ status: 200 }));
    await service.must('POST', `/v1/triggers/checks/${String(id)}`);
    await expectVisible(row.getByText('Passing'), 30_000);
    await expectHidden(row.getByText('Acknowledged'));
    await expectHidden(tile.getByText('Acknowledged'));
    await expectHidden(alerts.getByText(who));
    const resolved = check.getByRole('region', { name: 'Alerts of the last 30 days' }).getByRole('listitem');
    await expectVisible(resolved.getByText(/Resolved after/));
    await expectVisible(resolved.getByText(who));
    assert.equal(await check.getByText(who).count(), 1);
    assert.equal(await check.getByRole('button', { name: /Acknowledge|Actions for the incident/ }).count(), 0);
  });

  test('acknowledging a resolved incident on an outdated page shows that it is over', async (t) => {
    const target = await startScriptedServer(t);
    target.answer(() => ({ status: 503 }));
    const { service, open } = ui();
    const { id } = await service.must('POST', '/v1/checks/api', {
      name: 'Blog',
      frequency: 1440,
      request: { method: 'GET', url: target.url },
    });
    const page = await open();
    // Without events the page stays outdated.
    await page.route('**/v1/events', (route) => route.abort());
    await page.goto(`/checks/${String(id)}`);
    const button = page.getByRole('button', { name: 'Acknowledge Blog' }).first();
    await expectVisible(button);
    await page.route('**/v1/check-incidents?*', (route) => route.abort());
    target.answer(() => ({ status: 200 }));
    await service.must('POST', `/v1/triggers/checks/${String(id)}`);
    const other = await open(`/checks/${String(id)}`);
    await expectVisible(other.getByText('Passing', { exact: true }).first(), 30_000);
    await button.click();
    await expectVisible(page.getByRole('status').getByText(/The incident is over: its check recovered/));
  });
});
