// Encryption at rest: AES-256-GCM with the installation's key, so that a copied database file reveals no secrets.
import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto';

const mark = 'sealed:1:';

/** Number of cached decrypted texts: the same few secrets are needed again and again. */
const maxOpened = 5000;

/** @param bytes 32 bytes */
export function createSeal(bytes: Uint8Array) {
  // As a key object, because raw bytes are imported again, slowly, by every call.
  const key = createSecretKey(bytes);
  const opened = new Map<string, string>();
  const unsealed = (sealed: string): string => {
    if (!sealed.startsWith(mark)) throw new Error('not an encrypted text');
    const parts = Buffer.from(sealed.slice(mark.length), 'base64');
    const decipher = createDecipheriv('aes-256-gcm', key, parts.subarray(0, 12));
    decipher.setAuthTag(parts.subarray(12, 28));
    try {
      return decipher.update(parts.subarray(28), undefined, 'utf8') + decipher.final('utf8');
    } catch {
      throw new Error(
        'a secret in the database cannot be decrypted: it was encrypted with a different TOCSIN_SECRET_KEY',
      );
    }
  };
  return {
    seal(text: string): string {
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, iv);
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return mark + Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64');
    },
    open(sealed: string): string {
      const before = opened.get(sealed);
      if (before !== undefined) return before;
      const text = unsealed(sealed);
      if (opened.size >= maxOpened) opened.clear();
      opened.set(sealed, text);
      return text;
    },
  };
}

export type Seal = ReturnType<typeof createSeal>;
