// The wallboard with few and very many checks: every word whole, nothing over an edge, nothing to scroll.
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { countChange, putCheck } from '../support/store/rows.ts';
import { until } from '../support/until.ts';
import { expectVisible } from './expect.ts';
import { startWebUi } from './web-ui.ts';

const names = ['Internationalisierungsverwaltung', 'API', 'checkout-service-production-eu-central-1', 'Shop: cart'];

test('a wallboard of 60 to 10,000 checks fits on the screen, without text over an edge', async (t) => {
  const { service, open } = await startWebUi(t, { TOCSIN_ROLES: 'api' });
  const { id: accountId } = await service.must('GET', '/v1/accounts/me');
  const request = { hostname: '127.0.0.1', port: 1 };
  const { id: groupId } = await service.must('POST', '/v2/check-groups', { name: 'Shop' });
  await service.must('POST', '/v1/checks/tcp', { name: 'first', activated: false, request });
  const { id } = await service.must('POST', '/v1/checks/tcp', { name: 'new', request });
  const list = await open('/');
  await expectVisible(list.getByRole('listitem').filter({ hasText: 'new' }).getByText('Pending'));
  await service.must('DELETE', `/v1/checks/${String(id)}`);
  const page = await open('/wall', { viewport: { width: 1280, height: 800 } });
  let made = 1;
  for (const count of [60, 10_000]) {
    seed(service.databasePath, String(accountId), Number(groupId), made, count);
    made = count;
    await page.reload();
    await expectVisible(page.getByRole('heading', { level: 1 }));
    await expectVisible(page.getByRole('listitem').first());
    for (const [width, height] of [
      [1280, 800],
      [1920, 1080],
    ] as const) {
      await page.setViewportSize({ width, height });
      // The tiles are fitted once the page has noticed its new size.
      const fits = () => page.evaluate<boolean>('document.documentElement.scrollHeight <= innerHeight');
      await until('the tiles to fit', fits);
      assert.deepEqual(await overflowing(page), [], `${count} checks on ${width} × ${height}`);
    }
  }
  const tiles = page.getByRole('listitem').filter({ has: page.getByRole('link') });
  await until('the checks without a tile to be counted', async () => {
    const shown = await tiles.count();
    return page.getByText(`and ${(10_000 - shown).toLocaleString('en')} more`).isVisible();
  });
  // What has no tile is counted by group.
  const groups = page.getByRole('list', { name: 'Groups' });
  await expectVisible(groups.getByText('2,499 unknown'));
  await expectVisible(groups.getByText('Without a group'));
});

/** Texts of tiles that are wider than their box without an ellipsis, or higher than their tile. */
async function overflowing(page: Page): Promise<string[]> {
  return page.evaluate(`[...document.querySelectorAll('li')].flatMap((tile) => [
    ...(tile.scrollHeight > tile.clientHeight + 1 ? ['tile: ' + tile.textContent] : []),
    ...[...tile.children]
      .filter((text) => text.scrollWidth > text.clientWidth + 1 && getComputedStyle(text).textOverflow !== 'ellipsis')
      .map((text) => 'text: ' + text.textContent),
  ])`);
}

/** Adds checks like the first one beside the running service, as another process would. */
function seed(path: string, accountId: string, groupId: number, from: number, to: number): void {
  const raw = new DatabaseSync(path, { timeout: 5000 });
  raw.exec('BEGIN IMMEDIATE');
  for (let index = from; index < to; index++) {
    putCheck(raw, accountId, {
      name: `${names[index % names.length]} ${index}`,
      checkType: 'TCP',
      ...(index % 4 === 0 && { groupId }),
    });
  }
  raw.exec(`UPDATE checks SET definition = (SELECT definition FROM checks WHERE name = 'first')`);
  countChange(raw, accountId);
  raw.exec('COMMIT');
  raw.close();
}
