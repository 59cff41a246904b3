// Pictures of every page for the docs: desktop and phone, light and dark. `npm run screenshots` writes docs/images/.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { packageFolder } from '#lib/package-files.ts';
import { openBrowser } from '../support/chromium.ts';
import { fillDemoData } from './demo-data.ts';
import { addHistory } from './demo-history.ts';
import { expectVisible } from './expect.ts';
import { startWebUi } from './web-ui.ts';

const folder = join(packageFolder, 'docs/images');
const sizes = { desktop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } } as const;

test('every page is photographed', { timeout: 500_000 }, async (t) => {
  const ui = await startWebUi(t);
  const { paths } = await fillDemoData(t, ui.service);
  await addHistory(ui.service);
  mkdirSync(folder, { recursive: true });
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const [size, viewport] of Object.entries(sizes)) {
      const page = await ui.open('/', { colorScheme, viewport });
      for (const [name, path] of Object.entries({ ...paths, 'sign-in': '/sign-in' })) {
        await page.goto(path);
        await page.locator('main.result').waitFor({ state: 'detached' });
        await expectVisible(page.getByRole('heading', { level: 1 }));
        await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' });
        await page.waitForLoadState('load');
        // Charts and the members of groups are loaded separately.
        if (name === 'check') await expectVisible(page.locator('main canvas').first());
        if (name === 'groups') await expectVisible(page.getByText('1 degraded'));
        await page.screenshot({ path: join(folder, `${name}-${size}-${colorScheme}.png`) });
      }
      await page.context().close();
    }
  }
});

test('mails are photographed', { timeout: 60_000 }, async (t) => {
  const browser = await openBrowser(t);
  mkdirSync(folder, { recursive: true });
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const [size, viewport] of Object.entries({ desktop: { width: 720, height: 560 }, phone: sizes.phone })) {
      const page = await browser.newPage({ colorScheme, viewport });
      for (const name of ['failure', 'recovery', 'weekly-report']) {
        await page.goto(pathToFileURL(join(packageFolder, `tests/golden/email/${name}.html`)).href);
        await page.screenshot({ path: join(folder, `email-${name}-${size}-${colorScheme}.png`) });
      }
      await page.close();
    }
  }
});
