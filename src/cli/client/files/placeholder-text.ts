// What commands that write resources as files need: the schema of files, and how placeholders are listed.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Export } from '#files/export.ts';
import type { FileSchema } from '#files/from-api.ts';
import { packageFolder } from '#lib/package-files.ts';
import { oneLine } from '../../terminal-text.ts';

/** The schema of resource files that the package contains. */
export function readSchema(): FileSchema {
  return JSON.parse(readFileSync(join(packageFolder, 'docs/schema.json'), 'utf8')) as FileSchema;
}

/** A line for each placeholder, each after a line feed: its variable, and where it is used. */
export function placeholderLines(placeholders: Export['placeholders']): string {
  return placeholders.map(({ name, used }) => `\n  ${name}  ${oneLine(used)}`).join('');
}
