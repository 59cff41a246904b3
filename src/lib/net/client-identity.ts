// Validates a client certificate, its key and its CAs for TLS.
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { pemBlocks } from './tls-trust.ts';

/** PEM. */
interface Identity {
  readonly cert: string;
  readonly ca: string | null;
  readonly key: string;
  readonly passphrase: string | null;
}

/** The first problem, by field; null = usable. Messages never contain secrets. */
export function identityProblem(identity: Identity): { readonly path: string; readonly message: string } | null {
  const { cert, ca, key, passphrase } = identity;
  const own = certificatesIn(cert)?.[0];
  if (own === undefined) return { path: 'cert', message: 'must contain one or more certificates in PEM format' };
  if (ca !== null && certificatesIn(ca) === null) {
    return { path: 'ca', message: 'must contain one or more certificates in PEM format, or be omitted' };
  }
  const privateKey = readKey(key, passphrase);
  if ('path' in privateKey) return privateKey;
  if (!own.checkPrivateKey(privateKey)) return { path: 'key', message: 'is not the key of the certificate' };
  try {
    createSecureContext({ cert, key, ...(passphrase !== null && { passphrase }) });
    return null;
  } catch {
    return { path: 'cert', message: 'cannot be used for TLS: its key or signature is too weak' };
  }
}

/** Expiry of the first certificate of a PEM text, epoch ms. */
export function expiryOf(cert: string): number {
  return new X509Certificate(cert).validToDate.getTime();
}

function certificatesIn(text: string): X509Certificate[] | null {
  const blocks = pemBlocks(text);
  try {
    return blocks.length === 0 ? null : blocks.map((each) => new X509Certificate(each));
  } catch {
    return null;
  }
}

function readKey(key: string, passphrase: string | null): KeyObject | { path: string; message: string } {
  try {
    return createPrivateKey({ key, ...(passphrase !== null && { passphrase }) });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code === 'ERR_MISSING_PASSPHRASE') return { path: 'passphrase', message: 'is required: the key is encrypted' };
    const isEncrypted = /ENCRYPTED/.test(key) && /-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(key);
    if (isEncrypted && passphrase !== null) return { path: 'passphrase', message: 'does not decrypt the key' };
    if (isEncrypted) return { path: 'passphrase', message: 'is required: the key is encrypted' };
    return { path: 'key', message: 'must be a private key in PEM format' };
  }
}
