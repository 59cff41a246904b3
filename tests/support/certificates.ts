// Certificates for tests, made when they are needed: an authority of our own, and what it signs, good or bad.
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

/** What a server needs, in PEM. */
export interface Issued {
  readonly key: string;
  readonly cert: string;
}

/** What stands in a certificate; the rest is usual. */
export interface CertificateFacts {
  /** DNS names or IPv4 addresses; `localhost` and 127.0.0.1 by default. */
  readonly names?: readonly string[];
  readonly validFrom?: Date;
  readonly validTo?: Date;
  /** An RSA key of that many bits; an elliptic one by default. */
  readonly rsaBits?: number;
  /** The hash under the signature; `sha256` by default. */
  readonly hash?: 'sha1' | 'sha256';
  /** It asks for a stapled word of its authority. */
  readonly mustStaple?: boolean;
}

/** An authority: its own certificate, and how to have one signed. */
export interface Authority {
  readonly cert: string;
  issue(facts?: CertificateFacts): Issued;
  /** Another authority, signed by this one. */
  subordinate(name: string): Authority;
}

const day = 86_400_000;
let serial = 1;

/** A new authority, trusted by whoever is given its certificate. */
export function createAuthority(name = 'Tests of Tocsin'): Authority {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const cert = certificate({ subject: name, issuer: name, publicKey, signer: privateKey, extensions: [ofAuthority] });
  return authorityOf(name, cert, privateKey);
}

function authorityOf(name: string, cert: string, privateKey: KeyObject): Authority {
  return {
    cert,
    issue: (facts = {}) => {
      const pair =
        facts.rsaBits === undefined
          ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
          : generateKeyPairSync('rsa', { modulusLength: facts.rsaBits });
      const names = facts.names ?? ['localhost', '127.0.0.1'];
      const alternative = sequence(oid('2.5.29.17'), octets(sequence(...names.map(generalName))));
      const extensions = [alternative, ...(facts.mustStaple === true ? [statusRequest] : [])];
      const subject = names[0] ?? 'nobody';
      const parts = { subject, issuer: name, publicKey: pair.publicKey, signer: privateKey, extensions };
      return {
        key: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
        cert: certificate({ ...parts, ...facts }),
      };
    },
    subordinate: (subject) => {
      const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const parts = { subject, issuer: name, publicKey: pair.publicKey, signer: privateKey, extensions: [ofAuthority] };
      return authorityOf(subject, certificate(parts), pair.privateKey);
    },
  };
}

interface Parts extends CertificateFacts {
  readonly subject: string;
  readonly issuer: string;
  readonly publicKey: KeyObject;
  readonly signer: KeyObject;
  readonly extensions: readonly Buffer[];
}

function certificate({ subject, issuer, publicKey, signer, extensions, hash, validFrom, validTo }: Parts): string {
  const algorithm = sequence(oid(hash === 'sha1' ? '1.2.840.10045.4.1' : '1.2.840.10045.4.3.2'));
  const signed = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1, serial++])),
    algorithm,
    commonName(issuer),
    sequence(time(validFrom ?? new Date(Date.now() - day)), time(validTo ?? new Date(Date.now() + 90 * day))),
    commonName(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...extensions)),
  );
  const signature = der(0x03, Buffer.concat([Buffer.from([0]), sign(hash ?? 'sha256', signed, signer)]));
  const lines =
    sequence(signed, algorithm, signature)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const head = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...head]), content]);
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

function octets(content: Buffer): Buffer {
  return der(0x04, content);
}

function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  const bytes = rest.flatMap((value) => {
    const groups = [value & 127];
    for (let left = value >> 7; left > 0; left >>= 7) groups.unshift((left & 127) | 128);
    return groups;
  });
  return der(0x06, Buffer.from([first * 40 + second, ...bytes]));
}

function commonName(name: string): Buffer {
  return sequence(der(0x31, sequence(oid('2.5.4.3'), der(0x0c, Buffer.from(name)))));
}

function generalName(name: string): Buffer {
  const isAddress = /^[\d.]+$/.test(name);
  return isAddress ? der(0x87, Buffer.from(name.split('.').map(Number))) : der(0x82, Buffer.from(name));
}

function time(at: Date): Buffer {
  return der(0x18, Buffer.from(`${at.toISOString().slice(0, 19).replace(/[-:T]/g, '')}Z`));
}

/** It may sign others. */
const ofAuthority = sequence(
  oid('2.5.29.19'),
  der(0x01, Buffer.from([255])),
  octets(sequence(der(0x01, Buffer.from([255])))),
);

/** RFC 7633: the feature `status_request`, 5. */
const statusRequest = sequence(oid('1.3.6.1.5.5.7.1.24'), octets(sequence(der(0x02, Buffer.from([5])))));
