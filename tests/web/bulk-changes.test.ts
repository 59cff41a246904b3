// Many checks changed together: a dialog says what changes for how many, and the change can be taken back.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { devices } from 'playwright-core';
import { until } from '../support/until.ts';
import { expectHidden, expectVisible } from './expect.ts';
import { breaches } from './accessibility.ts';
import { shareWebUi } from './web-ui.ts';

const { viewport, userAgent, isMobile, hasTouch } = devices['Pixel 7'];

describe('changes to many checks', () => {
  const { ui } = shareWebUi({ TOCSIN_ROLES: 'api' });

  /** Adds checks with a tag; returns the ID of the first. */
  async function addChecks(name: string, count: number, tag: string): Promise<string> {
    const { service } = ui();
    const request = { hostname: '127.0.0.1', port: 1 };
    const checks = Array.from({ length: count }, (_, index) => ({
      checkType: 'TCP',
      name: `${name} ${String(index).padStart(3, '0')}`,
      tags: [tag, 'old'],
      request,
    }));
    let first = '';
    for (let from = 0; from < count; from += 200) {
      const made = await service.must('POST', '/v1/check-imports', { checks: checks.slice(from, from + 200) });
      first ||= (made['checks'] as { id: string }[])[0]?.id ?? '';
    }
    return first;
  }

  /** Number of checks with this tag that have an interval of so many minutes. */
  async function countWith(tag: string, frequency: number): Promise<number> {
    const { service } = ui();
    let found = 0;
    for (let page = 1; ; page++) {
      const checks = await service.must('GET', `/v1/checks?limit=100&page=${page}&tag=${tag}`);
      const list = Object.values(checks) as { frequency: number }[];
      found += list.filter((check) => check.frequency === frequency).length;
      if (list.length < 100) return found;
    }
  }

  test('500 checks are edited after a preview, and restored from another page', async () => {
    const { service, open } = ui();
    const first = await addChecks('Shop', 499, 'shop');
    const heartbeat = { period: 1, periodUnit: 'days', grace: 1, graceUnit: 'hours' };
    await service.must('POST', '/v1/checks/heartbeat', { name: 'Backup', tags: ['shop'], heartbeat });
    const page = await open('/?tag=shop&sort=name');
    await page.getByRole('checkbox', { name: 'Select all 500 checks' }).click({ force: true });
    await page.getByRole('toolbar', { name: '500 checks selected' }).getByRole('button', { name: 'Edit…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit 500 checks' });
    await expectVisible(dialog.getByText('Choose what to change.'));
    const turn = (label: string) => dialog.getByRole('checkbox', { name: label, exact: true }).click({ force: true });
    await turn('Interval');
    await dialog.getByRole('button', { name: 'Interval' }).click();
    await page.getByRole('option', { name: '5 min', exact: true }).click();
    await turn('Tags');
    await dialog.getByLabel('Add tags').fill('new, team:core');
    await dialog.getByLabel('Remove tags').fill('old');
    await expectVisible(dialog.getByText('Changes 499 checks · 1 cannot be changed'), 30_000);
    await expectVisible(dialog.getByText(/A heartbeat has no interval: .* \(Backup\)/));
    for (const label of ['Group', 'Locations', 'Channels', 'Alert settings']) await turn(label);
    await expectVisible(dialog.getByRole('checkbox', { name: 'Run at all locations at once' }));
    assert.deepEqual(await breaches(page), []);
    for (const label of ['Group', 'Locations', 'Channels', 'Alert settings']) await turn(label);
    await dialog.getByRole('button', { name: 'Change 499 checks' }).click();
    await expectVisible(page.getByText('Changed 499 checks'), 60_000);
    await expectVisible(page.getByText(/1 check was not changed\. A heartbeat has no interval/));
    assert.equal(await countWith('team:core', 5), 499);
    assert.equal(await countWith('old', 5), 0);

    await service.must('PUT', `/v1/checks/${first}`, { name: 'Renamed' });
    await page.getByRole('link', { name: 'Groups', exact: true }).first().click();
    await expectVisible(page.getByRole('heading', { level: 1, name: 'Groups' }));
    await page.getByRole('button', { name: 'Undo' }).click();
    await expectVisible(page.getByText('Restored 498 checks'), 60_000);
    await expectVisible(page.getByText('1 check was not changed. It was changed again afterwards. (Renamed)'));
    assert.equal(await countWith('old', 10), 498);
    await page.context().close();
  });

  test('on a phone, checks are selected from their menus, subscribed to a channel, and deleted', async () => {
    const { service, open } = ui();
    await addChecks('Mobile', 3, 'mobile');
    const config = { name: 'On call', url: 'https://hooks.example/', method: 'POST', headers: [], template: '{}' };
    const channel = await service.must('POST', '/v1/alert-channels', { type: 'WEBHOOK', config });
    const page = await open('/?tag=mobile&sort=name', { viewport, userAgent, isMobile, hasTouch });
    await page.getByRole('button', { name: 'Actions for Mobile 001' }).tap();
    await page.getByRole('menuitem', { name: 'Select', exact: true }).tap();
    await page.getByRole('checkbox', { name: 'Select all 3 checks' }).tap({ force: true });
    const bar = page.getByRole('toolbar', { name: '3 checks selected' });
    await page.getByRole('checkbox', { name: 'Select Mobile 000' }).tap({ force: true });
    await expectHidden(bar);
    assert.deepEqual(await breaches(page), []);
    const two = page.getByRole('toolbar', { name: '2 checks selected' });
    await two.getByRole('button', { name: 'Edit…' }).tap();
    const dialog = page.getByRole('dialog', { name: 'Edit 2 checks' });
    await dialog.getByRole('checkbox', { name: 'Channels', exact: true }).tap({ force: true });
    await dialog.getByRole('button', { name: 'On call' }).tap();
    await page.getByRole('option', { name: 'Notify', exact: true }).tap();
    await dialog.getByRole('button', { name: 'Change 2 checks' }).tap();
    await expectVisible(page.getByText('Changed 2 checks'), 30_000);
    const subscribed = async (): Promise<number> => {
      const { subscriptions } = await service.must('GET', `/v1/alert-channels/${String(channel['id'])}`);
      return (subscriptions as unknown[]).length;
    };
    assert.equal(await subscribed(), 2);

    await page.getByRole('button', { name: 'Actions for Mobile 002' }).tap();
    await page.getByRole('menuitem', { name: 'Select', exact: true }).tap();
    await page.getByRole('toolbar', { name: '1 check selected' }).getByRole('button', { name: 'Delete' }).tap();
    const confirm = page.getByRole('dialog', { name: 'Delete: 1 check?' });
    await expectVisible(confirm.getByText('Deletes the check and its history. This cannot be undone.'));
    await confirm.getByRole('button', { name: 'Delete' }).tap();
    await expectVisible(page.getByText('Deleted 1 check'), 30_000);
    await until('one subscription', async () => (await subscribed()) === 1);
    await page.context().close();
  });
});
