// Private locations and snippets are chosen in the forms of checks and groups, and for many checks at once.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { expectVisible } from './expect.ts';
import { shareWebUi } from './web-ui.ts';

/** Turns a choice on or off. */
const turn = (at: Page | Locator, name: string | RegExp): Promise<void> =>
  at.getByRole('checkbox', { name }).click({ force: true });

async function choose(page: Page, label: RegExp, option: string): Promise<void> {
  await page.getByRole('button', { name: label }).click();
  await page.getByRole('option', { name: option }).click();
}

describe('private locations and snippets in forms', () => {
  const { ui } = shareWebUi({ TOCSIN_ROLES: 'api' });
  const fields = async (path: string): Promise<readonly unknown[]> => {
    const { privateLocations, setupSnippetId, tearDownSnippetId } = await ui().service.must('GET', path);
    return [privateLocations, setupSnippetId, tearDownSnippetId];
  };

  test('a check and a group get a private location and snippets, and say if no runner serves the location', async () => {
    const { service, open } = ui();
    await service.must('POST', '/v1/private-locations', { name: 'Office', slugName: 'office' });
    const { id: snippet } = await service.must('POST', '/v1/snippets', { name: 'Log in', script: 'await 1;' });
    const request = { method: 'GET', url: 'http://127.0.0.1:1/' };
    const { id } = await service.must('POST', '/v1/checks/api', { name: 'Intranet', request });
    const page = await open(`/checks/${String(id)}/edit`, { viewport: { width: 390, height: 844 } });
    await page.locator('summary', { hasText: 'Certificate and scripts' }).click();
    await choose(page, /Setup snippet/, 'Log in');
    await page.locator('summary', { hasText: 'Schedule and locations' }).click();
    await turn(page, 'Office (office)');
    await expectVisible(page.getByText('No runner serves it now: its runs wait.'));
    await page.getByRole('button', { name: 'Save changes' }).click();
    await expectVisible(page.getByRole('heading', { level: 1, name: 'Intranet', exact: true }));
    assert.deepEqual(await fields(`/v1/checks/${String(id)}`), [['office'], snippet, null]);

    const { id: groupId } = await service.must('POST', '/v2/check-groups', { name: 'Inside' });
    await page.goto(`/groups/${String(groupId)}/edit`);
    await page.locator('summary', { hasText: 'Scripts of API checks' }).click();
    await choose(page, /Teardown snippet/, 'Log in');
    await page.locator('summary', { hasText: 'Locations' }).click();
    await turn(page, 'Office (office)');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await expectVisible(page.getByRole('heading', { level: 1, name: 'Inside', exact: true }));
    assert.deepEqual(await fields(`/v1/check-groups/${String(groupId)}`), [['office'], null, snippet]);
    await page.goto(`/groups/${String(groupId)}/edit`);
    await page.locator('summary', { hasText: 'Locations' }).click();
    await turn(page, 'Office (office)');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await expectVisible(page.getByRole('heading', { level: 1, name: 'Inside', exact: true }));
    assert.deepEqual(await fields(`/v1/check-groups/${String(groupId)}`), [null, null, snippet]);
  });

  test('many checks get a private location at once, and lose it again', async () => {
    const { service, open } = ui();
    await service.must('POST', '/v1/private-locations', { name: 'Lab', slugName: 'lab' });
    const ids: string[] = [];
    for (const name of ['One', 'Two']) {
      const request = { hostname: '127.0.0.1', port: 1 };
      ids.push(String((await service.must('POST', '/v1/checks/tcp', { name, tags: ['lab'], request }))['id']));
    }
    const page = await open('/?tag=lab');
    await turn(page, 'Select all 2 checks');
    await page.getByRole('button', { name: 'Edit…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit 2 checks' });
    await turn(dialog, 'Locations');
    await turn(dialog, 'Lab (lab)');
    await dialog.getByRole('button', { name: 'Change 2 checks' }).click();
    await expectVisible(page.getByText('Changed 2 checks'));
    for (const id of ids) assert.deepEqual((await fields(`/v1/checks/${id}`))[0], ['lab']);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expectVisible(page.getByText('Restored 2 checks'));
    for (const id of ids) assert.equal((await fields(`/v1/checks/${id}`))[0], null);
  });
});
