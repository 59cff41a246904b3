// Access to status pages that are not public: by link, or by password and then a cookie of the page.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { type StatusPage, pageRoot } from '#domain/status-pages/status-page.ts';
import { createPasswords } from '../accounts/passwords.ts';

/** A page as access depends on it. */
export type GuardedPage = Pick<StatusPage, 'accountId' | 'passwordHash'> & { readonly pageId: string };

/** A page as its link depends on it: another address of the page gives it another link. */
export type LinkedPage = Pick<StatusPage, 'accountId' | 'url'> & { readonly pageId: string };

/** Where a cookie is sent. */
export interface CookiePlace {
  /** Path of the page. */
  readonly path: string;
  readonly isSecure: boolean;
}

/** Opens pages. Times are epoch ms. */
export type PageAccess = ReturnType<typeof createPageAccess>;

const unlockedMs = 43_200_000;
const cookieName = 'tocsin_page';

/** @param secret the installation's key; the signing keys are derived from it */
export function createPageAccess(secret: Uint8Array) {
  // Passwords of pages wait for each other, not for people who sign in.
  const passwords = createPasswords({ atOnce: 1, waitingMax: 30 });
  const key = createHmac('sha256', secret).update('status-page-access').digest();
  const macOf = (...parts: readonly string[]): string =>
    createHmac('sha256', key).update(JSON.stringify(parts)).digest('base64url').slice(0, 32);
  const linkToken = ({ accountId, pageId, url }: LinkedPage): string => macOf('link', accountId, pageId, url);
  const proofOf = ({ accountId, pageId, passwordHash }: GuardedPage, until: string): string =>
    macOf('cookie', accountId, pageId, passwordHash ?? '', until);
  return {
    /** Token of the link of a page, valid until the page has another address. */
    linkToken,
    opensLink: (page: LinkedPage, token: string): boolean => isSame(token, linkToken(page)),
    /** The hash of a password. Refuses (`unavailable`) if too many passwords are being hashed. */
    hash: (password: string): Promise<string> => passwords.hash(password),
    /** Refuses like `hash`. */
    isPassword: (page: GuardedPage, password: string): Promise<boolean> =>
      passwords.matches(password, page.passwordHash),
    /** The `set-cookie` header that unlocks a page for 12 hours, or until its password changes. */
    unlock(page: GuardedPage, { path, isSecure }: CookiePlace, now: number): string {
      const until = String(Math.floor((now + unlockedMs) / 1000));
      const value = `${until}.${proofOf(page, until)}`;
      const secure = isSecure ? '; Secure' : '';
      return `${cookieName}=${value}; Path=${path}; Max-Age=${unlockedMs / 1000}; HttpOnly; SameSite=Lax${secure}`;
    },
    /** Whether the cookies of a request unlock a page. */
    isUnlocked(page: GuardedPage, cookies: string | undefined, now: number): boolean {
      return (cookies ?? '').split(';').some((cookie) => {
        const [name, value = ''] = cookie.trim().split('=', 2);
        const [until = '', proof = ''] = value.split('.', 2);
        return name === cookieName && Number(until) * 1000 > now && isSame(proof, proofOf(page, until));
      });
    },
  };
}

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** What makes addresses of pages. */
export interface PageAddresses {
  /** Address of this server, without a slash at its end. */
  readonly publicUrl: () => string;
  /** Token of the link of a page. */
  readonly linkToken: (page: LinkedPage) => string;
}

/** Ends in a slash. */
export function pageAddress(page: StatusPage, { publicUrl, linkToken }: PageAddresses): string {
  const { id: pageId, accountId, url, visibility } = page;
  const root = pageRoot(page, publicUrl());
  return visibility === 'LINK' ? `${root}~${linkToken({ accountId, pageId, url })}/` : root;
}
