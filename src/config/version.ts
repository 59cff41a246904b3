import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder } from '#lib/package-files.ts';

/** Tocsin's version, from package.json. */
export const version: string = (
  JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')) as { version: string }
).version;
