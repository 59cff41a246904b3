// Everything can be reached without a mouse.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { expectHidden, expectVisible } from './expect.ts';
import { shareWebUi } from './web-ui.ts';

describe('without a mouse', () => {
  const { ui } = shareWebUi();

  test('by keyboard only: find a check, open it, go to other pages', async () => {
    const { service, open } = ui();
    for (const name of ['Alpha', 'Beta', 'Gamma']) {
      await service.must('POST', '/v1/checks/tcp', { name, request: { hostname: '127.0.0.1', port: 1 } });
    }
    const page = await open('/?sort=name');
    await expectVisible(page.getByRole('link', { name: 'Alpha' }));
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    assert.equal(await page.locator(':focus').textContent(), 'Beta');
    await page.keyboard.press('Enter');
    await expectVisible(page.getByRole('heading', { level: 1, name: 'Beta' }));
    await page.keyboard.press('g');
    await page.keyboard.press('d');
    await expectVisible(page.getByRole('heading', { level: 1, name: 'Deliveries' }));
    await page.keyboard.press('Control+k');
    await page.getByRole('searchbox').fill('gam');
    await expectVisible(page.getByRole('menuitem', { name: 'Gamma' }).first());
    await page.keyboard.press('Enter');
    await expectVisible(page.getByRole('heading', { level: 1, name: 'Gamma' }));
    await page.keyboard.press('Control+k');
    await page.getByRole('searchbox').fill('bet');
    await page.keyboard.press('Escape');
    await expectHidden(page.getByRole('searchbox'));
    await page.keyboard.press('?');
    await expectVisible(page.getByRole('dialog', { name: 'Keyboard shortcuts' }));
    await page.keyboard.press('Escape');
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    await expectVisible(page.getByRole('heading', { level: 1, name: 'Checks' }));
    await expectVisible(page.getByRole('link', { name: 'Beta' }));
    await page.keyboard.press('/');
    await page.keyboard.type('alph');
    await expectVisible(page.getByRole('link', { name: 'Alpha' }));
    await page.getByRole('link', { name: 'Beta' }).waitFor({ state: 'detached' });
  });

  test('focus and an open menu stay with their check when the list is sorted anew', async () => {
    const { service, open } = ui();
    const ids: Record<string, unknown> = {};
    for (const name of ['Delta', 'Epsilon', 'Eta']) {
      ids[name] = (await service.must('POST', '/v1/checks/tcp', { name, request: { hostname: '127.0.0.1', port: 1 } }))[
        'id'
      ];
    }
    const page = await open('/?sort=name');
    await page.getByRole('link', { name: 'Delta' }).focus();
    await service.must('PUT', `/v1/checks/tcp/${String(ids['Delta'])}`, { name: 'Zeta' });
    await expectVisible(page.getByRole('listitem').last().getByText('Zeta'));
    assert.equal(await page.locator(':focus').textContent(), 'Zeta');
    await page.getByRole('button', { name: 'Actions for Epsilon' }).press('Enter');
    await service.must('PUT', `/v1/checks/tcp/${String(ids['Eta'])}`, { name: 'Aaron' });
    // An open menu hides the page from its roles.
    await expectVisible(page.locator('main ul li').first().getByText('Aaron'));
    await page.getByRole('menuitem', { name: 'Pause' }).press('Enter');
    await expectVisible(page.getByText('Paused Epsilon'));
  });
});
