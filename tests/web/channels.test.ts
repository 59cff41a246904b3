// Creating, testing and changing channels, without any other tool.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startScriptedServer } from '../support/targets/scripted-server.ts';
import { expectHidden, expectVisible } from './expect.ts';
import { shareWebUi } from './web-ui.ts';

describe('channels in the web UI', () => {
  const { ui, later } = shareWebUi();

  test('a webhook is previewed while it is written, created, and tested with the whole exchange', async () => {
    const receiver = await startScriptedServer(later);
    const page = await ui().open('/channels');
    await expectVisible(page.getByText('No channels yet'));
    await page.getByRole('main').getByRole('link', { name: 'New channel' }).click();
    await page.getByRole('link', { name: /^Webhook/ }).click();
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
    await body.fill('{"text": {{json ALERT_TITLE}} }');
    await page.getByRole('button', { name: 'Create channel' }).click();
    await expectVisible(page.getByRole('heading', { level: 1, name: 'Ops chat' }));
    await page.getByRole('button', { name: 'Send test message' }).click();
    await expectVisible(page.getByText(/^Received after /), 30_000);
    assert.equal(receiver.all.length, 1);
    assert.match(receiver.all[0]?.body.toString() ?? '', /^\{"text": "/);
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

  test('channels start from presets and have short forms of their own', async () => {
    const page = await ui().open('/channels/new');
    await page.getByRole('link', { name: 'Discord', exact: true }).click();
    await page.locator('summary', { hasText: 'Request' }).click();
    await expectVisible(page.getByLabel('Body', { exact: true }));
    assert.match(await page.getByLabel('Body', { exact: true }).inputValue(), /ALERT_TITLE/);
    await page.goto('/channels/new?type=EMAIL');
    await page.getByLabel('Address').fill('not an address');
    await page.getByRole('button', { name: 'Create channel' }).click();
    await expectVisible(page.getByText('These settings are not accepted:'));
    await page.getByLabel('Address').fill('ops@example.com');
    await page.getByRole('button', { name: 'Create channel' }).click();
    await expectVisible(page.getByRole('heading', { level: 1, name: 'ops@example.com' }));
  });
});
