// The form of multi-step checks.
import type { CheckForm } from '../../form.ts';
import { scriptFields } from '../../parts/scripted/form.ts';

const script = `import { test, expect } from '@playwright/test';

test('cart', async ({ request }) => {
  const response = await request.get('https://shop.example/cart');
  expect(response.status()).toBe(200);
});`;

export const multiStepForm: CheckForm = {
  type: 'MULTI_STEP',
  label: 'Multi-step',
  about: 'runs a script with several requests',
  hasInterval: true,
  shortestInterval: 60,
  start: { script },
  target: [],
  sections: [{ title: 'Script', fields: scriptFields(script) }],
};
