// The schema of browser checks (reference §4.3).
import { z } from 'zod';
import type { CheckSchema } from '../../schema.ts';
import { certificateDomain, inFull } from '../../parts/schema.ts';
import { assets, pageLine, scripted, scriptedFields, scriptResult, when } from '../../parts/scripted/schema.ts';

export const browserSchema = {
  type: 'BROWSER',
  name: 'Browser',
  title: 'a browser check',
  analyticsPath: 'browser-checks',
  about: 'Runs a script that drives a browser.',
  description: 'Runs a script that drives Chromium: Playwright tests or a plain program.',
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
  ...scripted,
  fields: {
    ...scriptedFields,
    sslCheckDomain: certificateDomain.describe(
      'Host whose certificate expiry is reported, e.g. `shop.example:8443`. Default: none.',
    ),
    screenshots: when('Whether to take a screenshot of each page at the end of a test', 'on-failure'),
    trace: when('Whether to store a trace for the Playwright trace viewer', 'on-failure'),
    video: when('Whether to store a video of each page', 'off'),
  },
  result: {
    ...scriptResult,
    webVitals: z
      .array(z.strictObject({ url: z.string(), vitals: z.record(z.string(), z.number()) }))
      .describe('Per page: TTFB, FCP and LCP in ms, CLS without a unit.'),
    console: z.array(pageLine).nullable().describe(`Console output of the pages; ${inFull}`),
    pageErrors: z.array(pageLine).nullable().describe(`Uncaught errors of the pages; ${inFull}`),
    assets: assets('Screenshots, traces and videos'),
  },
} as const satisfies CheckSchema;
