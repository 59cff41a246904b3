// The form of browser checks.
import type { CheckForm } from '../../form.ts';
import { scriptFields } from '../../parts/scripted/form.ts';

const script = `import { test, expect } from '@playwright/test';

test('home', async ({ page }) => {
  await page.goto('https://shop.example/');
  await expect(page.getByRole('heading')).toBeVisible();
});`;

export const browserForm: CheckForm = {
  type: 'BROWSER',
  label: 'Browser',
  about: 'drives Chromium with a script and takes screenshots',
  hasInterval: true,
  shortestInterval: 60,
  start: { script },
  target: [],
  sections: [{ title: 'Script', fields: scriptFields(script) }],
};
