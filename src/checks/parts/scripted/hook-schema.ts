// Scripts around the request of a check; checks and groups use the same fields.
import { z } from 'zod';
import { orNull } from '#lib/schema/fields.ts';
import { logLine } from './schema.ts';

/** Clients send 0 for none. */
function snippetId(what: string) {
  return orNull(z.int().min(0), () => 0)
    .transform((id) => (id === 0 ? null : id))
    .default(null)
    .describe(`ID of a snippet that runs ${what}; null or 0 = none.`);
}

/** Maximum characters of one script. */
const maxText = 262_144;

function script(what: string) {
  return z.string().max(maxText, 'must be at most 256 kB').nullable().default(null).describe(what);
}

/** Request fields of a check or group. */
export const scriptFields = {
  setupSnippetId: snippetId('before the setup script'),
  tearDownSnippetId: snippetId('after the teardown script'),
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
