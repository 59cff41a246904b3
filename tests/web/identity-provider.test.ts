// Sign-in with an identity provider in a browser: connect, sign in, come back to what was entered, and what goes wrong.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { freePort } from '../support/free-port.ts';
import { startIdentityProvider, type StartedProvider } from '../support/targets/identity-provider.ts';
import { breaches } from './accessibility.ts';
import { expectHidden, expectVisible } from './expect.ts';
import { operator, signIn, startWebUi, type WebUi } from './web-ui.ts';

const accountId = '0193b3c0-0000-7000-8000-00000000000a';
const endings: (() => unknown)[] = [];
const later = { after: (end: () => unknown) => void endings.push(end) };
let ui: WebUi;
let corp: StartedProvider;

before(async () => {
  const port = await freePort();
  corp = await startIdentityProvider(later, `http://127.0.0.1:${port}`);
  ui = await startWebUi(later, {
    ...corp.environment,
    PORT: String(port),
    TOCSIN_BOOTSTRAP_ACCOUNT_ID: accountId,
    TOCSIN_OIDC_ROLES: JSON.stringify({ sub: { bea: { [accountId]: 'read-write' } } }),
  });
});
after(async () => {
  for (const end of endings.toReversed()) await end();
});

/** A page in a browser of its own, which may leave for the provider. */
async function open(path: string, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await ui.browser.newContext({ baseURL: ui.service.address, locale: 'en-US', ...options });
  const page = await context.newPage();
  await page.goto(path);
  return page;
}

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });
const withProvider = (page: Page) => page.getByRole('button', { name: 'Sign in with Corp SSO' });

