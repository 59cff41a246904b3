// Files of scripts that are uploaded apart from their checks.
import { z } from 'zod';
import { maxScriptFileBytes, scriptFileKey } from '#domain/accounts/script-file.ts';
import { tagged, type Untagged } from '../operation.ts';

const scriptFile = z
  .strictObject({ key: z.string().regex(scriptFileKey), bytes: z.int() })
  .meta({ id: 'ScriptFile', description: 'An uploaded file, by the SHA-256 of its content.' });
export type ScriptFileBody = z.output<typeof scriptFile>;

export const scriptFileOperations = tagged('Checks', {
  uploadScriptFile: {
    method: 'POST',
    path: '/v1/script-files',
    summary: 'Upload a file of a script',
    description:
      'The body is the content of a snapshot, in any type. Name the returned key in `snapshots` of a browser or multi-step check. Equal content has the same key. A file that no check uses is deleted after a day.',
    permission: 'write',
    maxBytesBody: maxScriptFileBytes,
    status: 201,
    response: scriptFile,
    alsoAnswers: { 413: 'The file is larger than 4 MB.' },
  },
  getScriptFile: {
    method: 'GET',
    path: '/v1/script-files/{key}',
    summary: 'Download a file of a script',
    permission: 'read',
    params: z.object({ key: z.string().max(100).describe('Key of the file.') }),
    media: 'application/octet-stream',
    alsoAnswers: { 404: 'Unknown file.' },
  },
} as const satisfies Untagged);
