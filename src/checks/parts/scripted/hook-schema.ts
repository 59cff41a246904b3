// Scripts around the request of a check; checks and groups use the same fields.
import { z } from 'zod';
import { logLine } from './schema.ts';

const snippetId = z.int().min(1).nullable().default(null).describe('Stored and returned. Has no effect.');

/** Maximum characters of one script. */
const maxText = 262_144;

function script(what: string) {
  return z.string().max(maxText, 'must be at most 256 kB').nullable().default(null).describe(what);
}

/** Request fields of a check or group. */
export const scriptFields = {
  setupSnippetId: snippetId,
  tearDownSnippetId: snippetId,
  localSetupScript: script('Runs before the request of an API check, and may change it. JavaScript or TypeScript.'),
  localTearDownScript: script('Runs after the response of an API check and may change it before assertions run.'),
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
          script: z.string().describe('groupSetup, setup, teardown or groupTeardown.'),
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
