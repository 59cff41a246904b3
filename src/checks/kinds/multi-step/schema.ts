// The schema of multi-step checks (reference §4.3).
import type { CheckSchema } from '../../schema.ts';
import {
  assets,
  ignoredOfScripted,
  scriptedFields,
  scriptedFieldsShown,
  scriptedFrequency,
  scriptResult,
  when,
  whenKept,
} from '../../parts/scripted/schema.ts';

export const multiStepSchema = {
  type: 'MULTI_STEP',
  name: 'MultiStep',
  title: 'a multi-step check',
  analyticsPath: 'multistep-checks',
  about: 'Runs a script of requests and assertions.',
  description: 'Runs a script in a runtime: tests of Playwright without a browser, or a plain program.',
  example: {
    name: 'Order',
    frequency: 10,
    script: `import { test, expect } from '@playwright/test';

test('an order is taken', async ({ request }) => {
  const response = await request.post('https://shop.example/orders', { data: { article: 7 } });
  expect(response.status()).toBe(201);
});
`,
  },
  commonFields: { frequency: scriptedFrequency },
  fields: {
    ...scriptedFields,
    trace: when('Whether a trace for the trace viewer is kept, with the requests of a test', 'on-failure'),
  },
  shown: { ...scriptedFieldsShown, trace: whenKept },
  result: { ...scriptResult, assets: assets('Traces') },
  ignored: ignoredOfScripted,
} as const satisfies CheckSchema;
