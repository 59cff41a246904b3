// The text of an API key: how it is made, what it must look like, and what is kept of it.
import { hash, randomBytes } from 'node:crypto';

const shape = /^tsn_[A-Za-z0-9_-]{32,128}$/;

/** A new key: `tsn_` and 32 random bytes as 43 characters of base64url. */
export function newKeyText(): string {
  return `tsn_${randomBytes(32).toString('base64url')}`;
}

/** Whether a text can be a key at all. */
export function isKeyText(text: string): boolean {
  return shape.test(text);
}

/** The SHA-256 of a key, 32 bytes: all that is kept of it. */
export function keyHash(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

/** The first 12 characters: enough to recognise a key, too little to use it. */
export function keyPrefix(text: string): string {
  return text.slice(0, 12);
}
