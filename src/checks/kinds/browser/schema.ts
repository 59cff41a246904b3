// The schema of browser checks (reference §4.3).
import { z } from 'zod';
import type { CheckSchema } from '../../schema.ts';
import { certificateDomain, inFull } from '../../parts/schema.ts';
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

const consoleLine = z.strictObject({
  time: z.number().describe('Unix ms.'),
  level: z.string(),
  msg: z.string(),
  url: z.string(),
});

export const browserSchema = {
  type: 'BROWSER',
  name: 'Browser',
  title: 'a browser check',
  analyticsPath: 'browser-checks',
  about: 'Runs a script that drives a browser.',
  description: 'Runs a script that drives a Chromium: tests of Playwright, or a plain program.',
  example: {
    name: 'Front page',
    frequency: 10,
    script: `import { test, expect } from '@playwright/test';

test('the shop is open', async ({ page }) => {
  await page.goto('https://shop.example/');
  await expect(page.getByRole('heading', { name: 'Shop' })).toBeVisible();
});
`,
  },
  commonFields: { frequency: scriptedFrequency },
  fields: {
    ...scriptedFields,
    sslCheckDomain: certificateDomain.describe(
      'Host whose certificate expiry is reported, e.g. `shop.example:8443`. Default: none.',
    ),
    screenshots: when('Whether a picture of each page is taken at the end of a test', 'on-failure'),
    trace: when('Whether a trace for the trace viewer is kept', 'on-failure'),
    video: when('Whether a video of each page is kept', 'off'),
  },
  shown: {
    ...scriptedFieldsShown,
    sslCheckDomain: z.string().nullable(),
    screenshots: whenKept,
    trace: whenKept,
    video: whenKept,
  },
  result: {
    ...scriptResult,
    webVitals: z
      .array(z.strictObject({ url: z.string(), vitals: z.record(z.string(), z.number()) }))
      .describe('By page: TTFB, FCP and LCP in ms, CLS without a unit.'),
    console: z.array(consoleLine).nullable().describe(`What pages wrote to their console; ${inFull}`),
    pageErrors: z.array(consoleLine).nullable().describe(`Uncaught errors of the pages; ${inFull}`),
    assets: assets('Screenshots, traces and videos'),
  },
  ignored: ignoredOfScripted,
} as const satisfies CheckSchema;
