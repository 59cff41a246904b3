// Two people edit one check: nobody's change is lost, and nothing has to be entered again.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { expectHidden, expectVisible } from './expect.ts';
import { shareWebUi } from './web-ui.ts';

describe('two people edit the same record', () => {
  const { ui } = shareWebUi();

  test('who saves a check second sees what both changed, chooses, and saves both changes', async () => {
    const { service, open } = ui();
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
    await panel.getByRole('button', { name: 'Take theirs: Name' }).click();
    assert.equal(await name.inputValue(), 'Their name');
    await panel.getByRole('button', { name: 'Keep mine: Name' }).click();
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

  test('what is entered while a channel is being saved is kept, and saved next', async () => {
    const { service, open } = ui();
    const config = { name: 'Ops', url: 'http://127.0.0.1:1/' };
    const { id } = await service.must('POST', '/v1/alert-channels', { type: 'WEBHOOK', config });
    const one = `/v1/alert-channels/${String(id)}`;
    const page = await open(`/channels/${String(id)}`);
    const answered = Promise.withResolvers<void>();
    await page.route(`**${one}`, async (route) => {
      if (route.request().method() !== 'PUT') return route.continue();
      const response = await route.fetch();
      await answered.promise;
      return route.fulfill({ response });
    });
    const [name, save] = [page.getByLabel('Name', { exact: true }), page.getByRole('button', { name: 'Save changes' })];
    await name.fill('First');
    await save.click();
    await name.fill('Second');
    answered.resolve();
    await expectVisible(page.getByText('Saved'));
    assert.equal(await name.inputValue(), 'Second');
    await save.click();
    await expectVisible(page.getByRole('heading', { level: 1, name: 'Second' }));
    const saved = await service.must('GET', one);
    assert.equal((saved['config'] as { name: string }).name, 'Second');
  });

  test('the form of a channel takes over its own rotation, and what somebody else changed is chosen', async () => {
    const { service, open } = ui();
    const config = { name: 'Ops', url: 'http://127.0.0.1:1/', webhookSecret: 'the old one' };
    const { id } = await service.must('POST', '/v1/alert-channels', { type: 'WEBHOOK', config });
    const one = `/v1/alert-channels/${String(id)}`;
    const page = await open(`/channels/${String(id)}`, { viewport: { width: 390, height: 844 } });
    const name = page.getByLabel('Name', { exact: true });
    await name.fill('My channel');
    // A rotation changes the revision, but nothing in the form.
    await page.getByRole('button', { name: 'Rotate the secret' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate the secret' }).click();
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    await page.getByRole('button', { name: 'Save changes' }).click();
    await expectVisible(page.getByRole('heading', { level: 1, name: 'My channel' }));
    await service.must('PUT', one, { config: { name: 'Theirs' }, sslExpiryThreshold: 7 });
    await name.fill('Mine again');
    await page.getByRole('button', { name: 'Save changes' }).click();
    const panel = page.getByRole('alert', { name: 'Somebody else has saved this meanwhile' });
    await expectVisible(panel.getByText('First certificate alert before expiry'));
    await expectVisible(panel.getByText('Theirs: Theirs'));
    await panel.getByRole('button', { name: 'Keep mine: Name' }).click();
    await page.getByRole('button', { name: 'Save changes' }).click();
    await expectVisible(page.getByRole('heading', { level: 1, name: 'Mine again' }));
    await expectHidden(panel);
    const saved = await service.must('GET', one);
    assert.deepEqual([(saved['config'] as { name: string }).name, saved['sslExpiryThreshold']], ['Mine again', 7]);
    // Without changes, the form shows what is stored.
    await service.must('PUT', one, { config: { name: 'Renamed' } });
    await page.getByRole('button', { name: 'Send test message' }).click();
    await expectVisible(page.getByRole('heading', { level: 1, name: 'Renamed' }), 30_000);
    assert.equal(await name.inputValue(), 'Renamed');
  });
});