describe('with an identity provider', () => {
  test('a person with a password signs in while it is away, is not taken over, connects it and signs in with it', async () => {
    corp.isBroken = true;
    corp.person = { sub: 'ada', email: operator.email, email_verified: true };
    const page = await open('/sign-in?next=/deliveries');
    assert.deepEqual(await breaches(page), []);
    await withProvider(page).click();
    await expectVisible(page.getByText(/Corp SSO cannot be reached\. Try again later, or sign in with a password\./));
    corp.isBroken = false;
    await withProvider(page).click();
    await expectVisible(page.getByText(/A person with the address ada@example\.com is here already/));
    assert.equal(new URL(page.url()).search, '', 'the code is not in the address');
    assert.deepEqual(await breaches(page), []);
    await page.getByRole('link', { name: 'Back to sign-in' }).click();
    await page.getByLabel('Email').fill(operator.email);
    await page.getByLabel('Password').fill(operator.password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await expectVisible(heading(page, 'Deliveries'));

    await page.goto('/settings/profile');
    const section = page.getByRole('region', { name: 'Sign-in with Corp SSO' });
    await section.getByLabel('Password').fill('not the password');
    await section.getByRole('button', { name: 'Connect Corp SSO' }).click();
    await expectVisible(section.getByText('The password is wrong.'));
    await section.getByLabel('Password').fill(operator.password);
    await section.getByRole('button', { name: 'Connect Corp SSO' }).click();
    await expectVisible(page.getByText(/Connected\. You can sign in with it/));
    await expectVisible(section.getByText(operator.email));
    assert.deepEqual(await breaches(page), []);

    const other = await open('/sign-in?next=/groups');
    await withProvider(other).click();
    await expectVisible(heading(other, 'Groups'));
    await other.goto('/settings/profile');
    await expectVisible(other.getByRole('row').getByText('Identity provider'));
    await other.goBack();
    await expectVisible(heading(other, 'Groups'));
    await other.context().close();
    await page.context().close();
  });

  test('an expired sign-in loses nothing of what was entered', async () => {
    const page = await open('/sign-in');
    await withProvider(page).click();
    await expectVisible(heading(page, 'Checks'));
    await page.goto('/checks/new?type=TCP');
    await page.getByLabel('Name', { exact: true }).fill('Entered before');
    await page.evaluate(`fetch('/v1/sessions', { method: 'DELETE' })`);
    await page.getByRole('dialog').getByRole('button', { name: 'Sign in with Corp SSO' }).click();
    await expectHidden(page.getByRole('dialog'));
    await expectVisible(page.getByRole('button', { name: 'Create check' }));
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Entered before');
    await page.context().close();
  });

  test('an invited person joins on a phone without a password', async () => {
    corp.person = { sub: 'eve', email: 'eve@corp.example', email_verified: true };
    const invited = await ui.service.must('POST', '/v1/invites', { email: 'eve@corp.example', role: 'read-only' });
    const page = await open(String(invited['url']), { viewport: { width: 390, height: 844 }, colorScheme: 'dark' });
    await expectVisible(page.getByRole('button', { name: 'Accept with Corp SSO' }));
    assert.deepEqual(await breaches(page), []);
    await page.getByRole('button', { name: 'Accept with Corp SSO' }).click();
    await expectVisible(heading(page, 'Checks'));
    await page.goto('/settings/profile');
    await expectVisible(page.getByText(/Corp SSO is your only way in/));
    await expectHidden(page.getByRole('heading', { name: 'Change password' }));
    await expectHidden(page.getByRole('heading', { name: 'Second factor' }));
    await page.context().close();
  });

  test('a person with a role by claim joins, and People says where the role comes from', async () => {
    corp.person = { sub: 'bea', email: 'bea@corp.example', email_verified: true };
    const page = await open('/sign-in');
    await withProvider(page).click();
    await expectVisible(heading(page, 'Checks'));
    await page.context().close();
    const owner = await open('/sign-in');
    await signIn(owner);
    await owner.goto('/settings/people');
    const row = owner.getByRole('row').filter({ hasText: 'bea@corp.example' });
    await expectVisible(row.getByText('Set by the identity provider'));
    await row.getByRole('button', { name: /Role/ }).click();
    await owner.getByRole('option', { name: 'Read only' }).click();
    await expectHidden(row.getByText('Set by the identity provider'));
    await expectVisible(owner.getByText(/Sign-ins with Corp SSO count as having one/));
    await owner.context().close();
  });

  test('forged answers and addresses elsewhere lead nowhere, and a refusal is named', async () => {
    const page = await open('/sign-in/callback?code=guess&state=guess');
    await expectVisible(page.getByText(/started in another browser or tab/));
    await page.reload();
    await expectVisible(page.getByText(/Nothing is left to do here/));
    corp.person = null;
    await page.goto('/sign-in?next=//evil.example/');
    await withProvider(page).click();
    await expectVisible(page.getByText(/Corp SSO did not sign you in \(access_denied\)/));
    await page.getByRole('link', { name: 'Back to sign-in' }).click();
    corp.person = { sub: 'eve', email: 'eve@corp.example', email_verified: true };
    await withProvider(page).click();
    await expectVisible(heading(page, 'Checks'));
    assert.equal(page.url(), `${ui.service.address}/`);
    // Another way to the same: the tab remembers a page elsewhere.
    await page.goto('/sign-in');
    await page.evaluate(`sessionStorage.setItem('provider visit', '{"next":"https://evil.example/"}')`);
    await page.goto('/sign-in/callback?code=guess&state=guess');
    await page.getByRole('link', { name: 'Back to sign-in' }).click();
    assert.equal(page.url(), `${ui.service.address}/sign-in`);
    await page.context().close();
  });

  test('a person disconnects it with the password', async () => {
    const page = await open('/sign-in');
    await signIn(page);
    await page.goto('/settings/profile');
    const section = page.getByRole('region', { name: 'Sign-in with Corp SSO' });
    await section.getByLabel('Password').fill(operator.password);
    await section.getByRole('button', { name: 'Disconnect Corp SSO' }).click();
    await expectVisible(section.getByRole('button', { name: 'Connect Corp SSO', exact: true }));
    await page.context().close();
  });
});
