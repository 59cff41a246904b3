// Schemas shared by checks that run a script, and of their results (reference §4.3: BROWSER, MULTI_STEP).
import { z } from 'zod';
import { orNull } from '#lib/schema/fields.ts';
import { frequency } from '../../schema.ts';

/** Characters of one file: a script is read, shown and sent as one piece. */
const mostText = 524_288;

const file = z.strictObject({
  path: z.string().min(1).max(1000).describe('Where it lies, from where scriptPath begins.'),
  content: z.string().max(mostText, 'must be at most 512 kB'),
});

/** As they are written. */
export const scriptedFields = {
  script: z
    .string()
    .min(1)
    .max(mostText, 'must be at most 512 kB')
    .describe('The program: tests of Playwright, or one that fails by throwing.'),
  scriptPath: z
    .string()
    .max(1000)
    .nullable()
    .default(null)
    .describe(
      'Where the script lies, as its imports see it; its ending says what it is written in. null = check.spec.ts.',
    ),
  dependencies: orNull(z.array(file).max(200), () => [])
    .default([])
    .describe('Files that the script imports; at most 1 MB together with it.'),
};

/** How often a script may run. */
export const scriptedFrequency = frequency.refine(
  (minutes) => minutes !== 0,
  'must be at least 1: a script runs at most once per minute',
);

/** Of a check with scripts. */
export const runtimeWarning = z
  .string()
  .nullable()
  .exactOptional()
  .describe(
    'For checks with scripts: a warning if the runtime is deprecated, about to be removed, or removed. null = none.',
  );

/** As they are shown. */
export const scriptedFieldsShown = {
  script: z.string(),
  scriptPath: z.string().nullable(),
  dependencies: z.array(z.strictObject({ path: z.string(), content: z.string() })),
  runtimeWarning,
};

/** What clients send with checks of other kinds. */
export const ignoredOfScripted = [
  'setupSnippetId',
  'tearDownSnippetId',
  'localSetupScript',
  'localTearDownScript',
  'degradedResponseTime',
  'maxResponseTime',
];

/** For what runs leave. */
export const whenKept = z.enum(['off', 'on-failure', 'always']);
export const when = (what: string, first: z.output<typeof whenKept>) =>
  whenKept.default(first).describe(`${what}: never, of runs that fail, or of every run.`);

const place = { file: z.string().nullable(), line: z.int().nullable(), column: z.int().nullable() };

/** What a script printed at once. */
export const logLine = z.strictObject({
  time: z.number().describe('Unix ms.'),
  level: z.enum(['INFO', 'ERROR']),
  msg: z.string(),
});

/** What a run of a script came to. */
export const scriptResult = {
  runtimeVersion: z.string().nullable().describe('The runtime it ran in; null = none.'),
  nodeJsVersion: z.string().nullable(),
  warnings: z
    .array(z.string())
    .describe(
      'Warnings about the runtime (deprecated, about to be removed, replaced) and about data that was not stored.',
    ),
  startTime: z.number().nullable().describe('Unix ms.'),
  endTime: z.number().nullable().describe('Unix ms.'),
  tests: z.int().describe('Tests that ran.'),
  failedTests: z.int(),
  errors: z.array(z.strictObject({ message: z.string(), ...place })),
  steps: z
    .array(
      z.strictObject({
        title: z.string(),
        category: z
          .string()
          .describe('test, test.step, expect, pw:api, or request: a request that a plain program makes.'),
        startMs: z.number().describe('ms after the start.'),
        durationMs: z.number(),
        error: z.string().nullable(),
        ...place,
      }),
    )
    .nullable()
    .describe('In the order in which they finished. null if only the outcome is stored.'),
  jobLog: z.array(logLine).nullable().describe('Its output. null if only the outcome is stored.'),
};

export const resultAsset = z
  .strictObject({
    number: z.int(),
    sort: z.enum(['screenshot', 'trace', 'video']),
    name: z.string(),
    contentType: z.enum(['image/png', 'image/jpeg', 'application/zip', 'video/webm']),
    bytes: z.int(),
    link: z.string().describe('Where to download it: a path of this API.'),
  })
  .meta({ id: 'ResultAsset', description: 'A file that a run of a script left.' });

/** The files that a run left. */
export const assets = (what: string) =>
  z
    .array(resultAsset)
    .describe(`${what} that are kept; of runs that pass as the one before only those of the newest are.`);
