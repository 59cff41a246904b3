// Format, generation and hashing of API keys, and of tokens for sessions, setup links and invitations.
import { hash, randomBytes } from 'node:crypto';

const shape = /^tsn_[A-Za-z0-9_-]{32,128}$/;

/** Generates a key: `tsn_` and 32 random bytes as 43 characters of base64url. */
export function newKeyText(): string {
  return `tsn_${randomBytes(32).toString('base64url')}`;
}

/** Generates a key of a private location: `pl_` and 32 random bytes as 43 characters of base64url. */
export function newLocationKeyText(): string {
  return `pl_${randomBytes(32).toString('base64url')}`;
}

/** Whether a text has the format of a key. */
export function isKeyText(text: string): boolean {
  return shape.test(text);
}

/** The first 12 characters: enough to recognize a key, too few to use it. */
export function keyPrefix(text: string): string {
  return text.slice(0, 12);
}

/** Generates a token: 32 random bytes as 43 characters of base64url. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Whether a text has the format of a token. */
export function isTokenText(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text);
}

/** The SHA-256 of a key or token, 32 bytes. Only this hash is stored. */
export function tokenHash(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
