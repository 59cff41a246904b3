// The folder of files that run inside the sandbox. The build creates it and bundles one of them with a package.
import { join } from 'node:path';
import { packageFolder } from '../lib/package-files.ts';

/** The folder of files that run inside the sandbox. */
export const insideFolder = join(packageFolder, 'dist', 'inside');
