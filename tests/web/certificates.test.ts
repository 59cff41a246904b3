// Certificates that end soon, with their hosts, issuers and checks.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAuthority } from '../support/targets/certificates.ts';
import { startTlsTarget } from '../support/targets/target.ts';
import { until } from '../support/until.ts';
import { expectVisible } from './expect.ts';
import { startWebUi } from './web-ui.ts';

const dayMs = 86_400_000;

test('a person sees which certificates end within 30 days, on desktop and phone', async (t) => {
  const ui = await startWebUi(t);
  const authority = createAuthority('Acme CA');
  for (const [name, days] of [
    ['Old shop', -3],
    ['Shop', 20],
    ['Blog', 200],
  ] as const) {
    const validTo = new Date(Date.now() + (days + 0.5) * dayMs);
    const validFrom = new Date(validTo.getTime() - 365 * dayMs);
    const issued = authority.issue({ validFrom, validTo });
    const { url } = await startTlsTarget(t, issued, (_request, response) => response.end('ok'));
    const request = { method: 'GET', url };
    await ui.service.must('POST', '/v1/checks/api', { name, frequency: 1440, request });
  }
  await until('three certificates', async () => {
    const seen = (await ui.service.must('GET', '/v1/certificates')) as unknown as readonly unknown[];
    return seen.length === 3;
  });
  const page = await ui.open('/');
  await page.getByRole('navigation', { name: 'Main', exact: true }).getByRole('link', { name: 'Certificates' }).click();
  const rows = page.getByRole('table', { name: 'Certificates' }).locator('tbody').getByRole('row');
  await expectVisible(rows.nth(1));
  assert.equal(await rows.count(), 2);
  assert.match(await rows.nth(0).innerText(), /localhost\s+Old shop\s+Acme CA\s+.*\s+expired 3 days ago/);
  assert.match(await rows.nth(1).innerText(), /localhost\s+Shop\s+Acme CA\s+.*\s+20 days left/);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole('button', { name: 'Expiring' }).click();
  await page.getByRole('option', { name: 'At any time' }).click();
  await page.waitForURL(/within=all/);
  await expectVisible(rows.nth(2));
  await rows.nth(2).getByRole('link', { name: 'Blog' }).click();
  await expectVisible(page.getByRole('heading', { level: 1, name: 'Blog' }));
});
