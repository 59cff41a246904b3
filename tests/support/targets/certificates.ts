// Certificates for tests, made when they are needed: an authority of our own, and what it signs, good or bad.
import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { der, integer, octets, oid, sequence, time } from './der.ts';

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
  /** Where its authority answers whether it is revoked. */
  readonly ocspUrl?: string;
  /** Where its authority publishes which are revoked. */
  readonly listUrl?: string;
  /** Other names of the same distribution point, DER. */
  readonly listNames?: readonly Buffer[];
  /** It may sign OCSP responses in the place of its authority. */
  readonly isResponder?: boolean;
}

/** An authority: its own certificate, and how to have one signed. */
export interface Authority {
  readonly cert: string;
  /** Some content with the authority's signature behind it, and what else belongs there. */
  signed(content: Buffer, hash?: 'sha1' | 'sha256', ...more: readonly Buffer[]): Buffer;
  issue(facts?: CertificateFacts): Issued;
  /** Another authority, signed by this one. */
  subordinate(name: string, facts?: AuthorityFacts): Authority;
  /** The certificate of another authority's key and name, signed by this one. */
  crossSign(other: Authority, facts?: AuthorityFacts): string;
  readonly name: string;
  readonly privateKey: KeyObject;
}

/** What stands in the certificate of an authority. */
export type AuthorityFacts = Pick<CertificateFacts, 'validFrom' | 'validTo' | 'hash'>;

const day = 86_400_000;
let serial = 1;

/** A new certificate authority, trusted by clients that have its certificate. */
export function createAuthority(name = 'Tests of Tocsin'): Authority {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const parts = { subject: name, issuer: name, publicKey, signer: privateKey, extensions: [ofAuthority] };
  const cert = certificate({ ...parts, validTo: longAfter() });
  return authorityOf(name, cert, privateKey);
}

/** Later than what an authority signs ends by default. */
function longAfter(): Date {
  return new Date(Date.now() + 900 * day);
}

function authorityOf(name: string, cert: string, privateKey: KeyObject): Authority {
  const signedAuthority = (subject: string, publicKey: KeyObject, facts?: AuthorityFacts): string =>
    certificate({
      subject,
      issuer: name,
      publicKey,
      signer: privateKey,
      extensions: [ofAuthority],
      validTo: longAfter(),
      ...facts,
    });
  return {
    cert,
    signed: (content, hash, ...more) => signedWith(privateKey, content, hash, ...more),
    issue: (facts = {}) => {
      const pair =
        facts.rsaBits === undefined
          ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
          : generateKeyPairSync('rsa', { modulusLength: facts.rsaBits });
      const names = facts.names ?? ['localhost', '127.0.0.1'];
      const alternative = sequence(oid('2.5.29.17'), octets(sequence(...names.map(generalName))));
      const extensions = [alternative, ...extensionsOf(facts)];
      const subject = names[0] ?? 'nobody';
      const parts = { subject, issuer: name, publicKey: pair.publicKey, signer: privateKey, extensions };
      return {
        key: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
        cert: certificate({ ...parts, ...facts }),
      };
    },
    subordinate: (subject, facts) => {
      const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      return authorityOf(subject, signedAuthority(subject, pair.publicKey, facts), pair.privateKey);
    },
    crossSign: (other, facts) => signedAuthority(other.name, createPublicKey(other.privateKey), facts),
    name,
    privateKey,
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
  const signed = sequence(
    der(0xa0, integer(2)),
    integer(1, serial++),
    algorithmOf(hash),
    commonName(issuer),
    sequence(time(validFrom ?? new Date(Date.now() - day)), time(validTo ?? new Date(Date.now() + 90 * day))),
    commonName(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...extensions)),
  );
  const lines =
    signedWith(signer, signed, hash)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

function algorithmOf(hash: 'sha1' | 'sha256' = 'sha256'): Buffer {
  return sequence(oid(hash === 'sha1' ? '1.2.840.10045.4.1' : '1.2.840.10045.4.3.2'));
}

/** What every signed thing looks like. @param key an elliptic one */
export function signedWith(
  key: KeyObject,
  content: Buffer,
  hash: 'sha1' | 'sha256' = 'sha256',
  ...more: readonly Buffer[]
): Buffer {
  const signature = der(0x03, Buffer.concat([Buffer.from([0]), sign(hash, content, key)]));
  return sequence(content, algorithmOf(hash), signature, ...more);
}

function extensionsOf({ mustStaple, ocspUrl, listUrl, listNames = [], isResponder }: CertificateFacts): Buffer[] {
  const named = (name: string, value: Buffer): Buffer => sequence(oid(name), octets(value));
  return [
    ...(mustStaple === true ? [statusRequest] : []),
    ...(ocspUrl === undefined
      ? []
      : [named('1.3.6.1.5.5.7.1.1', sequence(sequence(oid('1.3.6.1.5.5.7.48.1'), addressName(ocspUrl))))]),
    ...(listUrl === undefined
      ? []
      : [named('2.5.29.31', sequence(sequence(der(0xa0, fullName(addressName(listUrl), ...listNames)))))]),
    ...(isResponder === true ? [named('2.5.29.37', sequence(oid('1.3.6.1.5.5.7.3.9')))] : []),
  ];
}

/** An address as a name, DER. */
export function addressName(url: string): Buffer {
  return der(0x86, Buffer.from(url));
}

/** The name of a distribution point by names in full, DER. */
export function fullName(...names: readonly Buffer[]): Buffer {
  return der(0xa0, Buffer.concat(names));
}

/** A name that is only called so, DER. */
export function commonName(name: string): Buffer {
  return sequence(der(0x31, sequence(oid('2.5.4.3'), der(0x0c, Buffer.from(name)))));
}

function generalName(name: string): Buffer {
  const isAddress = /^[\d.]+$/.test(name);
  return isAddress ? der(0x87, Buffer.from(name.split('.').map(Number))) : der(0x82, Buffer.from(name));
}

/** It may sign others. */
const ofAuthority = sequence(
  oid('2.5.29.19'),
  der(0x01, Buffer.from([255])),
  octets(sequence(der(0x01, Buffer.from([255])))),
);

/** RFC 7633: the feature `status_request`, 5. */
const statusRequest = sequence(oid('1.3.6.1.5.5.7.1.24'), octets(sequence(der(0x02, Buffer.from([5])))));
