// Maintenance in the web UI: planned with its effect in view, seen in the calendar, skipped, ended and edited.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { expectHidden, expectVisible } from './expect.ts';
import { shareWebUi } from './web-ui.ts';

type Window = Readonly<Record<string, unknown>>;

const phone = { viewport: { width: 390, height: 844 } };

describe('maintenance in the web UI', () => {
  const { ui } = shareWebUi();

  before(async () => {
    const { service } = ui();
    for (const [name, tags] of [
      ['Cart', ['shop']],
      ['Search', ['shop']],
      ['Blog', []],
    ] as const) {
      const request = { method: 'GET', url: service.address };
      await service.must('POST', '/v1/checks/api', { name, tags, request, activated: false });
    }
  });

  test('a window is planned in a chosen zone; its checks and next times are shown before it is saved', async () => {
    const { service, open } = ui();
    const page = await open('/maintenance/new', { timezoneId: 'Europe/Berlin' });
    const preview = page.getByRole('complementary', { name: 'What it does' });
    await expectVisible(preview.getByText('Affects no check.'));
    await page.getByLabel('Name').fill('Upgrade');
    await page.getByLabel('From').fill('2026-01-10T08:00');
    await page.getByLabel('To', { exact: true }).fill('2026-01-10T07:00');
    await page.getByLabel('Silence checks with these tags').fill('shop');
    await expectVisible(preview.getByText('Silences 2 of 3 checks:'));
    await expectVisible(preview.getByRole('link', { name: 'Search' }));
    await page.getByRole('button', { name: 'Plan window' }).click();
    await expectVisible(page.getByText('must be later than startsAt').first());
    await page.getByLabel('To', { exact: true }).fill('2099-01-10T09:30');
    await expectVisible(preview.getByText(/Jan 10.* to Sat, Jan 10, 2099, 09:30/));
    await page.getByRole('button', { name: 'Alerts' }).click();
    await page.getByRole('option', { name: 'Silence all checks' }).click();
    await expectVisible(preview.getByText('Silences all 3 checks of the account'));
    await page.reload();
    await expectVisible(page.getByText('This is what you entered before.'));
    await page.getByRole('button', { name: 'Plan window' }).click();
    await expectVisible(page.getByRole('heading', { level: 1, name: 'Upgrade' }));
    const [planned] = (await service.must('GET', '/v1/maintenance-windows')) as unknown as Window[];
    assert.deepEqual(
      [planned?.['startsAt'], planned?.['timezone'], planned?.['silenceAllAlerts'], planned?.['silenceAlertsTags']],
      ['2026-01-10T07:00:00.000Z', 'Europe/Berlin', true, []],
    );
    await expectVisible(page.getByText('Now, until'));
    await page.getByRole('button', { name: /^End now/ }).click();
    await expectVisible(page.getByText('ended early'));
    await expectVisible(page.getByText('Over', { exact: true }));
  });

  test('the calendar shows each day of its month in its zone, and its address names both', async () => {
    const { service, open } = ui();
    const weekly = { startsAt: '2098-03-01T22:30:00Z', endsAt: '2098-03-02T00:30:00Z', timezone: 'UTC' };
    await service.must('POST', '/v1/maintenance-windows', {
      name: 'Weekly',
      tags: ['shop'],
      repeatUnit: 'WEEK',
      ...weekly,
    });
    const page = await open('/maintenance?month=2098-03&zone=UTC');
    const grid = page.getByRole('table', { name: 'Maintenance in March 2098' });
    const day = (name: string) => grid.getByRole('list', { name, exact: true });
    await expectVisible(day('Sun, Mar 2').getByRole('link', { name: 'until 00:30 Weekly' }));
    const zone = page.getByRole('combobox', { name: 'Time zone' });
    await zone.click();
    await zone.fill('kolk');
    await page.getByRole('option', { name: 'Asia/Kolkata' }).click();
    await expectVisible(day('Sun, Mar 2').getByRole('link', { name: '04:00 Weekly' }));
    assert.match(page.url(), /zone=Asia/);
    await page.getByRole('button', { name: 'Next month' }).focus();
    await page.keyboard.press('Enter');
    await expectVisible(page.getByRole('heading', { name: 'April 2098' }));
    assert.match(page.url(), /month=2098-04/);
  });

  test('on a phone, an occurrence is skipped in the list of days, and restored', async () => {
    const { service, open } = ui();
    await service.must('POST', '/v1/maintenance-windows', {
      name: 'Nightly',
      silenceAlertsTags: ['shop'],
      startsAt: '2097-05-30T01:00:00Z',
      endsAt: '2097-05-30T02:00:00Z',
      repeatUnit: 'DAY',
    });
    const page = await open('/maintenance?month=2097-05&zone=UTC', phone);
    const skip = page.getByRole('button', { name: 'Skip Fri, May 31, 2097, 01:00 to 02:00' });
    await skip.click();
    await expectVisible(page.getByText('skipped', { exact: true }));
    await page.getByRole('link', { name: 'Nightly' }).first().click();
    await expectVisible(page.getByText('Silences 2 of 3 checks:'));
    await page.getByRole('button', { name: /^Restore/ }).click();
    await expectHidden(page.getByText('skipped', { exact: true }));
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await page.getByLabel('Silence checks with these tags').fill('shop, blog');
    await page.getByRole('button', { name: 'Save' }).click();
    await expectVisible(page.getByText('No alerts of checks tagged shop, blog'));
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await expectVisible(page.getByRole('heading', { level: 1, name: 'Maintenance' }));
    await expectHidden(page.getByRole('link', { name: 'Nightly' }));
  });
});
