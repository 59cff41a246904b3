// The folder of files that run inside the sandbox; other versions of Node.js read them, so they are not bundled.
import { join } from 'node:path';

/** The folder of the files that run inside. */
export const insideFolder = join(import.meta.dirname, 'inside');
