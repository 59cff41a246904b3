// Schemas of checks that run a script or have scripts around a request, and of their results (reference §4.3).
import { z } from 'zod';
import { scriptFileKey } from '#domain/accounts/script-file.ts';
import { orNull } from '#lib/schema/fields.ts';
import { frequency } from '../../schema.ts';

/** Maximum characters of one file, which is read, shown and sent as one piece. */
const maxText = 524_288;

/** Maximum snapshots of a check. */
const mostSnapshots = 100;

const path = z.string().min(1).max(1000).describe('Path of the file, relative to the same folder as scriptPath.');
const file = z.strictObject({
  path,
  content: z.string().max(maxText, 'must be at most 512 kB'),
});

const storedKey = z
  .string()
  .regex(scriptFileKey, 'must be a key that POST /v1/script-files returned')
  .describe('Key of the uploaded content.');

export const scriptedFields = {
  script: z
    .string()
    .min(1)
    .max(maxText, 'must be at most 512 kB')
    .describe('Playwright tests, or a program that fails by throwing an error.'),
  scriptPath: z
    .string()
    .max(1000)
    .nullable()
    .default(null)
    .describe(
      'Path of the script, from which its imports resolve. The extension determines the language. null = check.spec.ts.',
    ),
  dependencies: orNull(z.array(file).max(200), () => [])
    .default([])
    .describe('Files that the script imports. Maximum 1 MB including the script.'),
  snapshots: orNull(z.array(z.strictObject({ path, key: storedKey })).max(mostSnapshots), () => [])
    .default([])
    .describe(
      'Snapshots for toHaveScreenshot() and toMatchSnapshot(), uploaded with POST /v1/script-files. Maximum 20 MB.',
    ),
};

export const runtimeWarning = z
  .string()
  .nullable()
  .exactOptional()
  .describe(
    'For checks with scripts: a warning if the runtime is deprecated, about to be removed, or removed. null = none.',
  );

/** What all kinds with a script have in common. */
export const scripted = {
  commonFields: {
    frequency: frequency.refine(
      (minutes) => minutes !== 0,
      'must be at least 1: a script runs at most once per minute',
    ),
  },
  shown: { runtimeWarning },
  ignored: [
    'setupSnippetId',
    'tearDownSnippetId',
    'localSetupScript',
    'localTearDownScript',
    'degradedResponseTime',
    'maxResponseTime',
  ],
};

/** When to store files of runs. */
const keepWhen = z.enum(['off', 'on-failure', 'always']);
export const when = (what: string, first: z.output<typeof keepWhen>) =>
  keepWhen.default(first).describe(`${what}: never, for failed runs, or for every run.`);

const place = { file: z.string().nullable(), line: z.int().nullable(), column: z.int().nullable() };

/** A piece of script output. */
export const logLine = z.strictObject({
  time: z.number().describe('Unix ms.'),
  level: z.enum(['INFO', 'ERROR']),
  msg: z.string(),
});

/** A console message or error of a page. */
export const pageLine = z.strictObject({
  time: z.number().describe('Unix ms.'),
  level: z.string(),
  msg: z.string(),
  url: z.string(),
});

const scriptStep = z.strictObject({
  title: z.string(),
  category: z.string().describe('test, test.step, expect, pw:api, or request (an HTTP request of a plain program).'),
  startMs: z.number().describe('In ms after the start.'),
  durationMs: z.number(),
  error: z.string().nullable(),
  ...place,
});

/** What a script reports while it runs. */
export const scriptProgress = {
  openStep: z.string().nullable().describe('The current step, if it takes more than half a second.'),
  steps: z.array(scriptStep).describe('In order of completion.'),
  jobLog: z.array(logLine).describe('Its output.'),
  pageLines: z.array(pageLine).describe('Console output and errors of its pages; errors have the level `error`.'),
  isCut: z.boolean().describe('Whether there is more, which the result contains.'),
};

export const scriptResult = {
  runtimeVersion: z.string().nullable().describe('Runtime of the script. null = none.'),
  nodeJsVersion: z.string().nullable(),
  warnings: z
    .array(z.string())
    .describe(
      'Warnings about the runtime (deprecated, about to be removed, replaced) and about data that was not stored.',
    ),
  startTime: z.number().nullable().describe('Unix ms.'),
  endTime: z.number().nullable().describe('Unix ms.'),
  tests: z.int().describe('Number of tests that ran.'),
  failedTests: z.int(),
  errors: z.array(z.strictObject({ message: z.string(), ...place })),
  steps: z.array(scriptStep).nullable().describe('In order of completion. null if only the outcome is stored.'),
  jobLog: z.array(logLine).nullable().describe('Its output. null if only the outcome is stored.'),
};

export const resultAsset = z
  .strictObject({
    number: z.int(),
    sort: z.enum(['screenshot', 'trace', 'video']),
    name: z.string(),
    contentType: z.enum(['image/png', 'image/jpeg', 'application/zip', 'video/webm']),
    bytes: z.int(),
    link: z.string().describe('API path for the download.'),
  })
  .meta({ id: 'ResultAsset', description: 'A file produced by a script run.' });

/** Files of a run. */
export const assets = (what: string) =>
  z
    .array(resultAsset)
    .describe(`Stored ${what.toLowerCase()}. For consecutive passed runs, only those of the latest run are stored.`);

/** Clients send 0 for none. */
function snippetId(what: string) {
  return orNull(z.int().min(0), () => 0)
    .transform((id) => (id === 0 ? null : id))
    .default(null)
    .describe(`ID of a snippet that runs ${what}; null or 0 = none.`);
}

/** Maximum characters of one script. */
const maxScriptText = 262_144;

function scriptText(what: string) {
  return z.string().max(maxScriptText, 'must be at most 256 kB').nullable().default(null).describe(what);
}

/** Request fields of a check or group. */
export const scriptFields = {
  setupSnippetId: snippetId('before the setup script'),
  tearDownSnippetId: snippetId('after the teardown script'),
  localSetupScript: scriptText('Runs before the request of an API check, and may change it. JavaScript or TypeScript.'),
  localTearDownScript: scriptText('Runs after the response of an API check and may change it before assertions run.'),
};

/** Result of the scripts around a request. */
export const hookResult = z
  .strictObject({
    runtimeVersion: z.string().describe('Runtime of the scripts.'),
    nodeJsVersion: z.string(),
    warnings: z
      .array(z.string())
      .describe('Warning about the runtime: deprecated, about to be removed, or replaced by another.'),
    runs: z
      .array(
        z.strictObject({
          script: z
            .string()
            .describe('groupSetup, setup, teardown or groupTeardown; of a snippet the same with Snippet at the end.'),
          durationMs: z.number(),
        }),
      )
      .describe('Scripts that ran, in order.'),
  })
  .nullable()
  .describe('null if there are none or no runtime was available.');

/** Their output, including that of group scripts. */
export const hookLog = z
  .strictObject({ setup: z.array(logLine), teardown: z.array(logLine) })
  .nullable()
  .describe('null if there are none or only the outcome is stored.');
