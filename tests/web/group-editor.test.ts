// Groups and alert settings are created and changed without any other tool.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { expectHidden, expectVisible } from './expect.ts';
import { shareWebUi, signIn } from './web-ui.ts';

/** Chooses an option of a list of choices. */
async function choose(page: Page, label: string | RegExp, option: string | RegExp): Promise<void> {
  await page.getByRole('button', { name: label }).click();
  await page.getByRole('option', { name: option }).click();
}

describe('groups in the web UI', () => {
  // Without a mail server, an invitation returns its link.
  const { ui } = shareWebUi({ TOCSIN_SMTP_URL: '', TOCSIN_MAIL_FROM: '' });
  const makeCheck = async (name: string, more: object = {}): Promise<string> => {
    const { id } = await ui().service.must('POST', '/v1/checks/tcp', {
      name,
      activated: false,
      request: { hostname: '127.0.0.1', port: 1 },
      ...more,
    });
    return String(id);
  };

  test('a group is created, gets checks, decides their alert settings, and says what it overrides', async () => {
    const { service, open } = ui();
    const own = { useGlobalAlertSettings: false, alertSettings: { runBasedEscalation: { failedRunThreshold: 3 } } };
    const cart = await makeCheck('Cart', own);
    await makeCheck('Checkout');
    await makeCheck('Blog');
    const page = await open('/groups');
    await page.getByRole('link', { name: 'New group' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Shop');
    await page.locator('summary', { hasText: 'Alerting' }).click();
    await choose(page, /^Each check decides/, 'Own settings for all its checks');
    await choose(page, /^On the first failed run/, 'After failing for 10 minutes');
    await choose(page, /^None/, 'Until recovery');
    await page.getByRole('button', { name: 'Add dependency' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name, tag or URL').fill('blo');
    await expectHidden(dialog.getByText('Cart'));
    await dialog.getByText('Blog').click();
    await dialog.getByRole('button', { name: 'Add 1 check' }).click();
    await page.getByRole('button', { name: 'Create group' }).click();
    await expectVisible(page.getByRole('heading', { level: 1, name: 'Shop' }));

    await page.getByRole('button', { name: 'Add checks' }).click();
    await dialog.getByText('Cart').click();
    await dialog.getByText('Checkout').click();
    await dialog.getByRole('button', { name: 'Add 2 checks' }).click();
    const settings = page.getByRole('region', { name: 'Settings of the group' });
    await expectVisible(settings.getByText('Alert after failing for 10 minutes, a reminder every 5 minutes'));
    await expectVisible(settings.getByText('Overrides the own setting of'));
    await expectVisible(settings.getByRole('link', { name: 'Cart' }));
    const [group] = (await service.must('GET', '/v1/check-groups')) as unknown as Record<string, unknown>[];
    assert.deepEqual(group?.['alertSettings'], {
      escalationType: 'TIME_BASED',
      runBasedEscalation: { failedRunThreshold: 1 },
      timeBasedEscalation: { minutesFailingThreshold: 10 },
      reminders: { amount: 100_000, interval: 5 },
    });

    // The form of the check says who decides.
    await page.goto(`/checks/${cart}/edit`);
    await page.locator('summary', { hasText: 'Alerting' }).click();
    await expectVisible(page.getByText('The group decides: Alert after failing for 10 minutes'));
    await page.getByRole('main').getByRole('link', { name: 'Shop' }).click();
    await expectVisible(page.getByRole('heading', { level: 1, name: 'Edit Shop' }));

    // And so does its page, which says who would be notified.
    await service.must('POST', '/v1/alert-channels', {
      type: 'WEBHOOK',
      config: { name: 'Ops chat', url: 'http://127.0.0.1:1/' },
      subscriptions: [{ groupId: Number(group?.['id']), activated: true }],
    });
    await page.goto(`/checks/${cart}`);
    const ifItFails = page.getByRole('region', { name: 'If this check fails' });
    await expectVisible(ifItFails.getByText('Alert after failing for 10 minutes'));
    await expectVisible(ifItFails.getByText('The check is paused.'));
    await expectVisible(ifItFails.getByText('Ops chat'));
    await expectVisible(ifItFails.getByText('is notified of the failure and of the recovery'));
    await ifItFails.getByRole('link', { name: 'Blog' }).click();
    await expectVisible(ifItFails.getByRole('link', { name: 'All checks of Shop' }));
  });

  test('on a phone a group is copied with its secret, loses a check, and is deleted', async () => {
    const { service, open } = ui();
    const { id } = await service.must('POST', '/v2/check-groups', {
      name: 'Payments',
      environmentVariables: [{ key: 'TOKEN', value: 'of the payments', secret: true }],
    });
    await makeCheck('Refunds', { groupId: id });
    const page = await open(`/groups/${String(id)}`, { viewport: { width: 390, height: 844 } });
    await page.locator('label', { hasText: 'Select Refunds' }).click();
    await page.getByRole('button', { name: 'Remove 1 check from the group' }).click();
    await expectVisible(page.getByText('This group has no checks'));
    await page.getByRole('button', { name: 'Undo' }).click();
    await expectVisible(page.getByRole('link', { name: 'Refunds' }));

    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Duplicate' }).click();
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Payments (copy)');
    await page.getByRole('button', { name: 'Create group' }).click();
    await expectVisible(page.getByRole('heading', { level: 1, name: 'Payments (copy)' }));
    assert.doesNotMatch(await page.content(), /of the payments/);
    const copies = (await service.must('GET', '/v1/check-groups?name=Payments%20(copy)')) as unknown as {
      readonly id: number;
    }[];
    const [stored] = service.rows((raw) =>
      raw.prepare('SELECT definition FROM check_groups WHERE id = ?').all(Number(copies[0]?.id)),
    ) as { readonly definition: string }[];
    assert.match(stored?.definition ?? '', /"key":"TOKEN","value":"[^"]+"/);

    await page.goto(`/groups/${String(id)}`);
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await expectVisible(page.getByText('1 check stays, without the group’s settings, variables and channels.'));
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await expectVisible(page.getByRole('heading', { level: 1, name: 'Groups' }));
    await expectHidden(page.getByRole('link', { name: 'Payments', exact: true }));
  });

  test('the account’s alert settings are changed, and a wrong value keeps what was entered', async () => {
    const { service, open } = ui();
    const page = await open('/settings/alerts');
    await choose(page, /^On the first failed run/, 'On the second failed run in a row');
    await page.getByLabel('Group notifications from').fill('many');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await expectVisible(page.getByText('These settings are not accepted:'));
    assert.equal(await page.getByLabel('Group notifications from').inputValue(), 'many');
    await page.getByLabel('Group notifications from').fill('50');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await expectVisible(page.getByText('Saved the alert settings'));
    const { alertSettings } = await service.must('GET', '/v1/accounts/me');
    assert.deepEqual(alertSettings, {
      escalationType: 'RUN_BASED',
      runBasedEscalation: { failedRunThreshold: 2 },
      digestThreshold: 50,
    });
    const check = await makeCheck('Inherits');
    await page.goto(`/checks/${check}/edit`);
    await page.locator('summary', { hasText: 'Alerting' }).click();
    await expectVisible(
      page.getByRole('button', {
        name: /^Those of the account: Alert on the second failed run in a row, no reminders/,
      }),
    );
  });

  test('a person who may only read sees settings, and no control that would be refused', async () => {
    const { service, open } = ui();
    const { id } = await service.must('POST', '/v2/check-groups', { name: 'Readable', locations: ['local'] });
    await makeCheck('Read me', { groupId: id });
    const reader = { email: 'reader@example.com', password: 'correct horse battery staple' };
    const { url } = await service.must('POST', '/v1/invites', { email: reader.email, role: 'read-only' });
    const token = String(url).split('#')[1];
    await service.must('POST', '/v1/invites/accept', { token, password: reader.password });
    const page = await open('/sign-in', { signedOut: true });
    await signIn(page, reader);
    await page.goto('/groups');
    await page.getByRole('link', { name: 'Readable' }).click();
    await expectVisible(page.getByRole('link', { name: 'Read me' }));
    for (const name of ['Edit', 'Add checks', 'More actions', 'Run all checks']) {
      await expectHidden(page.getByRole('button', { name, exact: true }));
    }
    for (const path of [`/groups/${String(id)}/edit`, '/checks/new', '/channels/new', '/import']) {
      await page.goto(path);
      await expectVisible(page.getByText('You may read this account, but not change it.'));
    }
    await page.goto('/settings/alerts');
    await expectVisible(page.getByText('An admin of this account can change them.'));
    await expectHidden(page.getByRole('button', { name: 'Save changes' }));
  });
});
