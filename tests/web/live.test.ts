// Open pages stay current: through a restart of the server, and they say when they are not.
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, test } from 'node:test';
import type { Locator } from 'playwright-core';
import { startScriptedServer } from '../support/targets/scripted-server.ts';
import { type FileService, startService } from '../support/service/service.ts';
import { until } from '../support/until.ts';
import { expectHidden, expectVisible } from './expect.ts';
import { shareWebUi } from './web-ui.ts';

const root = resolve(import.meta.dirname, '../..');

/** An element in the browser, whose types the tests do not have. */
interface Styled {
  readonly ownerDocument: { readonly defaultView: { getComputedStyle(element: unknown): { readonly color: string } } };
}

/** Writes a state as another process does. Returns how long the page takes to show it, ms. */
async function shownAfterMs(service: FileService, row: Locator, status: 'passing' | 'failing'): Promise<number> {
  service.rows((raw) => raw.prepare('UPDATE check_states SET revision = revision + 1, status = ?').run(status));
  const committedAt = performance.now();
  await expectVisible(row.getByText(status === 'failing' ? 'Failing' : 'Passing'), 30_000);
  return performance.now() - committedAt;
}

describe('open pages', () => {
  const { ui } = shareWebUi();

  test('an open page says that it is not live while the server is down, and shows the change after its restart', async (t) => {
    const target = await startScriptedServer(t);
    const { service, open } = ui();
    const { id } = await service.must('POST', '/v1/checks/api', {
      name: 'Cart API',
      frequency: 1440,
      request: { method: 'GET', url: target.url },
    });
    const page = await open();
    const row = page.getByRole('listitem').filter({ hasText: 'Cart API' });
    await expectVisible(row.getByText('Passing'));
    await expectVisible(page.getByText('Live', { exact: true }));
    const mark = row.getByText('Passing');
    const colour = (): Promise<string> =>
      mark.evaluate(
        (element) => (element as unknown as Styled).ownerDocument.defaultView.getComputedStyle(element).color,
      );
    const green = await colour();
    // A stopped process keeps the connection open: only the age of the last byte tells.
    await page.clock.install();
    process.kill(service.pid ?? 0, 'SIGSTOP');
    try {
      await page.clock.fastForward(25_000);
      await expectVisible(page.getByText(/Not live since .*the server does not answer/));
      await until('a page that is not live to show no green', async () => (await colour()) !== green);
    } finally {
      process.kill(service.pid ?? 0, 'SIGCONT');
    }
    await expectHidden(page.getByText(/Not live since .*the server does not answer/), 30_000);
    await until('green again', async () => (await colour()) === green);
    await service.kill();
    await expectVisible(page.getByText(/Not live since .*the server does not answer/), 20_000);
    target.answer(() => ({ status: 500 }));
    await service.restart();
    await expectHidden(page.getByText(/Not live since .*the server does not answer/), 30_000);
    await service.must('POST', `/v1/triggers/checks/${String(id)}`);
    await expectVisible(row.getByText('Failing'), 30_000);
  });

  test('a change of state is shown two seconds after its commit, also after a restart under the open page', async (t) => {
    const target = await startScriptedServer(t);
    const { service, open } = ui();
    await service.must('POST', '/v1/checks/api', {
      name: 'Blog',
      frequency: 1440,
      request: { method: 'GET', url: target.url },
    });
    const page = await open();
    const row = page.getByRole('listitem').filter({ hasText: 'Blog' });
    await expectVisible(row.getByText('Passing'));
    await expectVisible(page.getByText('Live', { exact: true }));
    // The lowest of three: a busy machine delays some.
    const delays: number[] = [];
    for (const status of ['failing', 'passing', 'failing'] as const)
      delays.push(await shownAfterMs(service, row, status));
    const restarts: number[] = [];
    for (const status of ['passing', 'failing', 'passing'] as const) {
      await service.kill();
      await service.restart();
      restarts.push(await shownAfterMs(service, row, status));
    }
    t.diagnostic(`shown after ${[...delays, ...restarts].map((ms) => ms.toFixed(0)).join(', ')} ms`);
    assert.ok(Math.min(...delays) < 2000, `shown after ${delays.join(', ')} ms`);
    assert.ok(Math.min(...restarts) < 2000, `after restarts shown after ${restarts.join(', ')} ms`);
  });

  test('a page asks for a reload once the server runs another version', async (t) => {
    const { service, open } = ui();
    const page = await open();
    await expectVisible(page.getByText('Live', { exact: true }));
    await service.stop();
    const upgraded = mkdtempSync(join(tmpdir(), 'tocsin-upgraded-'));
    t.after(() => rmSync(upgraded, { recursive: true }));
    cpSync(join(root, 'dist'), join(upgraded, 'dist'), { recursive: true });
    for (const folder of ['node_modules', 'runtimes']) symlinkSync(join(root, folder), join(upgraded, folder));
    const facts = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as object;
    writeFileSync(join(upgraded, 'package.json'), JSON.stringify({ ...facts, version: '999.0.0' }));
    const { environment, address } = service;
    await startService(
      t,
      { PORT: new URL(address).port },
      { dataDir: String(environment['TOCSIN_DATA_DIR']), enter: [], program: join(upgraded, 'dist', 'main.js') },
    );
    await expectVisible(page.getByText('Tocsin was upgraded. Reload the page to use the new version.'), 30_000);
    await page.getByRole('button', { name: 'Reload' }).click();
    await expectVisible(page.getByText('Live', { exact: true }));
    await expectHidden(page.getByText('Tocsin was upgraded.'));
  });
});
