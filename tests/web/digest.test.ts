// A digest as someone sees it who asks how an alert reached them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startSmtpServer } from '../support/receivers/smtp-server.ts';
import { startScriptedServer } from '../support/targets/scripted-server.ts';
import { expectVisible } from './expect.ts';
import { startWebUi } from './web-ui.ts';

test('an alert leads to the grouped notification that carried it, which can be sent at once and lists its alerts', async (t) => {
  const mail = await startSmtpServer();
  t.after(() => mail.close());
  const target = await startScriptedServer(t);
  target.answer(() => ({ status: 503 }));
  const { service, open } = await startWebUi(t, {
    TOCSIN_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
    TOCSIN_SMTP_STARTTLS: 'off',
    TOCSIN_MAIL_FROM: 'alerts@example.com',
  });
  await service.must('PUT', '/v1/accounts/me', { alertSettings: { digestThreshold: 1 } });
  await service.must('POST', '/v1/alert-channels', {
    type: 'EMAIL',
    config: { name: 'Ops', address: 'ops@example.org' },
    autoSubscribe: true,
  });
  for (const name of ['Cart API', 'Checkout', 'Search']) {
    const request = { method: 'GET', url: target.url };
    const { id } = await service.must('POST', '/v1/checks/api', { name, frequency: 1440, request });
    await service.must('POST', `/v1/triggers/checks/${String(id)}`);
  }
  const page = await open('/deliveries');
  await expectVisible(page.getByText(/Storm since .*: notifications are grouped/), 20_000);
  await expectVisible(page.getByRole('link', { name: 'Grouped notification', exact: true }), 20_000);
  const carried = page.getByRole('row').filter({ hasText: 'Grouped:' });
  await expectVisible(carried.first());
  await page.goto('/alerts');
  const incident = page.getByRole('listitem').filter({ hasText: 'Search' });
  await incident.getByRole('button', { name: 'Notifications' }).click();
  await expectVisible(incident.getByText('Grouped', { exact: true }));
  await incident.getByRole('link', { name: 'Collecting alerts' }).click();

  await expectVisible(page.getByRole('heading', { level: 1, name: 'Grouped notification' }));
  const alerts = page.getByRole('region', { name: 'Alerts in this notification' });
  await expectVisible(alerts.getByRole('link', { name: 'Checkout' }));
  await expectVisible(page.getByText('Further alerts join this notification until it is sent.'));
  assert.equal(await page.getByRole('button', { name: 'Cancel' }).count(), 0);
  await page.getByRole('button', { name: 'Send now' }).click();
  await expectVisible(page.getByText('Delivered').first(), 20_000);
  assert.match(
    mail.mails.at(-1)?.raw ?? '',
    /^Subject: \[Failing\] (Checkout and Search|Cart API and .*); 1 still failing/m,
  );
  await page.screenshot({ path: process.env['DIGEST_PICTURE'] ?? '/dev/null', fullPage: true, type: 'png' });
  await alerts.getByRole('link', { name: 'Failing' }).first().click();
  await expectVisible(page.getByRole('heading', { level: 1, name: /^Failing: (Checkout|Search)$/ }));
  await expectVisible(page.getByText('Grouped', { exact: true }));
  await expectVisible(page.getByRole('link', { name: 'Delivered' }));
});
