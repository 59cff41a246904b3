// Two people edit one check: nobody's change is lost, and nothing has to be entered again.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectHidden, expectVisible } from './expect.ts';
import { startWebUi } from './web-ui.ts';

test('who saves second sees what both changed, chooses, and saves both changes', async (t) => {
  const { service, open } = await startWebUi(t);
  const request = { hostname: '127.0.0.1', port: 1 };
  const { id } = await service.must('POST', '/v1/checks/tcp', { name: 'Redis', activated: false, request });
  const one = `/v1/checks/tcp/${String(id)}`;
  const page = await open(`/checks/${String(id)}/edit`);
  await page.getByLabel('Name', { exact: true }).fill('My name');
  const description = { description: 'theirs', tags: ['theirs'] };
  await service.must('PUT', one, {
    name: 'Their name',
    request: { ...request, hostname: '127.0.0.2' },
    ...description,
  });
  // What was entered survives a reload, and is still meant for the revision at which it was begun.
  await page.reload();
  await page.getByRole('button', { name: 'Save changes' }).click();
  const panel = page.getByRole('alert', { name: 'Somebody else has saved this meanwhile' });
  await expectVisible(panel.getByText('Theirs: Their name'));
  await expectVisible(panel.getByText('Yours: My name'));
  await expectVisible(panel.getByText('Theirs: 127.0.0.2'));
  assert.equal((await service.must('GET', `/v1/checks/${String(id)}`))['name'], 'Their name');
  const name = page.getByLabel('Name', { exact: true });
  await panel.getByRole('button', { name: 'Take theirs: name' }).click();
  assert.equal(await name.inputValue(), 'Their name');
  await panel.getByRole('button', { name: 'Keep mine: name' }).click();
  assert.equal(await name.inputValue(), 'My name');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await expectHidden(panel);
  await expectVisible(page.getByRole('heading', { level: 1, name: 'My name' }));
  const saved = await service.must('GET', `/v1/checks/${String(id)}`);
  assert.deepEqual(
    [saved['name'], saved['request'], saved['description'], saved['tags']],
    ['My name', { ...(saved['request'] as object), hostname: '127.0.0.2', port: 1 }, 'theirs', ['theirs']],
  );

  await page.keyboard.press('Control+k');
  await page.getByRole('searchbox', { name: 'Search checks, pages and commands' }).fill('my');
  await page.getByRole('menuitem', { name: 'Edit My name' }).click();
  await expectVisible(page.getByRole('button', { name: 'Save changes' }));
});
