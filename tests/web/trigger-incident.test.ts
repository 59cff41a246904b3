// Incidents of status pages from failures: a person chooses one in the form of a check, and publishes the draft of an outage.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { startScriptedServer } from '../support/targets/scripted-server.ts';
import { until } from '../support/until.ts';
import { breaches } from './accessibility.ts';
import { expectHidden, expectVisible } from './expect.ts';
import { shareWebUi } from './web-ui.ts';

const phone = { viewport: { width: 390, height: 844 } };

async function choose(page: Page, label: RegExp, option: string): Promise<void> {
  await page.getByRole('button', { name: label }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
}

async function save(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Save changes' }).click();
  await expectVisible(page.getByRole('heading', { level: 1, name: 'Home', exact: true }));
}

describe('the incident of a check', () => {
  const { ui } = shareWebUi({ TOCSIN_ROLES: 'api' });

  test('is chosen, changed and removed, and appears only if there are services', async () => {
    const { service, open } = ui();
    const request = { method: 'GET', url: 'http://127.0.0.1:1/' };
    const { id } = await service.must('POST', '/v1/checks/api', { name: 'Home', request });
    const path = `/v1/checks/${String(id)}`;
    const trigger = async (): Promise<unknown> => (await service.must('GET', path))['triggerIncident'];
    const page = await open(`/checks/${String(id)}/edit`, phone);
    await page.locator('summary', { hasText: 'Alerting' }).click();
    await expectVisible(page.getByLabel('Notes', { exact: true }));
    await expectHidden(page.getByRole('button', { name: /Incident of a status page/ }));

    const { id: serviceId } = await service.must('POST', '/v1/status-pages/services', { name: 'Checkout' });
    await page.reload();
    await page.locator('summary', { hasText: 'Alerting' }).click();
    await choose(page, /Incident of a status page/, 'Checkout');
    assert.equal(await page.getByLabel('Title', { exact: true }).inputValue(), 'Checkout');
    await choose(page, /Severity/, 'Minor');
    await page.getByLabel('First update', { exact: true }).fill('We are looking into it.');
    assert.deepEqual(await breaches(page), []);
    await save(page);
    const chosen = { serviceId, severity: 'MINOR', name: 'Checkout', description: 'We are looking into it.' };
    assert.deepEqual(await trigger(), { ...chosen, notifySubscribers: true });

    await page.goto(`/checks/${String(id)}/edit`);
    await page.locator('summary', { hasText: 'Alerting' }).click();
    await page.getByLabel('Title', { exact: true }).fill('Orders fail');
    await save(page);
    assert.deepEqual(await trigger(), { ...chosen, name: 'Orders fail', notifySubscribers: true });

    await page.goto(`/checks/${String(id)}/edit`);
    await page.locator('summary', { hasText: 'Alerting' }).click();
    await choose(page, /Incident of a status page/, 'None');
    await save(page);
    assert.equal(await trigger(), null);
  });
});

describe('an outage of a service', () => {
  const { ui, later } = shareWebUi();

  test('is published from the link of its alert in three taps on a phone', async () => {
    const { service, open } = ui();
    const channel = await startScriptedServer(later);
    const target = await startScriptedServer(later);
    target.answer({ status: 503 });
    const template = '{"link": {{json RESULT_LINK}} }';
    const config = { name: 'Ops chat', url: channel.url, method: 'POST', template };
    const ops = await service.must('POST', '/v1/alert-channels', { type: 'WEBHOOK', autoSubscribe: true, config });
    const request = { method: 'GET', url: target.url };
    const { id: checkId } = await service.must('POST', '/v1/checks/api', {
      name: 'Cart API',
      frequency: 1440,
      request,
    });
    const { id } = await service.must('POST', '/v1/status-pages/services', { name: 'Checkout', checkIds: [checkId] });
    const cards = [{ name: 'Shop', services: [id] }];
    await service.must('POST', '/v1/status-pages', {
      name: 'Example status',
      url: 'example',
      cards,
      alertChannelIds: [ops['id']],
    });
    const [alert] = await channel.hits(1, 30_000);
    const { link } = JSON.parse(String(alert?.body)) as { link: string };
    const published = async (): Promise<boolean> => {
      const answer = await fetch(`${service.address}/status/example/`);
      return /incidents\/[0-9a-f-]+\.html/.test(await answer.text());
    };

    const list = await open('/status-pages/services');
    await expectVisible(list.getByRole('row', { name: /Checkout/ }).getByText('Outage'));

    const page = await open('/', { ...phone, hasTouch: true });
    const more = page.getByRole('button', { name: 'More' });
    await more.tap();
    await expectVisible(page.getByRole('menuitem', { name: 'Status pages (1)' }), 30_000);
    await page.keyboard.press('Escape');
    assert.equal(await published(), false, 'a draft is not seen');
    let taps = 0;
    await page.goto(new URL(link).pathname);
    await page.getByRole('link', { name: 'Open in Tocsin' }).tap();
    taps++;
    const incidents = page.getByRole('list', { name: 'Incidents of status pages' });
    await expectVisible(incidents.getByText('Draft incident'));
    for (const place of [incidents, page.getByRole('dialog')]) {
      const button = place.getByRole('button', { name: /^Publish/ });
      const box = await button.boundingBox();
      assert.ok(box !== null && box.y + box.height <= phone.viewport.height, 'is seen without scrolling');
      await button.tap();
      taps++;
    }
    await expectVisible(page.getByText('Published Checkout'));
    assert.equal(taps, 3);
    await expectVisible(incidents.getByText('Published incident'));
    await expectVisible(incidents.getByRole('link', { name: 'Add update' }));
    await until('the published incident', published);
    await incidents.getByRole('link', { name: 'Checkout' }).tap();
    await expectVisible(page.getByText('Subscribers and channels are notified soon.'));
    await page.goBack();
    target.answer({ status: 200 });
    await service.must('POST', `/v1/triggers/checks/${String(checkId)}`);
    await expectVisible(list.getByRole('row', { name: /Checkout/ }).getByText('Operational'), 30_000);
    await expectHidden(incidents, 30_000);
  });
});
