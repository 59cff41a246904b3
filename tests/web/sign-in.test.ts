// Set up, sign in, sign out, and what a read-only person cannot do.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openBrowser } from '../support/chromium.ts';
import { runCommand } from '../support/service/command.ts';
import { startService } from '../support/service/service.ts';
import { startScriptedServer } from '../support/targets/scripted-server.ts';
import { until } from '../support/until.ts';
import { expectHidden, expectVisible } from './expect.ts';
import { operator, shareWebUi } from './web-ui.ts';

test('the first start leads to a user, a first check and a delivered test message', async (t) => {
  const service = await startService(t, { TOCSIN_BOOTSTRAP_API_KEY: '' });
  const target = await startScriptedServer(t);
  const link = await until('the setup link', () => /\S+\/setup#\S+/.exec(service.printed)?.[0]);
  const browser = await openBrowser(t);
  const page = await browser.newPage({ baseURL: service.address });
  await page.goto(new URL('/setup', link).href);
  await expectVisible(page.getByText('tocsin new-user'));
  // The link, pasted into the tab that shows the page without it.
  await page.goto(link);
  await page.getByLabel('Email').fill(operator.email);
  await page.getByLabel('Password').fill('short');
  await page.getByRole('button', { name: 'Create user' }).click();
  await expectVisible(page.getByText(/10 characters or more/));
  await page.getByLabel('Password').fill('password123');
  await page.getByRole('button', { name: 'Create user' }).click();
  await expectVisible(page.getByText(/common/i));
  await page.getByLabel('Password').fill(operator.password);
  await page.getByRole('button', { name: 'Create user' }).click();
  await expectVisible(page.getByRole('heading', { level: 1, name: 'Checks' }));
  assert.equal(new URL(page.url()).pathname, '/');

  const steps = page.getByRole('region', { name: 'First steps' });
  await steps.getByRole('link', { name: 'Create a check' }).click();
  await page.getByRole('link', { name: /^URL/ }).click();
  await page.getByLabel('Name', { exact: true }).fill('Shop');
  await page.getByLabel('URL').fill(target.url);
  await page.getByRole('button', { name: 'Create check' }).click();
  await expectVisible(page.getByRole('heading', { level: 1, name: 'Shop' }));
  await page.goto('/');
  await steps.getByRole('link', { name: 'Create a channel' }).click();
  await page.getByRole('link', { name: /^Webhook/ }).click();
  await page.getByLabel('URL', { exact: true }).fill(target.url);
  await page.getByLabel('Name', { exact: true }).fill('Ops chat');
  await page.getByRole('button', { name: 'Create channel' }).click();
  await page.goto('/');
  await steps.getByRole('link', { name: 'Send a test message' }).click();
  await page.getByRole('button', { name: 'Send test message' }).click();
  await expectVisible(page.getByText(/^Received after /), 30_000);
  await page.goto('/');
  await expectVisible(page.getByRole('link', { name: 'Shop' }));
  await expectHidden(steps);

  const [, key = ''] =
    /^API key, shown only this once: export TOCSIN_URL=\S+ TOCSIN_API_KEY=(tsn_\S+)$/m.exec(service.printed) ?? [];
  const listed = await fetch(`${service.address}/v1/checks`, { headers: { authorization: `Bearer ${key}` } });
  assert.equal(listed.status, 200, 'the printed key works');

  const second = await browser.newContext();
  const again = await second.newPage();
  await again.goto(link);
  await again.getByLabel('Email').fill('eve@example.com');
  await again.getByLabel('Password').fill(operator.password);
  await again.getByRole('button', { name: 'Create user' }).click();
  await expectVisible(again.getByRole('alert'));
  await again.goto(`${service.address}/`);
  await expectVisible(again.getByRole('heading', { name: 'Sign in' }));
});

describe('a person', () => {
  const { ui } = shareWebUi();

  test('a session survives a reload, leads back to where it began, and ends with signing out', async () => {
    const { open } = ui();
    const page = await open('/deliveries', { signedOut: true });
    await expectVisible(page.getByRole('heading', { name: 'Sign in' }));
    await page.getByLabel('Email').fill(operator.email);
    await page.getByLabel('Password').fill('not the password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expectVisible(page.getByText('Wrong email or password.'));
    await page.getByLabel('Password').fill(operator.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expectVisible(page.getByRole('heading', { level: 1, name: 'Deliveries' }));
    await page.reload();
    await expectVisible(page.getByRole('heading', { level: 1, name: 'Deliveries' }));
    await page.getByRole('button', { name: 'Profile and theme' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await expectVisible(page.getByRole('heading', { name: 'Sign in' }));
    await page.goto('/');
    await expectVisible(page.getByRole('heading', { name: 'Sign in' }));
  });

  test('a form keeps what was entered when the session ends, and goes on after signing in again in place', async () => {
    const { service, open } = ui();
    const page = await open('/settings/variables', { viewport: { width: 390, height: 844 } });
    await page.getByLabel('Name').fill('SHOP_URL');
    await page.getByLabel('Value').fill('https://shop.example');
    await page.evaluate("fetch('/v1/sessions', { method: 'DELETE' }).then(({ status }) => status)");
    await page.getByRole('button', { name: 'Add variable' }).click();
    const dialog = page.getByRole('dialog', { name: 'Sign in again' });
    await expectVisible(dialog.getByText(operator.email));
    await dialog.getByLabel('Password').fill('not the password');
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await expectVisible(dialog.getByText('Wrong email or password.'));
    await dialog.getByLabel('Password').fill(operator.password);
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await expectHidden(dialog);
    assert.equal(await page.getByLabel('Value').inputValue(), 'https://shop.example');
    await page.getByRole('button', { name: 'Add variable' }).click();
    await expectVisible(page.getByText('Added SHOP_URL'));
    const isLive = () => page.evaluate<boolean>("document.documentElement.dataset.live === 'live'");
    await until('live updates', isLive);
    await service.must('DELETE', '/v1/variables/SHOP_URL');
  });

  test('a forgotten password is replaced with a link', async () => {
    const { service, browser, open } = ui();
    const invited = await service.must('POST', '/v1/invites', { email: 'forgets@example.com', role: 'read-only' });
    const person = await (await browser.newContext({ baseURL: service.address })).newPage();
    await person.goto(String(invited['url']));
    await person.getByLabel('Password').fill('the forgotten password');
    await person.getByRole('button', { name: 'Accept invitation' }).click();
    await expectVisible(person.getByRole('heading', { level: 1, name: 'Checks' }));

    const page = await open('/sign-in', { signedOut: true, viewport: { width: 390, height: 844 } });
    await page.getByRole('link', { name: 'Forgot your password?' }).click();
    // The form of the page before has a field of that name, too.
    await expectVisible(page.getByRole('button', { name: 'Send link' }));
    await page.getByLabel('Email').fill('nobody@example.com');
    await page.getByRole('button', { name: 'Send link' }).click();
    await expectVisible(page.getByText(/a link is on its way/));
    const printed = await runCommand(['reset-password', 'forgets@example.com'], service.environment);
    assert.equal(printed.code, 0, printed.err);
    const link = /\S+\/reset-password#\S+/.exec(printed.out)?.[0] ?? '';
    await page.goto(link);
    await page.getByLabel('Password').fill('password123');
    await page.getByRole('button', { name: 'Choose another password' }).click();
    await expectVisible(page.getByText(/common/i));
    await page.getByLabel('Password').fill('the remembered password');
    await page.getByRole('button', { name: 'Choose another password' }).click();
    await expectVisible(page.getByText(/Your password was changed/));
    await page.getByRole('link', { name: 'Back to sign-in' }).click();
    await page.getByLabel('Email').fill('forgets@example.com');
    await page.getByLabel('Password').fill('the remembered password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expectVisible(page.getByRole('heading', { level: 1, name: 'Checks' }));
    await person.reload();
    await expectVisible(person.getByRole('heading', { name: 'Sign in' }));
  });

  test('a read-only person sees everything and is offered no change', async () => {
    const { service, open, browser } = ui();
    await service.must('POST', '/v1/checks/tcp', { name: 'Redis', request: { hostname: '127.0.0.1', port: 1 } });
    const owner = await open('/settings/people');
    await owner.getByLabel('Email').fill('reader@example.com');
    await owner.getByRole('button', { name: /Role/ }).last().click();
    await owner.getByRole('option', { name: 'Read only' }).click();
    await owner.getByRole('button', { name: 'Create invitation' }).click();
    const link = await owner.getByRole('region', { name: 'Invitation link' }).textContent();
    const page = await (await browser.newContext()).newPage();
    await page.goto(link?.trim() ?? '');
    await page.getByLabel('Password').fill('a password of a reader');
    await page.getByRole('button', { name: 'Accept invitation' }).click();
    const row = page.getByRole('listitem').filter({ hasText: 'Redis' });
    await expectVisible(row.getByText('Failing'));
    await expectHidden(page.getByRole('button', { name: 'Actions for Redis' }));
    await row.getByRole('link', { name: 'Redis' }).click();
    await expectVisible(page.getByRole('heading', { level: 1, name: 'Redis' }));
    await expectHidden(page.getByRole('button', { name: 'Run now' }));
    await expectVisible(page.getByText(/Ongoing/));
    await expectHidden(page.getByRole('button', { name: /Acknowledge/ }));
    const refused = await page.evaluate(async () => {
      const answer = await fetch('/v1/alert-channels', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"type":"WEBHOOK","config":{"name":"x","url":"http://127.0.0.1:1/"}}',
      });
      return answer.status;
    });
    assert.equal(refused, 403);
  });
});
