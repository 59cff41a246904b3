// Actions on forgotten passwords: a one-time link, sent by email, sets another one.
import type { Store } from '#store/store.ts';
import { resettableOf } from '#domain/accounts/user.ts';
import { notFoundMessage, Refusal } from '../refusal.ts';
import { type Passwords, requireGoodPassword } from './passwords.ts';
import { isTokenText, newToken, tokenHash } from './key-text.ts';

/** Sends the link to the address. Rejects if the mail server does not take it. */
export type SendPasswordReset = (reset: {
  readonly email: string;
  /** An account of the person. */
  readonly accountId: string;
  readonly url: string;
  /** Epoch ms. */
  readonly expiresAt: number;
}) => Promise<void>;

export interface PasswordResetDeps extends Pick<Store, 'users' | 'passwordResets'> {
  readonly passwords: Passwords;
  /** null = email is not set up. */
  readonly mailReset: SendPasswordReset | null;
  readonly publicUrl: () => string;
  readonly forgetUser: (userId: string) => void;
}

export type PasswordResetActions = ReturnType<typeof createPasswordResetActions>;

/** How many links are sent at once. */
const sendingMax = 20;

export function createPasswordResetActions(deps: PasswordResetDeps) {
  const { users, passwordResets, passwords, mailReset, publicUrl, forgetUser } = deps;
  let sending = 0;
  const send = async (mail: SendPasswordReset, email: string): Promise<void> => {
    // Others sign in with the identity provider alone, unless an operator prints a link.
    const user = resettableOf((await users.withEmail(email)).filter(({ passwordHash }) => passwordHash !== null));
    const [membership] = user === null ? [] : await users.memberships(user.id);
    if (user === null || membership === undefined) return;
    const token = newToken();
    const expiresAt = await passwordResets.add(user.id, tokenHash(token));
    const { accountId } = membership;
    await mail({ email, accountId, expiresAt, url: passwordResetUrl(publicUrl(), token) });
  };
  return {
    /** Whether links are sent by email. */
    isMailed: mailReset !== null,
    /**
     * Sends a link to the person with the email address, if there is one. Returns before it looks, so that neither the
     * answer nor its time tells. Refuses (`conflict`) if email is not set up, and (`unavailable`) if too many are being sent.
     */
    request(email: string): void {
      if (mailReset === null) throw new Refusal('conflict', 'Email is not set up. Ask the operator for a link.');
      if (sending >= sendingMax) {
        throw new Refusal('unavailable', 'Too many links are being sent. Try again in a few seconds.', {
          retryAfterSeconds: 5,
        });
      }
      sending++;
      // The sender and the store log their own errors.
      void send(mailReset, email)
        .catch(() => undefined)
        .finally(() => sending--);
    },
    /** Sets the password and ends all sessions. Refuses (`not-found`) an invalid link. */
    async use(token: string, password: string): Promise<void> {
      const hash = tokenHash(token);
      const user = isTokenText(token) ? await passwordResets.find(hash) : null;
      if (user === null) throw broken();
      await requireGoodPassword('password', password, user.email);
      const known = await users.withEmail(user.email);
      if (!(await passwordResets.use(hash, await passwords.hash(password, known)))) throw broken();
      forgetUser(user.id);
    },
  };
}

/** URL of the page for a link. */
export function passwordResetUrl(publicUrl: string, token: string): string {
  return `${publicUrl}/reset-password#${token}`;
}

function broken(): Refusal {
  return notFoundMessage('This link was used, replaced by another one, or has expired. Request another one.');
}
