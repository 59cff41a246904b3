// Profiles of `tocsin login`: a file that only its owner can read.
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { errorMessage } from '#lib/errors.ts';
import { commandName } from '#lib/package-files.ts';
import { CommandError } from '../exits.ts';

/** Name of the profile that commands use by default. */
export const defaultProfile = 'default';

const profile = z.strictObject({
  /** Base URL of the server, without a trailing slash. */
  url: z.string(),
  /** API key. A secret. */
  key: z.string(),
  /** Absent = the default account of the key. */
  accountId: z.string().exactOptional(),
});
export type Profile = z.output<typeof profile>;

const profilesFile = z.strictObject({ profiles: z.record(z.string(), profile) });

/** Profiles by name. */
export type Profiles = Readonly<Record<string, Profile>>;

/**
 * Reads the profiles; none if the file does not exist.
 * @throws {CommandError} if other users can read the file, or if it is not a file of profiles
 */
export function readProfiles(path: string): Profiles {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode;
  if (mode === undefined) return {};
  // Windows has no such modes: the folder of the user protects the file.
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    throw new CommandError(`other users can read the API keys in ${path}: run chmod 600 ${path}`);
  }
  try {
    return profilesFile.parse(JSON.parse(readFileSync(path, 'utf8'))).profiles;
  } catch (error) {
    // Messages about JSON and fields could quote keys.
    const why =
      error instanceof SyntaxError || error instanceof z.ZodError ? 'unexpected content' : errorMessage(error);
    throw new CommandError(`${path} cannot be read (${why}): delete it and run ${commandName} login again`);
  }
}

/** Replaces the profiles as a whole, readable for this user only. @throws {CommandError} if they cannot be written */
export function writeProfiles(path: string, profiles: Profiles): void {
  const part = `${path}.${process.pid}`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(part, `${JSON.stringify({ profiles }, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
    chmodSync(part, 0o600);
    renameSync(part, path);
  } catch (error) {
    rmSync(part, { force: true });
    throw new CommandError(`cannot write ${path}: ${errorMessage(error)}`);
  }
}
