// Uploads of the `checkly` command line.
import { z } from 'zod';
import { tagged, type Untagged } from '../operation.ts';
import { scriptFileOperations } from '../checks/script-file.ts';

const { uploadScriptFile, getScriptFile } = scriptFileOperations;

export const cliStorageOperations = tagged('Checks', {
  uploadCliSnapshot: { ...uploadScriptFile, path: '/next/checkly-storage/upload', isPrivate: true },
  downloadCliSnapshot: {
    method: 'POST',
    path: '/next/checkly-storage/download',
    summary: getScriptFile.summary,
    permission: getScriptFile.permission,
    body: z.strictObject({ key: z.string().max(100) }),
    media: getScriptFile.media,
    alsoAnswers: getScriptFile.alsoAnswers,
    isPrivate: true,
  },
} as const satisfies Untagged);
