// Scripts before and after the request of a check: those of a check and of a group are the same.
import { z } from 'zod';
import { logLine } from './schema.ts';

const snippetId = z.int().min(1).nullable().default(null).describe('Stored and returned. Has no effect.');

/** Characters of one script. */
const mostText = 262_144;

function script(what: string) {
  return z.string().max(mostText, 'must be at most 256 kB').nullable().default(null).describe(what);
}

/** Fields of a check or a group as they are written. */
export const scriptFields = {
  setupSnippetId: snippetId,
  tearDownSnippetId: snippetId,
  localSetupScript: script('Runs before the request of an API check, and may change it. JavaScript or TypeScript.'),
  localTearDownScript: script('Runs after the answer of an API check, and may change it before it is judged.'),
};

/** The same as shown. */
export const scriptFieldsShown = {
  setupSnippetId: z.int().nullable(),
  tearDownSnippetId: z.int().nullable(),
  localSetupScript: z.string().nullable(),
  localTearDownScript: z.string().nullable(),
};

/** What the scripts around a request did. */
export const aroundResult = z
  .strictObject({
    runtimeVersion: z.string().describe('The runtime they ran in.'),
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
      .describe('Those that ran, in their order.'),
  })
  .nullable()
  .describe('null when there are none, or no runtime for them.');

/** What they printed, those of the group among them. */
export const aroundLog = z
  .strictObject({ setup: z.array(logLine), teardown: z.array(logLine) })
  .nullable()
  .describe('null if there are none or only the outcome is stored.');
