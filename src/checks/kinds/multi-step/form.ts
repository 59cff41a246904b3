// The form of multi-step checks.
import type { CheckForm } from '../../form.ts';
import { fileFields, scriptFields, stepSnippet, storedField } from '../../parts/form.ts';

const script = `import { test, expect } from '@playwright/test';

test('cart', async ({ request }) => {
  const response = await request.get('https://shop.example/cart');
  expect(response.status()).toBe(200);
});`;

const signIn = `import { test, expect } from '@playwright/test';

test('orders', async ({ request }) => {
  const signedIn = await request.post('https://shop.example/api/sign-in', {
    // Store the password in a secret variable and read it from the environment here.
    data: { email: 'probe@shop.example', password: '…' },
  });
  expect(signedIn.ok()).toBeTruthy();
  const { token } = await signedIn.json();
  const orders = await request.get('https://shop.example/api/orders', {
    headers: { authorization: 'Bearer ' + token },
  });
  expect(orders.status()).toBe(200);
});`;

const snippets = [
  { label: 'One request (whole script)', code: script, isWhole: true },
  { label: 'Sign in, then request (whole script)', code: signIn, isWhole: true },
  stepSnippet,
  {
    label: 'Request with JSON',
    code: "const response = await request.post('https://shop.example/api/cart', { data: { article: 7 } });\n",
  },
  { label: 'Expect a field', code: 'expect((await response.json()).total).toBeGreaterThan(0);\n' },
] as const;

export const multiStepForm: CheckForm = {
  type: 'MULTI_STEP',
  label: 'Multi-step',
  about: 'runs a script with several requests',
  hasInterval: true,
  shortestInterval: 60,
  start: { script },
  target: [],
  sections: [
    { title: 'Script', fields: scriptFields({ placeholder: script, snippets }) },
    { title: 'Files', fields: fileFields },
    { title: 'Trace', fields: [storedField('trace', 'Trace', 'on-failure')] },
  ],
};
