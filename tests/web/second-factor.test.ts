// A person sets up a second factor, signs in with it, and an account requires it.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import type { Page } from 'playwright-core';
import { expectHidden, expectVisible } from './expect.ts';
import { operator, shareWebUi, signIn } from './web-ui.ts';

/** Sets up a second factor on the page; returns the secret and the recovery codes. */
async function enrol(page: Page, password: string) {
  const section = page.getByRole('main');
  await section.getByLabel('Password', { exact: true }).fill(password);
  await section.getByRole('button', { name: 'Set up second factor' }).click();
  await expectVisible(page.getByRole('img', { name: 'QR code of the secret' }));
  const secret = (await page.getByRole('region', { name: 'Secret' }).innerText()).replaceAll(/\s/g, '');
  const totp = new TOTP({ secret: Secret.fromBase32(secret) });
  await page.getByLabel('Code', { exact: true }).fill('000000');
  await page.getByRole('button', { name: 'Turn on' }).click();
  await expectVisible(page.getByText(/This code is wrong/));
  await page.getByLabel('Code', { exact: true }).fill(totp.generate());
  await page.getByRole('button', { name: 'Turn on' }).click();
  const codes = (await page.getByRole('region', { name: 'Recovery codes' }).innerText()).trim().split(/\s+/);
  await page.getByRole('button', { name: 'I have stored them' }).click();
  return codes;
}

describe('a second factor', () => {
  const { ui } = shareWebUi();

  test('is set up, asked at sign-in, required of all people, and removed', async () => {
    const { open, browser, service } = ui();
    const page = await open('/settings/people');
    await page.getByRole('button', { name: 'Require a second factor' }).click();
    await expectVisible(page.getByText(/Set up your own second factor first/));
    await page.goto('/settings/profile');
    const [first = '', second = ''] = await enrol(page, operator.password);
    await expectVisible(page.getByText('Unused recovery codes'));

    const invited = await service.must('POST', '/v1/invites', { email: 'reader@example.com', role: 'read-only' });
    assert.equal(invited['url'] === null, false, 'the mail server of these tests accepts nothing');
    const phone = await browser.newContext({ baseURL: service.address, viewport: { width: 390, height: 844 } });
    const reader = await phone.newPage();
    await reader.goto(String(invited['url']));
    await reader.getByLabel('Password').fill('a password of a reader');
    await reader.getByRole('button', { name: 'Accept invitation' }).click();
    await expectVisible(reader.getByRole('heading', { level: 1, name: 'Checks' }));

    await page.goto('/settings/people');
    await page.getByRole('button', { name: 'Require a second factor' }).click();
    await expectVisible(page.getByRole('button', { name: 'Stop requiring it' }));
    await reader.reload();
    await expectVisible(reader.getByText(/requires a second factor\. Set it up to continue/));
    await expectHidden(reader.getByRole('heading', { level: 1, name: 'Checks' }));
    await enrol(reader, 'a password of a reader');
    await expectVisible(reader.getByRole('heading', { level: 1, name: 'Checks' }));

    const again = await (await browser.newContext({ baseURL: service.address })).newPage();
    await again.goto('/sign-in');
    await again.getByLabel('Email').fill(operator.email);
    await again.getByLabel('Password').fill(operator.password);
    await again.getByRole('button', { name: 'Sign in' }).click();
    await again.getByLabel('Code').fill('000000');
    await again.getByRole('button', { name: 'Sign in' }).click();
    await expectVisible(again.getByText(/wrong or was used before/));
    await again.getByLabel('Code').fill(first);
    await again.getByRole('button', { name: 'Sign in' }).click();
    await expectVisible(again.getByRole('heading', { level: 1, name: 'Checks' }));

    await page.goto('/settings/people');
    await page.getByRole('button', { name: 'Stop requiring it' }).click();
    await expectVisible(page.getByRole('button', { name: 'Require a second factor' }));
    await page.goto('/settings/profile');
    const section = page.getByRole('region', { name: 'Second factor' });
    await section.getByLabel('Password').fill(operator.password);
    await section.getByLabel('Code').fill(second);
    await section.getByRole('button', { name: 'Remove second factor' }).click();
    await expectVisible(section.getByRole('button', { name: 'Set up second factor' }));
    const other = await (await browser.newContext({ baseURL: service.address })).newPage();
    await signIn(other);
  });
});
