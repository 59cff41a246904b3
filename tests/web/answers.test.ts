// Whose answers a page shows: those of the check it names, and after a gap in the stream only fresh ones.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { startScriptedServer } from '../support/targets/scripted-server.ts';
import { until } from '../support/until.ts';
import { expectHidden, expectVisible } from './expect.ts';
import { shareWebUi } from './web-ui.ts';

/** Opens a check over the palette: without a reload, so that answers stay in memory. */
async function goTo(page: Page, name: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('searchbox').fill(name);
  await page.getByRole('menuitem', { name }).first().click();
  await expectVisible(page.getByRole('heading', { level: 1, name }));
}

describe('answers', () => {
  const { ui } = shareWebUi();

  test('while the answers of a check are slow, nothing of the check before stands under its name', async (t) => {
    const target = await startScriptedServer(t);
    target.answer(({ url }) => ({ status: url === '/down' ? 503 : 200 }));
    const { service, open } = ui();
    const api = (name: string, path: string) =>
      service.must('POST', '/v1/checks/api', { name, request: { method: 'GET', url: target.url + path } });
    const { id: slowId } = await api('Cart', '/up');
    await api('Checkout', '/down');
    const page = await open(`/checks/${String(slowId)}?range=1h`);
    const main = page.getByRole('main');
    const outcomes = main.getByRole('region', { name: 'Response time' });
    await expectVisible(outcomes.getByRole('img', { name: 'No failure in this range' }));
    await goTo(page, 'Checkout');
    await expectVisible(outcomes.getByRole('img', { name: /Failures in/ }));
    await expectVisible(
      main
        .getByRole('region', { name: 'Results' })
        .getByText(/got 503/)
        .first(),
    );

    const held = Promise.withResolvers<undefined>();
    const waiting = new Set<string>();
    const isSlow = ({ href }: URL): boolean =>
      href.includes(String(slowId)) && !href.endsWith(`/v1/checks/${String(slowId)}`);
    await page.route(isSlow, async (route) => {
      waiting.add(new URL(route.request().url()).pathname);
      await held.promise;
      await route.continue();
    });
    await goTo(page, 'Cart');
    await until('the reads of the chart', () => [...waiting].some((path) => path.includes('/analytics/')));
    await expectHidden(outcomes.getByRole('img', { name: /Failures in/ }), 2000);
    assert.doesNotMatch((await main.textContent()) ?? '', /503|Failing|Checkout|Not yet/);
    held.resolve(undefined);
    await expectVisible(outcomes.getByRole('img', { name: 'No failure in this range' }));
  });

  test('a new connection of the event stream reads again what no event names', async () => {
    const { service, open } = ui();
    const page = await open('/settings/people');
    await expectVisible(page.getByText('Live', { exact: true }));
    await page.route('**/v1/events', (route) => route.abort());
    await page.context().setOffline(true);
    await page.context().setOffline(false);
    await expectVisible(page.getByText(/Not live since .*the server does not answer/), 20_000);
    await service.must('POST', '/v1/invites', { email: 'grace@example.com', role: 'read-only' });
    await page.unroute('**/v1/events');
    await expectHidden(page.getByText(/Not live since .*the server does not answer/), 30_000);
    await expectVisible(page.getByText('grace@example.com'));
  });
});
