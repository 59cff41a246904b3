// A group is started from its page, which follows its runs to a verdict; the wall shows its checks.
import { test } from 'node:test';
import { startScriptedServer } from '../support/targets/scripted-server.ts';
import { expectHidden, expectVisible } from './expect.ts';
import { startWebUi } from './web-ui.ts';

test('a group is run with live progress and a verdict, and shown on the wall', async (t) => {
  const target = await startScriptedServer(t);
  let status = 500;
  target.answer(({ url }) => ({ status: url.startsWith('/bad') ? status : 200 }));
  const { service, open } = await startWebUi(t);
  const { id: groupId } = await service.must('POST', '/v2/check-groups', {
    name: 'Shop',
    apiCheckDefaults: {
      assertions: [{ source: 'HEADERS', comparison: 'NOT_EQUALS', property: 'date', target: 'broken' }],
    },
  });
  for (const name of ['good', 'bad']) {
    await service.must('POST', '/v1/checks/api', {
      name,
      groupId,
      request: { method: 'GET', url: `${target.url}/${name}` },
    });
  }
  service.rows((raw) =>
    raw.exec(`UPDATE check_groups SET definition = replace(definition, ',"passesIfAbsent":false', '')`),
  );
  const page = await open('/groups');
  await page.getByRole('link', { name: 'Shop' }).click();
  const older = page.getByRole('region', { name: 'Older assertions' });
  await older.getByRole('button', { name: 'Upgrade assertions' }).click();
  await expectHidden(older);
  await page.getByRole('button', { name: 'Run all checks' }).click();
  await expectVisible(page.getByText('1 of 2 runs did not pass'), 20_000);
  await expectVisible(page.getByRole('region', { name: 'Run from CI' }).getByText(/curl --fail-with-body/));

  const mute = async (choice: string) => {
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: choice }).click();
  };
  await mute('Mute until recovery');
  await expectVisible(page.getByText('until its checks recover'));
  const bad = page.getByRole('row').filter({ hasText: 'bad' });
  await expectVisible(bad.getByText('Muted', { exact: true }));
  await page.getByRole('button', { name: 'Undo' }).click();
  await expectHidden(page.getByText('until its checks recover'));
  await expectHidden(bad.getByText('Muted', { exact: true }));
  await mute('Mute for 24 hours');
  await expectVisible(bad.getByText('Muted', { exact: true }));
  await mute('Unmute');
  await expectHidden(bad.getByText('Muted', { exact: true }));
  await mute('Mute until recovery');
  await expectVisible(page.getByText('until its checks recover'));
  status = 200;
  await page.getByRole('button', { name: 'Run all checks' }).click();
  // Nothing fails any more: the mute ends without being ended.
  await expectHidden(page.getByText('until its checks recover'), 30_000);

  await page.goto(`/wall?groupId=${String(groupId)}`);
  await expectVisible(page.getByRole('heading', { level: 1, name: /passing/ }));
  await expectVisible(page.getByRole('listitem').filter({ hasText: 'bad' }));
});
