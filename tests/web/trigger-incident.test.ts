// A person chooses in the form of a check which incident of a status page its failure publishes.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { breaches } from './accessibility.ts';
import { expectHidden, expectVisible } from './expect.ts';
import { shareWebUi } from './web-ui.ts';

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
    const page = await open(`/checks/${String(id)}/edit`, { viewport: { width: 390, height: 844 } });
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
