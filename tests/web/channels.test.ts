// Creating, testing and changing channels, without any other tool.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { startScriptedServer } from '../support/targets/scripted-server.ts';
import { expectHidden, expectVisible } from './expect.ts';
import { shareWebUi } from './web-ui.ts';

/** Waits until the plain fields of templates are editors. */
const editors = (page: Page): Promise<void> => page.locator('.cm-editor').first().waitFor({ state: 'attached' });

describe('channels in the web UI', () => {
  const { ui, later } = shareWebUi();

  test('a webhook is previewed while it is written, created, and tested with the whole exchange', async () => {
    const receiver = await startScriptedServer(later);
    const page = await ui().open('/channels');
    await expectVisible(page.getByText('No channels yet'));
    await page.getByRole('main').getByRole('link', { name: 'New channel' }).click();
    await page.getByRole('link', { name: /^Webhook/ }).click();
    await editors(page);
    await page.getByLabel('URL', { exact: true }).fill(receiver.url);
    await page.getByLabel('Name', { exact: true }).fill('Ops chat');
    await page.locator('summary', { hasText: 'Request' }).click();
    const body = page.getByLabel('Body', { exact: true });
    await body.fill('{"text": "{{ALERT_TITLE}}"');
    await expectVisible(page.getByRole('complementary').getByText('JSON').first());
    await body.fill('{"text": {{json ALERT_TITLE}');
    await expectVisible(page.getByRole('complementary').getByText('line 1'));
    await page.getByRole('button', { name: 'Create channel' }).click();
    await expectVisible(page.getByText('These settings are not accepted:'));
    await body.fill('{"text": "Alert: {{ALERT_TITLE}}"}');
    await expectVisible(page.getByText(/^A value that shows it: \\$/));
    await page.getByRole('button', { name: 'Write {{jsonString ALERT_TITLE}}' }).click();
    await expectVisible(body.getByText('{"text": "Alert: {{jsonString ALERT_TITLE}}"}'));
    await expectHidden(page.getByText('A value that shows it:'));
    await page.getByRole('button', { name: 'Failing Alert' }).click();
    await page.getByRole('option', { name: 'Recovered', exact: true }).click();
    await expectVisible(page.getByRole('complementary').getByText(/has recovered/));
    await page.getByRole('button', { name: 'Create channel' }).click();
    await expectVisible(page.getByRole('heading', { level: 1, name: 'Ops chat' }));
    await page.getByRole('button', { name: 'Send test message' }).click();
    await expectVisible(page.getByText(/^Received after /), 30_000);
    assert.equal(receiver.all.length, 1);
    assert.match(receiver.all[0]?.body.toString() ?? '', /^\{"text": "Alert: /);
    await page.goto('/channels');
    const row = page.getByRole('row', { name: /Ops chat/ });
    await expectVisible(row.getByText('Working'));
    await expectVisible(row.getByText('Last received'));
  });

  test('variables and helpers are completed with the keyboard, and errors are marked in place', async () => {
    await ui().service.must('POST', '/v1/variables', { key: 'TEAM', value: 'night', locked: false });
    const page = await ui().open('/channels/new?type=WEBHOOK');
    const url = page.getByRole('textbox', { name: 'URL', exact: true });
    const list = page.getByRole('listbox');
    await editors(page);
    await url.fill('http://127.0.0.1:1/');
    await url.press('End');
    await page.keyboard.type('{{ur');
    await expectVisible(list.getByRole('option', { name: /^urlencode/, selected: true }));
    await page.keyboard.press('Enter');
    await page.keyboard.type('TE');
    await expectVisible(list.getByRole('option', { name: /^TEAM\s*night/, selected: true }));
    await page.keyboard.press('Tab');
    await expectVisible(url.getByText('http://127.0.0.1:1/{{urlencode TEAM}}'));
    await page.locator('summary', { hasText: 'Request' }).click();
    const body = page.getByRole('textbox', { name: 'Body', exact: true });
    await body.click();
    await page.keyboard.type('{{');
    await expectVisible(list.getByRole('option', { name: /^ALERT_TITLE/ }));
    await page.keyboard.type('#ea');
    await expectVisible(list.getByRole('option', { name: /^#each/, selected: true }));
    await page.keyboard.press('Enter');
    await page.keyboard.type('TAG');
    await expectVisible(list.getByRole('option', { name: /^TAGS.*shop,env:production/, selected: true }));
    await page.keyboard.press('Enter');
    await expectHidden(list);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.type('{{nope 1}} ');
    await expectVisible(body.getByText('{{#each TAGS}}{{nope 1}} {{/each}}'));
    const wrong = body.locator('.cm-lintRange-error');
    await expectVisible(wrong);
    assert.equal(await wrong.innerText(), '{{nope 1}}');
    await page.getByRole('button', { name: 'Add header' }).click();
    await page.getByRole('textbox', { name: 'Value of header 1' }).click();
    await page.keyboard.press('Control+Space');
    await list.getByRole('option', { name: /^CHECK_NAME/ }).click();
    await expectVisible(page.getByRole('textbox', { name: 'Value of header 1' }).getByText('{{CHECK_NAME}}'));
    // Enter submits as in any other field of one line.
    await page.keyboard.press('Enter');
    await expectVisible(page.getByText('These settings are not accepted:'));
  });

  test('a channel that sends nothing, as after an import, is switched on once a test message has arrived', async () => {
    const receiver = await startScriptedServer(later);
    const { id } = await ui().service.must('POST', '/v1/alert-channels', {
      type: 'WEBHOOK',
      config: { name: 'Imported', url: receiver.url },
      sendFailure: false,
      sendRecovery: false,
    });
    const page = await ui().open('/channels');
    const row = page.getByRole('row', { name: /Imported/ });
    await expectVisible(row.getByText('Sends nothing'));
    await row.getByRole('link', { name: 'Imported' }).click();
    const note = page.getByRole('note').filter({ hasText: 'This channel sends nothing' });
    await expectVisible(note);
    const switchOn = note.getByRole('button', { name: 'Switch on failures and recoveries' });
    await expectHidden(switchOn);
    await page.getByRole('button', { name: 'Send test message' }).click();
    await expectVisible(page.getByText(/^Received after /), 30_000);
    await switchOn.click();
    await expectHidden(note);
    const channel = await ui().service.must('GET', `/v1/alert-channels/${String(id)}`);
    assert.deepEqual(
      [channel['sendFailure'], channel['sendRecovery'], channel['sendDegraded'], channel['sslExpiry']],
      [true, true, false, false],
    );
  });

  test('a secret is rotated with an overlap, in which both secrets sign, and which can be ended', async () => {
    const receiver = await startScriptedServer(later);
    const { id } = await ui().service.must('POST', '/v1/alert-channels', {
      type: 'WEBHOOK',
      config: { name: 'Signed', url: receiver.url, webhookSecret: 'the old one' },
    });
    const page = await ui().open(`/channels/${String(id)}`);
    await page.getByRole('button', { name: 'Rotate the secret' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate the secret' }).click();
    const shown = await page.getByRole('region', { name: 'New secret' }).innerText();
    assert.match(shown, /^whsec_[\w+/]{43}=$/);
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    await expectVisible(page.getByText('The previous secret also signs until'));
    // A change of anything else does not end it.
    await page.locator('summary', { hasText: 'What it receives' }).click();
    await page.getByText('Degraded checks').click();
    await page.getByRole('button', { name: 'Save changes' }).click();
    await expectVisible(page.getByText('Saved Signed'));
    await page.getByRole('button', { name: 'Send test message' }).click();
    await expectVisible(page.getByText(/^Received after /), 30_000);
    const { headers, body } = receiver.all[0] ?? assert.fail('nothing was sent');
    const expected = createHmac('sha256', shown).update(body).digest('hex');
    assert.equal(headers['x-service-signature'], expected);
    assert.equal(String(headers['webhook-signature']).split(' ').length, 2);
    await page.getByRole('button', { name: 'End it now' }).click();
    await expectVisible(page.getByText('Each delivery is signed with one secret.'));
  });

  test('checks and groups are subscribed and switched off on the channel, on a phone too', async () => {
    const { id } = await ui().service.must('POST', '/v1/alert-channels', {
      type: 'WEBHOOK',
      config: { name: 'Nobody yet', url: 'http://127.0.0.1:1/' },
    });
    await ui().service.must('POST', '/v1/check-groups', { name: 'Shop', activated: false });
    for (const name of ['Cart', 'Till']) {
      const request = { method: 'GET', url: 'http://127.0.0.1:1/' };
      await ui().service.must('POST', '/v1/checks/api', { name, activated: false, request });
    }
    const page = await ui().open(`/channels/${String(id)}`, { viewport: { width: 390, height: 844 } });
    await page.getByRole('button', { name: 'Add checks' }).click();
    await page.getByRole('dialog').getByText('Cart').click();
    await page.getByRole('dialog').getByText('Till').click();
    let requests = 0;
    page.on(
      'request',
      (request) => (requests += Number(request.method() === 'POST' && request.url().endsWith('/subscriptions'))),
    );
    await page.getByRole('button', { name: 'Add 2 checks' }).click();
    const table = page.getByRole('table', { name: 'Subscriptions' });
    await expectVisible(table.getByRole('link', { name: 'Cart' }));
    assert.equal(requests, 1);
    await page.getByRole('button', { name: 'Add a group' }).click();
    await page.getByRole('combobox', { name: 'Choose a group' }).click();
    await page.getByRole('option', { name: 'Shop' }).click();
    await expectVisible(table.getByRole('link', { name: 'Shop' }));
    await table.getByText('On', { exact: true }).last().click();
    await expectVisible(table.getByText('Off', { exact: true }));
    await table.getByRole('button', { name: 'At once Escalation' }).first().click();
    await page.getByRole('option', { name: 'After 10 min, if not acknowledged' }).click();
    await expectVisible(page.getByText('Escalation saved: after 10 min, if not acknowledged'));
    await page.locator('summary', { hasText: 'Active hours' }).click();
    await page.getByText('Send alerts only at certain times').click();
    await page.getByLabel('Time zone').fill('Europe/Berlin');
    await page.getByText('Sat', { exact: true }).click();
    await page.getByLabel('From', { exact: true }).fill('25:00');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await expectVisible(page.getByText(/must be a time from 00:00 to 23:59/).first());
    await page.getByLabel('From', { exact: true }).fill('09:00');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await expectVisible(page.getByText('Saved Nobody yet'));
    const saved = await ui().service.must('GET', `/v1/alert-channels/${String(id)}`);
    assert.deepEqual(saved['activeHours'], {
      timeZone: 'Europe/Berlin',
      periods: [{ days: ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'], from: '09:00', to: '18:00' }],
      outside: 'WAIT',
      otherChannelId: null,
    });
    const subscriptions = saved['subscriptions'] as { activated: boolean; escalationMinutes: number }[];
    assert.deepEqual(
      subscriptions.map((each) => each.escalationMinutes).toSorted((a, b) => a - b),
      [0, 0, 10],
    );
    assert.equal(subscriptions.length, 3);
    assert.equal(subscriptions.filter(({ activated }) => activated).length, 2);
    await page.goto('/channels');
    await expectVisible(page.getByRole('row', { name: /Nobody yet.*Cart.*Till/ }));
  });

  test('a channel that fails says why, is changed, and its deletion says what ends', async () => {
    const { id } = await ui().service.must('POST', '/v1/alert-channels', {
      type: 'WEBHOOK',
      config: { name: 'Broken', url: 'http://127.0.0.1:1/' },
    });
    const page = await ui().open(`/channels/${String(id)}`, { viewport: { width: 390, height: 844 } });
    await page.getByRole('button', { name: 'Send test message' }).click();
    await expectVisible(page.getByText(/^Not received: .*refused/i), 30_000);
    await page.locator('summary', { hasText: 'What it receives' }).click();
    await page.getByText('Degraded checks').click();
    await page.getByRole('button', { name: 'Save changes' }).click();
    await expectVisible(page.getByText('Saved Broken'));
    const changed = (await ui().service.must('GET', `/v1/alert-channels/${String(id)}`)) as { sendDegraded: boolean };
    assert.equal(changed.sendDegraded, true);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await expectVisible(page.getByRole('heading', { level: 1, name: 'Channels' }));
    await expectHidden(page.getByText('Broken', { exact: true }));
  });

  test('an email channel shows the mail as it will look, light and dark, and what is wrong with its template', async () => {
    const page = await ui().open('/channels/new?type=EMAIL', { viewport: { width: 390, height: 844 } });
    const mail = page.frameLocator('iframe[title="The mail as it looks"]');
    const preview = page.getByRole('complementary', { name: 'Preview' });
    await expectVisible(mail.getByRole('heading', { name: 'Cart of the shop has failed' }));
    const background = (): Promise<string> =>
      mail.locator('body').evaluate((body) => body.ownerDocument.defaultView.getComputedStyle(body).backgroundColor);
    assert.equal(await background(), 'rgb(245, 246, 248)');
    await preview.getByRole('button', { name: 'Light Mail program' }).click();
    await page.getByRole('option', { name: 'Dark' }).click();
    await mail.locator('html[style*="dark"]').waitFor({ state: 'attached' });
    assert.equal(await background(), 'rgb(16, 20, 24)');
    await preview.getByRole('button', { name: 'Failing Alert' }).click();
    await page.getByRole('option', { name: 'Recovered', exact: true }).click();
    await expectVisible(mail.getByRole('heading', { name: 'Cart of the shop has recovered' }));
    await preview.locator('summary', { hasText: 'Text alternative' }).click();
    await expectVisible(preview.getByText('https://shop.example/cart').first());
    await page.locator('summary', { hasText: /^Text/ }).first().click();
    await editors(page);
    await page.getByLabel('Subject', { exact: true }).fill('Look: {{CHECK_NAME}}');
    await page.getByLabel('Body', { exact: true }).fill('<img src="//evil.example/x"> {{CHECK_NAME}}');
    await expectVisible(preview.locator('bdi', { hasText: 'Look: Cart of the shop' }));
    await expectVisible(mail.getByText('<img src="//evil.example/x"> Cart of the shop'));
    await page.getByLabel('Body', { exact: true }).fill('{{#if');
    await expectVisible(preview.getByText(/^Body, line 1/));
  });

  test('channels start from presets and have short forms of their own', async () => {
    const page = await ui().open('/channels/new');
    await page.getByRole('link', { name: 'Discord', exact: true }).click();
    await page.locator('summary', { hasText: 'Request' }).click();
    await expectVisible(page.getByLabel('Body', { exact: true }));
    await expectVisible(page.getByLabel('Body', { exact: true }).getByText('ALERT_TITLE').first());
    await page.goto('/channels/new?type=EMAIL');
    await page.getByLabel('Address').fill('not an address');
    await page.getByRole('button', { name: 'Create channel' }).click();
    await expectVisible(page.getByText('These settings are not accepted:'));
    await page.getByLabel('Address').fill('ops@example.com');
    await page.getByRole('button', { name: 'Create channel' }).click();
    await expectVisible(page.getByRole('heading', { level: 1, name: 'ops@example.com' }));
  });
});
