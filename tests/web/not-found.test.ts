// An address without a page.
import { test } from 'node:test';
import { expectVisible } from './expect.ts';
import { startWebUi } from './web-ui.ts';

test('an unknown address shows the navigation and a link to the overview', async (t) => {
  const { open } = await startWebUi(t);
  for (const path of ['/nothing/here', '/settings/nothing']) {
    const page = await open(path);
    await expectVisible(page.getByRole('heading', { level: 1, name: 'Page not found' }));
    const navigation = page.getByRole('navigation', { name: 'Main', exact: true });
    await expectVisible(navigation.getByRole('link', { name: 'Deliveries' }));
    await page.getByRole('main').getByRole('link', { name: 'Go to the overview' }).click();
    await expectVisible(page.getByRole('heading', { level: 1, name: 'Checks' }));
  }
});
