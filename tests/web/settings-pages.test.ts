// Keys, variables and the audit log, without any other tool.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { expectHidden, expectVisible } from './expect.ts';
import { shareWebUi } from './web-ui.ts';

describe('settings in the web UI', () => {
  const { ui } = shareWebUi();

  test('an API key is shown once, works, and is revoked', async () => {
    const { service, open } = ui();
    const page = await open('/settings/api-keys');
    await page.getByLabel('Name').fill('CI');
    await page.getByRole('button', { name: 'Create key' }).click();
    await expectVisible(page.getByText('Copy the key now.'));
    const key = (await page.getByText(/^tsn_\S{40,}/).innerText()).trim();
    await page.getByText('Connect an AI assistant').click();
    const command = await page.getByRole('region', { name: 'Command for Claude Code' }).innerText();
    assert.equal(
      command,
      `claude mcp add --transport http tocsin "${service.address}/mcp" --header "Authorization: Bearer ${key}"`,
    );
    const ask = () => fetch(`${service.address}/v1/checks`, { headers: { authorization: `Bearer ${key}` } });
    assert.equal((await ask()).status, 200);
    await page.getByRole('button', { name: 'Revoke CI' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await expectHidden(page.getByRole('dialog'));
    assert.equal((await ask()).status, 401);
    await page.reload();
    await expectVisible(page.getByRole('heading', { name: 'Create a key' }));
    assert.equal((await page.content()).includes(key), false);
  });

  test('the audit log says who changed what from what to what, and its filters are in the address', async () => {
    const { service, open } = ui();
    await service.must('POST', '/v1/variables', { key: 'AUDITED', value: 'one' });
    await service.must('PUT', '/v1/variables/AUDITED', { value: 'two' });
    const page = await open('/settings/audit?resource=variable', { viewport: { width: 390, height: 844 } });
    const entry = page.getByRole('group').filter({ hasText: 'Variable AUDITED changed' }).first();
    await entry.getByText('Variable AUDITED changed').click();
    await expectVisible(entry.getByText('one', { exact: true }));
    await expectVisible(entry.getByText('two', { exact: true }));
    await page.goto(`${service.address}/settings/audit?resource=incident`);
    await expectVisible(page.getByText('No entry matches these filters.'));
    const group = await service.must('POST', '/v2/check-groups', { name: 'Assisted' });
    const input = { groupId: group['id'], change: { muted: true }, revision: `"${String(group['created_at'])}"` };
    const params = { name: 'apply_change', arguments: input };
    await service.must('POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    await page.goto(`${service.address}/settings/audit?resource=check-group`);
    const change = page.getByRole('group').filter({ hasText: 'Group Assisted changed' }).first();
    await change.getByText('Group Assisted changed').click();
    await expectVisible(change.getByText('updateCheckGroupV2, by an assistant (MCP)'));
    await service.must('DELETE', `/v1/check-groups/${String(group['id'])}`);
    await service.must('DELETE', '/v1/variables/AUDITED');
  });

  test('checks, groups and channels say who changed them last, and lead to their entries in the audit log', async () => {
    const { service, open } = ui();
    const { id: groupId } = await service.must('POST', '/v2/check-groups', { name: 'Shop' });
    const { id: channelId } = await service.must('POST', '/v1/alert-channels', {
      type: 'EMAIL',
      config: { address: 'ops@example.com' },
    });
    const request = { method: 'GET', url: 'http://127.0.0.1:1/' };
    const { id } = await service.must('POST', '/v1/checks/api', { name: 'Cart', activated: false, request });
    const page = await open(`/checks/${String(id)}/edit`);
    await page.getByLabel('Name', { exact: true }).first().fill('Basket');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await expectVisible(page.getByText(/^Last changed .+ by ada@example\.com/));
    await page.getByRole('link', { name: 'All changes' }).click();
    await expectVisible(page.getByText('Check Basket changed'));
    await expectHidden(page.getByText('Group Shop created'));
    for (const path of [`/groups/${String(groupId)}`, `/channels/${String(channelId)}`]) {
      await page.goto(path);
      await expectVisible(page.getByText(/^Created .+ by the API key /));
    }
  });

  test('a private location is added, says how it is served, and is kept while a check uses it', async () => {
    const { service, open } = ui();
    const page = await open('/settings/private-locations', { viewport: { width: 390, height: 844 } });
    await page.getByLabel('Name').fill('Office');
    await page.getByLabel('Slug').fill('Not a slug');
    await page.getByRole('button', { name: 'Add location' }).click();
    await expectVisible(page.locator('[name="slugName"][aria-invalid="true"]'));
    await page.getByLabel('Slug').fill('office');
    await page.getByRole('button', { name: 'Add location' }).click();
    await page.getByRole('button', { name: 'How to start Office' }).click();
    await expectVisible(page.getByRole('dialog').getByText('TOCSIN_LOCATION=office'));
    await page.getByRole('dialog').getByText('Close').click();
    await expectHidden(page.getByRole('dialog'));
    await page.getByRole('button', { name: 'Change Office' }).click();
    const form = page.getByRole('region', { name: 'Change Office' });
    await form.getByLabel('Name').fill('Head office');
    await form.getByRole('button', { name: 'Save' }).click();
    await expectVisible(page.getByText('Changed Head office'));
    await expectVisible(page.getByRole('region', { name: 'Add a private location' }));
    const request = { method: 'GET', url: 'http://127.0.0.1:1/' };
    const check = { name: 'Inside', activated: false, request, privateLocations: ['office'] };
    const { id } = await service.must('POST', '/v1/checks/api', check);
    await page.getByRole('button', { name: 'Delete Head office' }).click();
    const dialog = page.getByRole('dialog', { name: 'Head office is in use' });
    await expectVisible(dialog.getByRole('list', { name: '1 check' }).getByRole('link', { name: 'Inside' }));
    await expectHidden(dialog.getByRole('button', { name: 'Delete' }));
    await service.must('DELETE', `/v1/checks/${String(id)}`);
    const question = page.getByRole('dialog', { name: 'Delete Head office?' });
    await expectVisible(question.getByText('No check or group names it.'));
    await question.getByRole('button', { name: 'Delete', exact: true }).click();
    await expectVisible(page.getByText('No private location yet.'));
  });

  test('a snippet is written in the editor, shown with its users, changed in place, and kept while a check uses it', async () => {
    const { service, open } = ui();
    const page = await open('/settings/snippets', { viewport: { width: 390, height: 844 } });
    const list = () => service.must('GET', '/v1/snippets') as unknown as Promise<{ id: number; script: string }[]>;
    await page.getByLabel('Name').fill('Log in');
    // Not `fill`, which Chromium does with inline styles, and those are not allowed.
    const write = async (text: string): Promise<void> => {
      await page.locator('.cm-content[aria-label="Script"]').press('Control+a');
      await page.keyboard.insertText(text);
    };
    await write('const a = 1;\nconst = 2;');
    await page.getByRole('button', { name: 'Add snippet' }).click();
    // Scripts are read at the lowest priority.
    await expectVisible(page.getByText(/Unexpected token.*line 2/).first(), 60_000);
    await page.reload();
    await expectVisible(page.getByText('This is what you entered before.'));
    await write('');
    await page.keyboard.type('request.he');
    // Asks for the names again if the editor was not ready for the dot.
    await page.keyboard.press('Control+Space');
    await expectVisible(page.getByRole('option', { name: 'headers' }));
    await page.keyboard.press('Enter');
    await page.keyboard.insertText("['x-token'] = 'abc';");
    await page.getByRole('button', { name: 'Add snippet' }).click();
    await expectVisible(page.getByText('Added Log in'), 60_000);
    const [snippet] = await list();
    assert.equal(snippet?.script, "request.headers['x-token'] = 'abc';");

    await service.must('PUT', `/v1/snippets/${snippet.id}`, { script: 'await 1;' });
    const group = await service.must('POST', '/v2/check-groups', { name: 'Shop', setupSnippetId: snippet.id });
    await page.reload();
    await page.getByRole('button', { name: 'Where used: Log in' }).click();
    await expectVisible(page.getByRole('dialog').getByRole('list', { name: '1 group' }));
    await page.getByRole('dialog').getByRole('button', { name: 'Copy as YAML' }).click();
    await expectVisible(page.getByText(/^snippets:\n/));
    await page.getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Change Log in' }).click();
    const form = page.getByRole('region', { name: 'Change Log in' });
    await expectVisible(form.getByText('await 1;'));
    await write('await 2;');
    await form.getByRole('button', { name: 'Save' }).click();
    await expectVisible(page.getByText('Changed Log in'), 60_000);
    assert.equal((await list())[0]?.script, 'await 2;');
    await page.getByRole('button', { name: 'Delete Log in' }).click();
    const users = page.getByRole('dialog', { name: 'Log in is in use' }).getByRole('list', { name: '1 group' });
    await users.getByRole('link', { name: 'Shop' }).click();
    await expectVisible(page.getByRole('heading', { level: 1, name: 'Shop' }));
    await service.must('DELETE', `/v1/check-groups/${String(group['id'])}`);
    await service.must('DELETE', `/v1/snippets/${snippet.id}`);
  });

  test('a variable shows where it is used, and its deletion says so with links', async () => {
    const { service, open } = ui();
    await service.must('POST', '/v1/variables', { key: 'TOKEN', value: 'x' });
    const request = { method: 'GET', url: 'https://{{TOKEN}}/' };
    const { id } = await service.must('POST', '/v1/checks/api', { name: 'Cart', activated: false, request });
    const page = await open('/settings/variables', { viewport: { width: 390, height: 844 } });
    await page.getByRole('button', { name: 'Where used: TOKEN' }).click();
    await expectVisible(page.getByRole('dialog').getByText('cannot run without it'));
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Delete TOKEN' }).click();
    const users = page.getByRole('dialog').getByRole('list', { name: '1 check' });
    await users.getByRole('link', { name: 'Cart' }).click();
    await expectVisible(page.getByRole('heading', { level: 1, name: 'Cart' }));
    await service.must('DELETE', `/v1/checks/${String(id)}`);
    await service.must('DELETE', '/v1/variables/TOKEN');
  });

  test('a secret is written and never shown, and a wrong name says what is right', async () => {
    const { service, open } = ui();
    const page = await open('/settings/variables', { viewport: { width: 390, height: 844 } });
    await page.getByLabel('Name').fill('not a name');
    await page.getByLabel('Value').fill('secret of the shop');
    await page.getByText('Secret', { exact: true }).click();
    await page.getByRole('button', { name: 'Add variable' }).click();
    await expectVisible(page.getByRole('alert'));
    assert.equal(await page.getByLabel('Value').inputValue(), 'secret of the shop');
    await page.getByLabel('Name').fill('SHOP_TOKEN');
    await page.getByRole('button', { name: 'Add variable' }).click();
    await expectVisible(page.getByText('Added SHOP_TOKEN'));
    await page.getByRole('button', { name: 'Change SHOP_TOKEN' }).click();
    const form = page.getByRole('region', { name: 'Change SHOP_TOKEN' });
    await form.getByLabel('Value').fill('another secret');
    await form.getByRole('button', { name: 'Save' }).click();
    await expectVisible(page.getByText('Changed SHOP_TOKEN'));
    await page.reload();
    await expectVisible(page.getByText('SHOP_TOKEN', { exact: true }));
    assert.doesNotMatch(await page.content(), /secret of the shop|another secret/);
    await page.getByRole('button', { name: 'Delete SHOP_TOKEN' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await expectVisible(page.getByText('Deleted SHOP_TOKEN'));
    assert.deepEqual(await service.must('GET', '/v1/variables'), []);
  });
});
