// Secrets at rest: AES-256-GCM with the installation's key, so that a copied database file tells none.
import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto';

/** Seals and opens texts. `open` throws when the key is not the one that sealed, or the text was changed. */
export interface Seal {
  seal(text: string): string;
  open(sealed: string): string;
}

const mark = 'sealed:1:';

/** Opened texts that are remembered: the path opens the same few secrets again and again. */
const openedMost = 5000;

/** @param bytes 32 of them */
export function createSeal(bytes: Uint8Array): Seal {
  // As a key object: bytes are looked at afresh, and slowly, by every call.
  const key = createSecretKey(bytes);
  const opened = new Map<string, string>();
  const unsealed = (sealed: string): string => {
    if (!sealed.startsWith(mark)) throw new Error('not a sealed text');
    const parts = Buffer.from(sealed.slice(mark.length), 'base64');
    const decipher = createDecipheriv('aes-256-gcm', key, parts.subarray(0, 12));
    decipher.setAuthTag(parts.subarray(12, 28));
    try {
      return decipher.update(parts.subarray(28), undefined, 'utf8') + decipher.final('utf8');
    } catch {
      throw new Error('a secret in the database cannot be opened: TOCSIN_SECRET_KEY is not the one that sealed it');
    }
  };
  return {
    seal(text) {
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, iv);
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return mark + Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64');
    },
    open(sealed) {
      const before = opened.get(sealed);
      if (before !== undefined) return before;
      const text = unsealed(sealed);
      if (opened.size >= openedMost) opened.clear();
      opened.set(sealed, text);
      return text;
    },
  };
}
