// The schema of multi-step checks (reference §4.3).
import type { CheckSchema } from '../../schema.ts';
import { assets, scripted, scriptedFields, scriptResult, when } from '../../parts/scripted/schema.ts';

export const multiStepSchema = {
  type: 'MULTI_STEP',
  name: 'MultiStep',
  title: 'a multi-step check',
  analyticsPath: 'multistep-checks',
  about: 'Runs a script of requests and assertions.',
  description: 'Runs a script: Playwright tests without a browser, or a plain program.',
  example: {
    name: 'Order',
    frequency: 10,
    script: `import { test, expect } from '@playwright/test';

test('an order can be placed', async ({ request }) => {
  const response = await request.post('https://shop.example/orders', { data: { article: 7 } });
  expect(response.status()).toBe(201);
});
`,
  },
  ...scripted,
  fields: {
    ...scriptedFields,
    trace: when('Whether to store a trace with the requests of a test, for the Playwright trace viewer', 'on-failure'),
  },
  result: { ...scriptResult, assets: assets('Traces') },
} as const satisfies CheckSchema;
