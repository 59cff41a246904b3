// Importing the configuration of another product in the web UI: preview, import, and again.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { runCommand } from '../support/service/command.ts';
import { expectVisible } from './expect.ts';
import { shareWebUi } from './web-ui.ts';

const pathOf = (name: string): string => join(import.meta.dirname, '../support/imports', name);
const sample = (name: string): string => readFileSync(pathOf(name), 'utf8');
const preview = (page: Page) => page.getByRole('button', { name: 'Preview' }).click();
const rowOf = (page: Page, table: string, name: string) =>
  page.getByRole('table', { name: table }).getByRole('row').filter({ hasText: name });

describe('import in the web UI', () => {
  const { ui } = shareWebUi();
  const list = async (path: string): Promise<Record<string, unknown>[]> =>
    (await ui().service.must('GET', path)) as unknown as Record<string, unknown>[];

  test('a configuration is previewed, imported with links to its checks, and not imported twice', async () => {
    const page = await ui().open('/import');
    await page.getByRole('link', { name: /^Gatus/ }).click();
    await page.getByLabel('Configuration').fill(sample('gatus.yaml'));
    await preview(page);
    await page.getByLabel('SLACK_URL').fill('https://hooks.slack.com/services/T/B/quietword');
    await page.getByLabel('SHOP_URL').fill('https://shop.example');
    await preview(page);
    await expectVisible(page.getByText(/^\d+ new, \d+ not carried over$/));
    await expectVisible(rowOf(page, 'Not carried over', 'shell').getByText('ssh'));
    assert.deepEqual(await list('/v1/checks'), [], 'a preview changes nothing');

    await page.getByRole('button', { name: /^Import \d+ resources$/ }).click();
    await expectVisible(page.getByText(/^\d+ created, 0 changed\.$/));
    await expectVisible(page.getByText('New alert channels are switched off.'));
    const checks = await list('/v1/checks?limit=100');
    assert.ok(checks.length > 8, `${checks.length} checks`);
    const channels = await list('/v1/alert-channels?limit=100');
    assert.ok(channels.length > 0 && channels.every(({ sendFailure }) => sendFailure === false));
    await rowOf(page, 'What becomes what', 'database').getByRole('link', { name: 'database' }).click();
    await expectVisible(page.getByRole('heading', { level: 1, name: 'database' }));
    await expectVisible(page.getByText('project gatus'));

    const [channel] = channels;
    await ui().service.must('PUT', `/v1/alert-channels/${String(channel?.['id'])}`, { sendFailure: true });
    await page.goto('/import?from=gatus');
    const again = sample('gatus.yaml').replaceAll('${SHOP_URL}', 'https://shop.example');
    const text = again.replaceAll('${SLACK_URL}', 'https://hooks.slack.com/services/T/B/quietword');
    await page.getByLabel('Configuration').fill(text);
    await preview(page);
    await expectVisible(page.getByText(/^No changes: everything is up to date\. \d+ up to date/));
    await page.getByLabel('Configuration').fill(text.replace('db.example:5432', 'db.example:5433'));
    await preview(page);
    await expectVisible(page.getByText(/^1 changed, \d+ up to date/));
    await expectVisible(rowOf(page, 'What becomes what', 'database').getByText('request.port 5432 → 5433'));
    await page.getByRole('button', { name: 'Import 1 resource', exact: true }).click();
    await expectVisible(page.getByText('0 created, 1 changed.'));
    const kept = await ui().service.must('GET', `/v1/alert-channels/${String(channel?.['id'])}`);
    assert.equal(kept['sendFailure'], true, 'it is not switched off again');
  });

  test('files are opened or dropped, and two texts become one import', async () => {
    const page = await ui().open('/import?from=blackbox', { viewport: { width: 390, height: 844 } });
    const choosing = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Open blackbox.yml' }).click();
    await (await choosing).setFiles(pathOf('blackbox.yml'));
    const dropped = await page.evaluateHandle(`(() => {
      const data = new DataTransfer();
      data.items.add(new File([${JSON.stringify(sample('prometheus.yml'))}], 'prometheus.yml'));
      return data;
    })()`);
    await page.getByLabel('Configuration of Prometheus').dispatchEvent('drop', { dataTransfer: dropped });
    await preview(page);
    await expectVisible(rowOf(page, 'What becomes what', 'gateway.example'));
    await expectVisible(rowOf(page, 'Not carried over', 'rpc.example:443').getByText('prober grpc'));
    const tooLarge = await page.evaluateHandle(`(() => {
      const data = new DataTransfer();
      data.items.add(new File([new Uint8Array(5_000_001)], 'large.yml'));
      return data;
    })()`);
    await page.getByLabel('Configuration of Prometheus').dispatchEvent('drop', { dataTransfer: tooLarge });
    await expectVisible(page.getByText('The file is larger than 5 MB.'));
  });

  test('every other format is previewed', async () => {
    const page = await ui().open();
    for (const [from, field, name, row] of [
      ['healthchecks', 'Response of the API', 'healthchecks.json', 'Backup'],
      ['uptimerobot', 'Response of the API', 'uptimerobot.json', 'Gateway'],
      ['openapi', 'Document', 'openapi.yaml', 'GET /health'],
    ] as const) {
      await page.goto(`/import?from=${from}`);
      await page.getByLabel(field).fill(sample(name));
      await preview(page);
      await expectVisible(rowOf(page, 'What becomes what', row).getByText('New', { exact: true }));
      await expectVisible(page.getByRole('table', { name: 'Not carried over' }));
    }
  });

  test('what cannot be read or is refused is named with its place, and nothing is imported', async () => {
    const before = (await list('/v1/checks?limit=100')).length;
    const page = await ui().open('/import?from=gatus');
    await page.getByLabel('Configuration').fill('endpoints:\n\t- name: x\n');
    await preview(page);
    await expectVisible(page.getByRole('alert').filter({ hasText: /^line 2, column 1: / }));
    await page.getByLabel('Configuration').fill('metrics: true\n');
    await preview(page);
    await expectVisible(page.getByText('Nothing in this text can be imported.'));
    const endpoint = (name: string, url: string) =>
      `  - { name: ${name}, url: '${url}', conditions: ['[CONNECTED] == true'] }\n`;
    const refused = `endpoints:\n${endpoint('right', 'icmp://gateway.example')}${endpoint('wrong', 'icmp://a b')}`;
    await page.getByLabel('Configuration').fill(refused);
    await preview(page);
    await expectVisible(page.getByText(/^The server refuses 1 resource\./));
    await expectVisible(rowOf(page, 'What becomes what', 'wrong').getByText(/^Refused: request\.hostname /));
    assert.equal(await page.getByRole('button', { name: /^Import \d/ }).count(), 0);

    await page.goto('/import?from=healthchecks');
    await page.getByLabel('Response of the API').fill('{\n  "checks": [,]\n}');
    await preview(page);
    await expectVisible(page.getByText('line 2, column 14: the file is not JSON: expected a value or ]'));
    assert.equal((await list('/v1/checks?limit=100')).length, before);
  });

  test('a configuration is not stored in the browser, because it contains secrets', async () => {
    const page = await ui().open('/import?from=gatus');
    await page.getByLabel('Configuration').fill('# quietword');
    const stored = String(await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])'));
    assert.doesNotMatch(stored, /quietword/);
  });

  test('a product that needs the command line names commands that exist, with the address of this server', async () => {
    const page = await ui().open();
    for (const from of ['kuma', 'checkly']) {
      await page.goto(`/import?from=${from}`);
      const lines = (await page.getByRole('region', { name: 'Commands to run' }).innerText()).split('\n');
      assert.equal(lines[0], `tocsin login ${ui().service.address}`);
      const imports = lines.filter((line) => line.startsWith(`tocsin import ${from}`));
      assert.equal(imports.length, 2);
      for (const line of imports) {
        const { code, err } = await runCommand([...line.split(' ').slice(1), '--help'], {}, tmpdir());
        assert.equal(code, 0, `${line}: ${err}`);
      }
    }
  });
});

describe('import on a server without email', () => {
  const { ui } = shareWebUi({ TOCSIN_SMTP_URL: '', TOCSIN_MAIL_FROM: '' });

  test('email channels are left out with the reason, and the rest is imported', async () => {
    const page = await ui().open('/import?from=uptimerobot');
    await page.getByLabel('Response of the API').fill(sample('uptimerobot.json'));
    await preview(page);
    await expectVisible(rowOf(page, 'Not carried over', 'Ops').getByText('email is not set up on this server'));
    await page.getByRole('button', { name: /^Import \d+ resources$/ }).click();
    await expectVisible(page.getByText(/^\d+ created, 0 changed\.$/));
  });
});
