// Generation and hashing of tokens for sessions, setup links and invitations.
import { hash, randomBytes } from 'node:crypto';

/** Generates a token: 32 random bytes as 43 characters of base64url. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Whether a text has the format of a token. */
export function isTokenText(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text);
}

/** The SHA-256 of a token. Only this hash is stored. */
export function tokenHash(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
