// A list of 10,000 checks is found, scrolled and opened like a short one.
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { countChange, putCheck } from '../support/store/rows.ts';
import { expectHidden, expectVisible } from './expect.ts';
import { startWebUi } from './web-ui.ts';

const count = 10_000;

test('a list of 10,000 checks draws what is on screen, and searching, scrolling and opening work', async (t) => {
  const { service, open } = await startWebUi(t, { TOCSIN_ROLES: 'api' });
  const { id: accountId } = await service.must('GET', '/v1/accounts/me');
  const request = { hostname: '127.0.0.1', port: 1 };
  await service.must('POST', '/v1/checks/tcp', { name: 'check 00000', activated: false, request });
  seed(service.databasePath, String(accountId));
  const page = await open('/?sort=name');
  const row = (name: string) => page.getByRole('link', { name, exact: true });
  await expectVisible(row('check 00000'));
  await expectVisible(page.getByText('10,000').first());
  const drawn = async (): Promise<number> => page.getByRole('list', { name: 'Checks' }).getByRole('listitem').count();
  assert.ok((await drawn()) < 60, 'rows beyond the screen are drawn');

  await page.mouse.wheel(0, 200_000);
  await expectHidden(row('check 00000'));
  await page.keyboard.press('End');
  await expectVisible(row('check 09999'));
  assert.ok((await drawn()) < 60, 'rows beyond the screen are drawn');
  await row('check 09999').click();
  await expectVisible(page.getByRole('heading', { level: 1, name: 'check 09999' }));

  await page.goBack();
  await expectVisible(row('check 09999'));
  await page.keyboard.press('/');
  await page.keyboard.type('check 0777');
  await expectVisible(row('check 07770'));
  await expectHidden(row('check 09999'));
  await expectVisible(row('check 07779'));
  assert.equal(await drawn(), 10);

  await page.getByRole('searchbox', { name: 'Search checks' }).fill('check 077');
  await page.getByRole('checkbox', { name: 'Select all 100 checks' }).click({ force: true });
  await page.getByRole('toolbar').getByRole('button', { name: 'Mute' }).click();
  await page.getByRole('menuitem', { name: 'Mute for 1 hour' }).click();
  const dialog = page.getByRole('dialog', { name: 'Mute for 1 hour: 100 checks?' });
  await dialog.getByRole('button', { name: 'Mute for 1 hour' }).click();
  await expectVisible(page.getByText('Muted 100 checks'), 30_000);

  await page.goto('/?sort=name&by=tag');
  await expectVisible(page.getByRole('heading', { level: 2, name: /^hundred 00/ }));
  await page.keyboard.press('End');
  await expectVisible(row('check 09999'));
  await expectVisible(page.getByRole('heading', { level: 2, name: /^hundred 99/ }));
  assert.equal(
    await page
      .getByRole('list', { name: 'hundred 99' })
      .getByRole('link', { name: /^check 099/ })
      .count(),
    await page.locator('[data-row]').count(),
  );
  assert.ok((await page.locator('main li').count()) < 60, 'rows beyond the screen are drawn');
});

/** Adds checks like the first one beside the running service, as another process would. */
function seed(path: string, accountId: string): void {
  const raw = new DatabaseSync(path, { timeout: 5000 });
  raw.exec('BEGIN IMMEDIATE');
  for (let index = 1; index < count; index++) {
    putCheck(raw, accountId, { name: `check ${String(index).padStart(5, '0')}`, checkType: 'TCP' });
  }
  raw.exec(`UPDATE checks SET tags = '["hundred ' || substr(name, 8, 2) || '"]'`);
  raw.exec(`UPDATE checks SET definition = (SELECT definition FROM checks WHERE name = 'check 00000')`);
  countChange(raw, accountId);
  raw.exec('COMMIT');
  raw.close();
}
