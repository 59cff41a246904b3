// A kind is a folder and four lines in the web UI, too: builds it with made-up kinds of checks and channels, and looks at it.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { copyWithMadeUpKinds } from '../support/made-up-kinds.ts';
import { until } from '../support/until.ts';
import { expectVisible } from './expect.ts';
import { startWebUi } from './web-ui.ts';

/** Builds the web UI of the folder it runs in. */
const build = `
  import { build } from 'vite';
  const { webConfig } = await import(process.cwd() + '/web/vite.config.ts');
  await build({ ...webConfig(), logLevel: 'warn' });
`;

test('the web UI shows made-up checks, their results and channels as their kinds say', async (t) => {
  const { copy, place } = copyWithMadeUpKinds(t);
  execFileSync(process.execPath, ['--input-type=module', '-e', build], { cwd: copy, stdio: 'inherit' });
  const { service, open } = await startWebUi(t, { TOCSIN_EGRESS_ALLOW: '127.0.0.0/8' }, place);
  const page = await open('/channels/new?type=LINE');
  await page.getByLabel('Printer').fill('127.0.0.1:9');
  await page.getByLabel('Password').fill('open-sesame');
  await page.getByRole('button', { name: 'Create channel' }).click();
  await expectVisible(page.getByRole('heading', { level: 1, name: '127.0.0.1:9' }));
  await page.goto('/checks/new');
  await page.getByRole('link', { name: /^Coin toss/ }).click();
  await page.getByLabel('Name').fill('A coin');
  await page.getByLabel('Worth').fill('5');
  await page.getByRole('button', { name: 'Create check' }).click();
  await expectVisible(page.getByRole('heading', { level: 1, name: 'A coin' }));
  const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  const newest = (outcome: string) =>
    until(`a result that ${outcome}`, async () => {
      const results = Object.values(await service.must('GET', `/v1/check-results/${id}`));
      return (results as { readonly id: string; readonly outcome: string }[]).find((each) => each.outcome === outcome);
    });
  await newest('passed');
  await service.must('PATCH', `/v1/checks/cointoss/${id}`, { coin: { side: 'TAILS' } });
  await service.must('POST', `/v1/triggers/checks/${id}`);
  const failed = await newest('failed');

  await page.goto('/');
  await expectVisible(page.locator('main span', { hasText: /^Coin toss$/ }));
  await page.goto(`/checks/${id}`);
  await expectVisible(page.getByText('Line printer').first());
  await expectVisible(page.getByText('127.0.0.1:9').first());
  await expectVisible(page.getByRole('region', { name: 'Time in the air' }));
  await expectVisible(page.getByRole('region', { name: 'What this check does' }).getByText('5 cents'));
  await page.goto(`/checks/${id}/results/${failed.id}`);
  const evidence = page.getByRole('region', { name: 'Coin', exact: true });
  await expectVisible(evidence);
  assert.equal((await evidence.innerText()).replaceAll(/\s+/g, ' '), 'Coin Side up TAILS Worth 5 cents');
  const change = page.getByRole('row', { name: /^Side up/ });
  assert.equal((await change.innerText()).replaceAll(/\s+/g, ' '), 'Side up HEADS TAILS');
});
