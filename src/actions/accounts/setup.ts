// Creates the first account and the first user of an installation, from a one-time link or the configuration.
import type { Store } from '#store/store.ts';
import type { User } from '#domain/accounts/user.ts';
import type { Clock } from '#lib/clock.ts';
import { newId } from '#lib/id.ts';
import { invalidField, notFoundMessage, Refusal } from '../refusal.ts';
import { badPassword, type Passwords, requireGoodPassword } from './passwords.ts';
import { isTokenText, newToken, tokenHash, isKeyText, keyPrefix, newKeyText } from './key-text.ts';
import type { Account } from '#domain/accounts/account.ts';
import type { ApiKey } from '#domain/accounts/api-key.ts';

type NewUser = User & { readonly passwordHash: string };

export interface SetupDeps extends Pick<Store, 'users' | 'setupLinks' | 'secondFactors'> {
  readonly passwords: Passwords;
  readonly forgetUser: (userId: string) => void;
  readonly clock: Clock;
}

/** Input of the setup page. */
export interface Credentials {
  readonly email: string;
  readonly password: string;
}

export type SetupActions = ReturnType<typeof createSetupActions>;

const brokenLink =
  'This link was used, has expired or is incomplete. Run "tocsin new-user" on the server for a new one.';

export function createSetupActions(deps: SetupDeps) {
  const { users, setupLinks, secondFactors, passwords, forgetUser, clock } = deps;
  return {
    /** Whether the installation has no user yet. */
    isNeeded: (): Promise<boolean> => users.isEmpty(),
    /**
     * Creates an operator with a setup link and returns the user's ID. Refuses (`not-found`) an invalid link. For a
     * person with a second factor it sets the password and refuses (`unauthenticated`) to go on without a code.
     */
    async create(token: string, { email, password }: Credentials): Promise<string> {
      const hash = tokenHash(token);
      if (!isTokenText(token) || !(await setupLinks.isValid(hash))) throw notFoundMessage(brokenLink);
      await requireGoodPassword('password', password, email);
      const user = newOperator(email, await passwords.hash(password), clock.now());
      const id = await setupLinks.use(hash, user);
      if (id === null) throw notFoundMessage(brokenLink);
      forgetUser(id);
      if (await secondFactors.isOn(id)) {
        throw new Refusal(
          'unauthenticated',
          'The password was set. Sign in with it and a code of your authenticator app.',
        );
      }
      return id;
    },
  };
}

/**
 * Ensures that a first user can exist: creates the configured user, or a setup link.
 * @returns the token of a new link; null = there is a user
 */
export async function ensureFirstUser(
  { users, setupLinks, passwords, clock }: Pick<SetupDeps, 'users' | 'setupLinks' | 'passwords' | 'clock'>,
  configured: Credentials | null,
): Promise<string | null> {
  if (!(await users.isEmpty())) return null;
  if (configured !== null) {
    const problem = await badPassword(configured.password, configured.email);
    if (problem !== null) throw invalidField('TOCSIN_BOOTSTRAP_PASSWORD', problem);
    await users.addFirst(newOperator(configured.email, await passwords.hash(configured.password), clock.now()));
    return null;
  }
  const token = newToken();
  await setupLinks.add(tokenHash(token), true);
  return token;
}

/** URL of the page for a setup link. */
export function setupUrl(publicUrl: string, token: string): string {
  return `${publicUrl}/setup#${token}`;
}

function newOperator(email: string, passwordHash: string, now: number): NewUser {
  const operator = { isProven: true, isOperator: true, hasSecondFactor: false, lastSignInAt: null };
  return { ...operator, id: newId(), email, passwordHash, createdAt: now };
}

interface FirstAccountDeps extends Pick<Store, 'apiKeys'> {
  readonly clock: Clock;
}

/** Values that the operator chose; random if absent. */
export interface FirstAccountOptions {
  readonly key?: string;
  readonly accountId?: string;
}

/**
 * Creates the account "Default" and the operator's key. Returns the key, which is not stored; null = there is an
 * account already, and nothing was changed. Throws if the key has an invalid format.
 */
export async function ensureFirstAccount(
  { apiKeys, clock }: FirstAccountDeps,
  requested: FirstAccountOptions = {},
): Promise<{ readonly accountId: string; readonly key: string } | null> {
  const text = requested.key ?? newKeyText();
  if (!isKeyText(text)) throw new Error('the first API key must be tsn_ and 32 to 128 of A-Z a-z 0-9 _ -');
  const now = clock.now();
  const accountId = (requested.accountId ?? newId()).toLowerCase();
  const account: Account = {
    id: accountId,
    name: 'Default',
    runtimeId: null,
    settings: null,
    alertSettings: null,
    executionLimit: null,
    limits: null,
    timeZone: null,
    requiresSecondFactor: false,
    createdAt: now,
  };
  const key: ApiKey = {
    id: newId(),
    name: 'First key',
    prefix: keyPrefix(text),
    role: 'operator',
    accountIds: [accountId],
    createdAt: now,
    lastUsedAt: null,
    expiresAt: null,
  };
  const isMade = await apiKeys.addFirst(account, key, tokenHash(text));
  return isMade ? { accountId, key: text } : null;
}
