// Scripts before and after the run of a check: those of a check and of a group are the same, kept and given back.
import { z } from 'zod';

const snippetId = z.int().min(1).nullable().default(null).describe('Kept and given back, without effect.');
const script = z.string().max(262_144).nullable().default(null);

/** Fields of a check or a group as they are written. */
export const scriptFields = {
  setupSnippetId: snippetId,
  tearDownSnippetId: snippetId,
  localSetupScript: script,
  localTearDownScript: script,
};

/** The same as shown. */
export const scriptFieldsShown = {
  setupSnippetId: z.int().nullable(),
  tearDownSnippetId: z.int().nullable(),
  localSetupScript: z.string().nullable(),
  localTearDownScript: z.string().nullable(),
};
