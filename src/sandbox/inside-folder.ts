// The files that enclosed scripts run with: not bundled, read by other versions of Node.js too.
import { join } from 'node:path';

/** The folder of the files that run inside. */
export const insideFolder = join(import.meta.dirname, 'inside');
