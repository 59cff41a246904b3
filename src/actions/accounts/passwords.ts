// Password hashing with argon2id, off the event loop, with bounded concurrency because each hash takes 19 MiB.
import { type Argon2Parameters, argon2 as argon2WithCallback, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { normalPassword, passwordProblem } from '#domain/accounts/password.ts';
import { isCommonPassword } from '#lib/common-passwords.ts';
import { createLanes } from '#lib/lanes.ts';
import { invalidInput } from '../refusal.ts';
import { tooMany } from './hashing-turns.ts';

/** Hashes and verifies passwords. Every method refuses (`unavailable`) if too many calls are waiting. */
export interface Passwords {
  /**
   * The hash in the PHC format, with its parameters.
   * @param known users with the same email address: with their salt, one calculation checks all of them
   */
  hash(password: string, known?: readonly Hashed[]): Promise<string>;
  /** The first of these users whose password this is; null = none. Takes equally long if none has a password. */
  userWith<User extends Hashed>(password: string, known: readonly User[]): Promise<User | null>;
  /** Whether the password matches the hash. */
  matches(password: string, hash: string | null): Promise<boolean>;
  /** Whether a hash was made with weaker parameters than the current ones. */
  isOutdated(hash: string | null): boolean;
}

interface Hashed {
  /** null = the user has no password. */
  readonly passwordHash: string | null;
}

/** How many hashes run concurrently, and how many more may wait. */
export interface PasswordBounds {
  readonly atOnce: number;
  readonly waitingMax: number;
}

const argon2 = promisify(argon2WithCallback);

/** Parameters that OWASP recommends for argon2id. */
const current = { memory: 19_456, passes: 2, parallelism: 1 } as const;
const tagLength = 32;
const prefix = formatPrefix(current);

/** Creates the hasher. The default bounds use at most 40 MiB. */
export function createPasswords({ atOnce, waitingMax }: PasswordBounds = { atOnce: 2, waitingMax: 30 }): Passwords {
  const lanes = createLanes(atOnce);
  const run = async (password: string, nonce: Buffer, parameters: Cost): Promise<Buffer> => {
    if (lanes.waiting >= waitingMax) throw tooMany();
    const leave = await lanes.enter();
    try {
      const message = Buffer.from(normalPassword(password));
      return await argon2('argon2id', { ...parameters, message, nonce, tagLength } satisfies Argon2Parameters);
    } finally {
      leave();
    }
  };
  const isOutdated = (stored: string | null): boolean => stored?.startsWith(`${prefix}$`) !== true;
  const userWith: Passwords['userWith'] = async (password, known) => {
    const tags = new Map<string, Buffer>();
    for (const user of known) {
      if (user.passwordHash === null) continue;
      const { salt, cost, nonce, tag } = parseStored(user.passwordHash);
      const own = tags.get(salt) ?? (await run(password, nonce, cost));
      tags.set(salt, own);
      if (timingSafeEqual(own, tag)) return user;
    }
    if (tags.size === 0) await run(password, randomBytes(16), current);
    return null;
  };
  return {
    async hash(password, known = []) {
      const like = known.find(({ passwordHash }) => !isOutdated(passwordHash))?.passwordHash ?? null;
      const nonce = like === null ? randomBytes(16) : parseStored(like).nonce;
      return `${prefix}$${base64(nonce)}$${base64(await run(password, nonce, current))}`;
    },
    userWith,
    matches: async (password, passwordHash) => (await userWith(password, [{ passwordHash }])) !== null,
    isOutdated,
  };
}

/** Refuses (`invalid`) a password that is too short, too long or common. */
export async function requireGoodPassword(field: string, password: string, email: string): Promise<void> {
  const problem = await badPassword(password, email);
  if (problem !== null) throw invalidInput(field, `The password ${problem}.`);
}

/** Why a password is rejected, completing the phrase "password …"; null = accepted. */
export async function badPassword(password: string, email: string): Promise<string | null> {
  return passwordProblem(password, email, await isCommonPassword(password));
}

type Cost = Pick<Argon2Parameters, 'memory' | 'passes' | 'parallelism'>;

function formatPrefix({ memory, passes, parallelism }: Cost): string {
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}`;
}

function parseStored(stored: string) {
  const match = /^(\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+))\$([\w+/]+)$/.exec(stored);
  if (match === null) throw new Error('a stored password hash has an unknown format');
  const [, salt = '', memory, passes, parallelism, nonce = '', tag = ''] = match;
  const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
  return { salt, cost, nonce: Buffer.from(nonce, 'base64'), tag: Buffer.from(tag, 'base64') };
}

/** Base64 without padding, as in the PHC format. */
function base64(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '');
}
