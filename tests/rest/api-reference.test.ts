// The API reference in a real browser.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { publicOperations } from '#contract/operations.ts';
import { docsRoutes } from '#rest/operating/docs.ts';
import { openPage } from '../support/chromium.ts';
import { until } from '../support/until.ts';
import { restUnderTest } from './rest-under-test.ts';

test('the reference shows every operation under its policy, and asks no other host', async (t) => {
  let address = '';
  const { server } = restUnderTest({ routes: docsRoutes({ version: '0.0.0', server: () => address }) });
  t.after(() => server.close());
  address = await server.listen({ host: '127.0.0.1', port: 0 });
  const page = await openPage(t);
  const [asked, said] = [new Set<string>(), [] as string[]];
  page.on('request', (request) => void asked.add(new URL(request.url()).origin));
  page.on('console', (message) => void said.push(message.text()));
  page.on('pageerror', (error) => void said.push(error.message));
  page.on('requestfailed', (request) => void said.push(request.url()));
  await page.goto(`${address}/docs`);
  // Only what is in view is drawn.
  const drawn = new Set<string>();
  const everyId = publicOperations().map(({ id }) => id);
  const scroll = async (): Promise<boolean> => {
    for (const id of await page.locator('.opblock').evaluateAll((blocks) => blocks.map((block) => block.id))) {
      drawn.add(id.split('-').at(-1) ?? '');
    }
    await page.mouse.wheel(0, 500);
    return everyId.every((id) => drawn.has(id));
  };
  await until('every operation', scroll, {
    seen: () => `missing: ${everyId.filter((id) => !drawn.has(id)).join()}\n${said.join('\n')}`,
    withinMs: 60_000,
  });
  // A link to one operation opens it.
  await page.goto('about:blank');
  await page.goto(`${address}/docs#/Check%20groups/createCheckGroup`);
  const body = page.locator('[id$=createCheckGroup] .opblock-body').first();
  await body.getByText('Try it out').first().waitFor();
  assert.deepEqual([[...asked], said], [[address], []]);
});
