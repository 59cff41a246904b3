// The installation's key, which encrypts stored secrets and signs result links. Configured, or stored in the data
// folder.
import { errorMessage } from '#lib/errors.ts';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, ConfigError } from './config.ts';

const fileName = 'secret.key';
const form = /^[0-9a-f]{64}$/;

/** The 32 bytes of the key. If none is configured, reads it from the data folder, and creates it there once. */
export function readSecretKey({ secretKey, dataDir }: Pick<Config, 'secretKey' | 'dataDir'>): Uint8Array {
  if (secretKey !== null) return Buffer.from(secretKey, 'hex');
  const path = join(dataDir, fileName);
  let text: string;
  try {
    if (!existsSync(path)) writeFileSync(path, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flag: 'wx' });
    text = readFileSync(path, 'utf8').trim();
  } catch (cause) {
    const why = errorMessage(cause);
    throw new ConfigError(
      `TOCSIN_DATA_DIR ${dataDir} cannot be used (${why}); use a folder that this user can read and write`,
    );
  }
  return parseKey(text, path);
}

/**
 * The 32 bytes of an existing key: the configured one, otherwise that of the first folder that has one. Throws
 * ConfigError.
 */
export function findSecretKey({ secretKey }: Pick<Config, 'secretKey'>, folders: readonly string[]): Uint8Array {
  if (secretKey !== null) return Buffer.from(secretKey, 'hex');
  const path = folders.map((folder) => join(folder, fileName)).find((each) => existsSync(each));
  if (path !== undefined) return readKeyFile(path);
  const inspected = [...new Set(folders)].join(' or ');
  throw new ConfigError(
    `no secret key found in ${inspected}: copy secret.key there from the data folder of this database, or set TOCSIN_SECRET_KEY or TOCSIN_SECRET_KEY_FILE`,
  );
}

/** The key in a file. Throws ConfigError. */
export function readKeyFile(path: string): Uint8Array {
  let text: string;
  try {
    text = readFileSync(path, 'utf8').trim();
  } catch (cause) {
    throw new ConfigError(`${path} cannot be read: ${errorMessage(cause)}`);
  }
  return parseKey(text, path);
}

function parseKey(text: string, path: string): Uint8Array {
  if (!form.test(text)) {
    throw new ConfigError(`${path} does not contain a key of 64 hex digits`);
  }
  return Buffer.from(text, 'hex');
}
