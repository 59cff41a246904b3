// The form of browser checks.
import type { CheckForm } from '../../form.ts';
import { certificateField, fileFields, scriptFields, stepSnippet, storedField } from '../../parts/form.ts';

const script = `import { test, expect } from '@playwright/test';

test('home', async ({ page }) => {
  await page.goto('https://shop.example/');
  await expect(page.getByRole('heading')).toBeVisible();
});`;

const signIn = `import { test, expect } from '@playwright/test';

test('sign in', async ({ page }) => {
  await page.goto('https://shop.example/sign-in');
  await page.getByLabel('Email').fill('probe@shop.example');
  // Store the password in a secret variable and read it from the environment here.
  await page.getByLabel('Password').fill('…');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('heading', { name: 'Orders' })).toBeVisible();
});`;

const snippets = [
  { label: 'Open a page (whole script)', code: script, isWhole: true },
  { label: 'Sign in (whole script)', code: signIn, isWhole: true },
  stepSnippet,
  { label: 'Screenshot', code: "await page.screenshot({ path: 'cart.png' });\n" },
  { label: 'Limit of each action', code: 'page.setDefaultTimeout(10_000);\n' },
] as const;

export const browserForm: CheckForm = {
  type: 'BROWSER',
  label: 'Browser',
  about: 'drives Chromium with a script and takes screenshots',
  hasInterval: true,
  shortestInterval: 60,
  start: { script },
  target: [],
  sections: [
    { title: 'Script', fields: scriptFields({ placeholder: script, snippets }) },
    { title: 'Files', fields: fileFields },
    {
      title: 'Screenshots, trace and video',
      fields: [
        storedField('screenshots', 'Screenshots', 'on-failure'),
        storedField('trace', 'Trace', 'on-failure'),
        storedField('video', 'Video', 'off'),
      ],
    },
    { title: 'Certificate', fields: [certificateField('Host whose certificate expiry is reported.')] },
  ],
};
