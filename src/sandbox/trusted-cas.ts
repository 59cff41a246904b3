// Additional CAs for scripts and their browsers: a file for Node.js and an NSS database for Chromium.
import { createHash, X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

export interface TrustedCas {
  /** For `NODE_EXTRA_CA_CERTS`. */
  readonly pem: string;
  /** `cert9.db`, to be stored as `.pki/nssdb/cert9.db` in the user's home. */
  readonly nssDatabase: Uint8Array;
}

/** Creates both from CA certificates (PEM). Returns null if there are none. */
export function createTrustedCas(certificates: readonly string[]): TrustedCas | null {
  if (certificates.length === 0) return null;
  return {
    pem: certificates.map((each) => `${each.trim()}\n`).join(''),
    nssDatabase: nssDatabaseOf(certificates.map((each) => new X509Certificate(each).raw)),
  };
}

/** NSS columns: one per PKCS #11 attribute, in hexadecimal. */
const columns =
  '0 1 2 3 10 11 12 80 81 82 83 84 85 86 87 88 89 8a 8b 90 100 101 102 103 104 105 106 107 108 109 10a 10b 10c 110 111 120 121 122 123 124 125 126 127 128 129 130 131 132 133 134 160 161 162 163 164 165 166 170 180 181 200 201 202 210 300 301 302 400 401 402 403 404 405 406 480 481 482 500 501 502 503 40000211 40000212 80000001 ce534351 ce534352 ce534353 ce534354 ce534355 ce534356 ce534357 ce534358 ce534364 ce534365 ce534366 ce534367 ce534368 ce534369 ce534373 ce534374 ce536351 ce536352 ce536353 ce536354 ce536355 ce536356 ce536357 ce536358 ce536359 ce53635a ce53635b ce53635c ce53635d ce53635e ce53635f ce536360 ce5363b4 ce5363b5 d5a0db00'.split(
    ' ',
  );

function nssDatabaseOf(certificates: readonly Buffer[]): Uint8Array {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-nss-'));
  const path = join(folder, 'cert9.db');
  try {
    const database = new DatabaseSync(path);
    const names = columns.map((each) => `a${each}`).join(', ');
    // One transaction, which a disk need not confirm: a system's bundle has more than a hundred certificates.
    database.exec('PRAGMA synchronous = off; BEGIN');
    database.exec(`CREATE TABLE nssPublic (id PRIMARY KEY UNIQUE ON CONFLICT ABORT, ${names})`);
    for (const [index, der] of certificates.entries()) {
      for (const [offset, attributes] of objectsOf(der).entries()) {
        const keys = Object.keys(attributes);
        const places = keys.map(() => '?').join(', ');
        const insert = `INSERT INTO nssPublic (id, ${keys.join(', ')}) VALUES (?, ${places})`;
        database.prepare(insert).run(2 * index + offset + 1, ...keys.map((key) => attributes[key] ?? null));
      }
    }
    database.exec('COMMIT');
    database.close();
    return readFileSync(path);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The certificate and its trust as a server CA. */
function objectsOf(der: Buffer): readonly Readonly<Record<string, Buffer>>[] {
  const { serial, issuer, subject } = partsOf(der);
  const common = { a1: bytes('01'), a2: bytes('00'), a81: issuer, a82: serial };
  const mustVerify = bytes('ce534353');
  return [
    { ...common, a0: bytes('00000001'), a11: der, a80: bytes('00000000'), a101: subject, a102: sha1(der) },
    {
      ...common,
      a0: bytes('ce534353'),
      ace536358: bytes('ce534352'),
      ace536359: mustVerify,
      ace53635a: mustVerify,
      ace53635b: mustVerify,
      ace536360: bytes('00'),
      ace5363b4: sha1(der),
    },
  ];
}

function bytes(hex: string): Buffer {
  return Buffer.from(hex, 'hex');
}

function sha1(der: Buffer): Buffer {
  return createHash('sha1').update(der).digest();
}

/** The DER fields that NSS looks certificates up by (RFC 5280 §4.1). */
function partsOf(der: Buffer): Readonly<Record<'serial' | 'issuer' | 'subject', Buffer>> {
  const [signed = der] = elementsIn(der);
  const elements = elementsIn(signed);
  // An optional version comes first.
  const [serial = der, , issuer = der, , subject = der] = elements[0]?.[0] === 0xa0 ? elements.slice(1) : elements;
  return { serial, issuer, subject };
}

function elementsIn(element: Buffer): Buffer[] {
  const found: Buffer[] = [];
  let { at, end } = contentOf(element, 0);
  while (at < end) {
    const next = contentOf(element, at).end;
    found.push(element.subarray(at, next));
    at = next;
  }
  return found;
}

function contentOf(der: Buffer, start: number): { at: number; end: number } {
  const first = der.readUInt8(start + 1);
  if (first < 0x80) return { at: start + 2, end: start + 2 + first };
  const at = start + 2 + (first & 0x7f);
  return { at, end: at + der.readUIntBE(start + 2, first & 0x7f) };
}
