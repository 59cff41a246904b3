// The variables of the folder of resource files that the service applies.
import { resolve } from 'node:path';
import { isUuid } from '#lib/id.ts';
import type { ConfigVariable } from './config-variable.ts';

/** Prefix of the variables that files of the folder may use. */
export const fileVariablePrefix = 'TOCSIN_FILE_';

/** A folder of resource files. */
export interface ConfigFolder {
  readonly path: string;
  /** Values that its files may use, by the name of the variable. */
  readonly variables: Readonly<Record<string, string>>;
}

/** Variables of the folder. */
export const folderVariables = {
  TOCSIN_CONFIG_FOLDER: {
    fallback: 'none',
    meaning:
      'Folder with [resource files](files.md#a-folder-that-the-service-applies) that the service applies at start and when they change. They can use variables that begin with `TOCSIN_FILE_`, as `${env:TOCSIN_FILE_NAME}`.',
    right: 'the path of a folder, without control characters',
    read: (text) => (/\p{Cc}/u.test(text) ? undefined : text),
  } satisfies ConfigVariable<string>,
  TOCSIN_CONFIG_ACCOUNT: {
    fallback: 'the only account',
    meaning: 'ID of the account that `TOCSIN_CONFIG_FOLDER` is applied to.',
    right: 'the ID of an account, a UUID',
    read: (text) => (isUuid(text) ? text.toLowerCase() : undefined),
  } satisfies ConfigVariable<string>,
};

/** The folder of a path, with the variables that its files may use. */
export function configFolder(
  folder: string | null,
  env: Readonly<Record<string, string | undefined>>,
): ConfigFolder | null {
  if (folder === null) return null;
  const variables = Object.entries(env).filter(([name]) => name.startsWith(fileVariablePrefix));
  const given = variables.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  return { path: resolve(folder), variables: Object.fromEntries(given) };
}
