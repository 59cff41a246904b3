// Secrets at rest: AES-256-GCM with the installation's key, so that a copied database file tells none.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** Seals and opens texts. `open` throws when the key is not the one that sealed, or the text was changed. */
export interface Seal {
  seal(text: string): string;
  open(sealed: string): string;
}

const mark = 'sealed:1:';

/** @param key 32 bytes */
export function createSeal(key: Uint8Array): Seal {
  return {
    seal(text) {
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, iv);
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return mark + Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64');
    },
    open(sealed) {
      if (!sealed.startsWith(mark)) throw new Error('not a sealed text');
      const bytes = Buffer.from(sealed.slice(mark.length), 'base64');
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12));
      decipher.setAuthTag(bytes.subarray(12, 28));
      try {
        return decipher.update(bytes.subarray(28), undefined, 'utf8') + decipher.final('utf8');
      } catch {
        throw new Error('a secret in the database cannot be opened: TOCSIN_SECRET_KEY is not the one that sealed it');
      }
    },
  };
}
