// The list of checks in sections by group or tag.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectVisible } from './expect.ts';
import { startWebUi } from './web-ui.ts';

test('checks are listed by group and by tag, failing ones first, with the states of each section', async (t) => {
  const { service, open } = await startWebUi(t);
  const { id: groupId } = await service.must('POST', '/v2/check-groups', { name: 'Shop', tags: ['web'] });
  const tcp = (name: string, more: object) =>
    service.must('POST', '/v1/checks/tcp', { name, request: { hostname: '127.0.0.1', port: 1 }, ...more });
  await tcp('Cart', { groupId, activated: false });
  await tcp('Checkout', { groupId, tags: ['critical'] });
  await tcp('Redis', { tags: ['critical'] });
  await tcp('Zookeeper', {});
  const page = await open();
  const choose = async (grouping: string): Promise<void> => {
    await page.getByRole('button', { name: /Rows: / }).click();
    await page.getByRole('option', { name: `Rows: ${grouping}`, exact: true }).click();
  };
  const rows = async (section: string) =>
    page.getByRole('list', { name: section, exact: true }).locator('[data-row]').allTextContents();

  await choose('by group');
  await expectVisible(page.getByRole('heading', { level: 2, name: 'Shop 1 failing 1 paused' }));
  await expectVisible(page.getByRole('heading', { level: 2, name: 'No group 2 failing' }));
  assert.equal(new URL(page.url()).search, '?by=group');
  assert.deepEqual(await rows('Shop'), ['Checkout', 'Cart']);
  assert.deepEqual((await rows('No group')).toSorted(), ['Redis', 'Zookeeper']);
  for (let press = 0; press < 3; press++) await page.keyboard.press('j');
  assert.match((await page.locator(':focus').textContent()) ?? '', /Redis|Zookeeper/);
  await page.keyboard.press('k');
  assert.equal(await page.locator(':focus').textContent(), 'Cart');

  await choose('by tag');
  await expectVisible(page.getByRole('heading', { level: 2, name: 'critical 2 failing' }));
  assert.deepEqual((await rows('critical')).toSorted(), ['Checkout', 'Redis']);
  assert.deepEqual(await rows('web'), ['Checkout', 'Cart']);
  assert.deepEqual(await rows('Other checks'), ['Zookeeper']);
  await page.getByRole('heading', { level: 2 }).getByRole('link', { name: 'web' }).click();
  await expectVisible(page.getByText('Tag: web'));
  await expectVisible(page.getByRole('list', { name: 'Checks', exact: true }).getByRole('link', { name: 'Checkout' }));
  assert.deepEqual(await rows('Checks'), ['Checkout', 'Cart']);

  await page.goto('/?by=group');
  await page.getByRole('heading', { level: 2 }).getByRole('link', { name: 'Shop' }).click();
  await expectVisible(page.getByRole('heading', { level: 1, name: 'Shop' }));
});
