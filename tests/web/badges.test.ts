// A badge is chosen on the page of a check or group, and the copied code shows it to anyone.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Locator } from 'playwright-core';
import { until } from '../support/until.ts';
import { expectHidden, expectVisible } from './expect.ts';
import { startWebUi } from './web-ui.ts';

/** Waits until the preview has been drawn. */
async function expectDrawn(image: Locator): Promise<void> {
  await image.evaluate((element) => element.decode());
}

test('the dialog of a check and of a group shows a badge, and code whose address needs no sign-in', async (t) => {
  const { service, open } = await startWebUi(t);
  const group = await service.must('POST', '/v2/check-groups', { name: 'Shop' });
  const check = await service.must('POST', '/v1/checks/url', {
    name: 'Front [page] "A"',
    activated: false,
    groupId: group['id'],
    request: { url: 'http://127.0.0.1:1/' },
  });
  const page = await open(`/checks/${String(check['id'])}`);
  const openBadge = async (): Promise<Locator> => {
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Badge' }).click();
    return page.getByRole('dialog');
  };
  const dialog = await openBadge();
  const image = dialog.getByRole('img');
  await expectDrawn(image);
  await dialog.getByRole('button', { name: /Style/ }).click();
  await page.getByRole('option', { name: 'Large' }).click();
  await dialog.getByRole('button', { name: /Theme/ }).click();
  await page.getByRole('option', { name: 'Dark' }).click();
  await dialog.getByText('Show the response time').click();
  await expectDrawn(image);
  const markdown = (await dialog.getByRole('region', { name: 'Markdown' }).textContent()) ?? '';
  const address = /\((.*)\)$/.exec(markdown)?.[1] ?? '';
  assert.equal(markdown, String.raw`![Front \[page\] "A"](${address})`);
  assert.match(address, /&style=for-the-badge&theme=dark&responseTime=true$/);
  const html = (await dialog.getByRole('region', { name: 'HTML' }).textContent()) ?? '';
  assert.equal(html, `<img src="${address.replaceAll('&', '&amp;')}" alt="Front [page] &quot;A&quot;">`);
  const shown = await fetch(address);
  assert.equal(shown.status, 200);
  assert.match(await shown.text(), /aria-label="Front \[page\] &quot;A&quot;: Paused"/);
  await dialog.getByRole('button', { name: 'Close' }).click();
  await expectHidden(dialog);

  await page.goto(`/groups/${String(group['id'])}`);
  const ofGroup = await openBadge();
  await expectDrawn(ofGroup.getByRole('img'));
  await expectVisible(ofGroup.getByRole('heading', { name: 'Badge of Shop' }));
  const link = (await ofGroup.getByRole('region', { name: 'Address' }).textContent()) ?? '';
  assert.match(await (await fetch(link)).text(), /aria-label="Shop: Paused"/);

  await page.goto('/settings/account');
  await page.getByRole('button', { name: 'Revoke all badge links' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke all badge links' }).click();
  await expectVisible(page.getByText('Revoked all badge links', { exact: true }));
  await until('the revoked link to end', async () => (await fetch(link)).status === 404);
  assert.equal((await fetch(address)).status, 404);
});
