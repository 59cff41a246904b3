// Format, generation and hashing of API keys.
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

/** The SHA-256 of a key, 32 bytes. Only this hash is stored. */
export function keyHash(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

/** The first 12 characters: enough to recognize a key, too few to use it. */
export function keyPrefix(text: string): string {
  return text.slice(0, 12);
}
