// Facts about a certificate and its connection, for assertions and results.
import type { X509Certificate } from 'node:crypto';
import { checkServerIdentity } from 'node:tls';
import type { JsonObject, JsonValue } from '#domain/json.ts';
import type { Peer } from '../../parts/connection/handshake.ts';

const dayMs = 86_400_000;

/** Facts about a certificate and its connection. */
export interface SslFacts {
  readonly certificate: JsonObject;
  readonly connection: JsonObject;
  readonly hostnameVerified: boolean;
  readonly chainTrusted: boolean;
  /** Size of an RSA key of equal strength; null = unknown. */
  readonly strength: number | null;
  /** Of the certificate and its issuers, except the root, whose signature does not matter. */
  readonly signatureAlgorithms: readonly string[];
  /** For example `TLS1.3`. */
  readonly tlsVersion: string;
  readonly cipherSuite: string;
  /** Whether the certificate requires OCSP stapling. */
  readonly mustStaple: boolean;
  /** Whether it contains certificate transparency timestamps. */
  readonly hasTimestamps: boolean;
}

/** @param name the name that the certificate must match @param now epoch ms */
export function factsOf(peer: Peer, name: string, address: string | null, now: number): SslFacts {
  const [own, issuer] = peer.path;
  const daysUntilExpiry = Math.floor((Date.parse(own.validTo) - now) / dayMs);
  const hostnameVerified = checkServerIdentity(name, own.toLegacyObject()) === undefined;
  const chainTrusted = peer.chainError === null || isOfTime.has(peer.chainError);
  const key = keyOf(own);
  const tlsVersion = versionOf(peer.protocol);
  const signers = peer.path.filter((each, index) => index === 0 || !isSelfSigned(each));
  const signatureAlgorithm = signatureOf(own);
  const connection = { tlsVersion, cipherSuite: peer.cipher, hostnameVerified, chainTrusted };
  return {
    certificate: {
      daysUntilExpiry,
      validFrom: isoOf(own.validFrom),
      validTo: isoOf(own.validTo),
      subjectCN: commonName(own.subject),
      issuerCN: commonName(own.issuer),
      serialNumber: own.serialNumber.toLowerCase(),
      fingerprintSha256: hexOf(own.fingerprint256),
      issuerFingerprintSha256: issuer === undefined ? null : hexOf(issuer.fingerprint256),
      keySizeBits: key.bits,
      keyAlgorithm: key.algorithm,
      signatureAlgorithm,
      sans: namesOf(own),
      selfSigned: isSelfSigned(own),
      isCA: own.ca,
    },
    connection: { ...connection, ocspStapled: peer.staple !== null, resolvedIp: address },
    hostnameVerified,
    chainTrusted,
    strength: key.strength,
    signatureAlgorithms: signers.map(signatureOf),
    tlsVersion,
    cipherSuite: peer.cipher,
    mustStaple: own.raw.includes(mustStapleOid),
    hasTimestamps: own.raw.includes(timestampsOid),
  };
}

/** Chain errors about dates, which are judged separately. */
const isOfTime: ReadonlySet<string> = new Set(['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID']);

/** 1.3.6.1.5.5.7.1.24 in DER (RFC 7633). */
const mustStapleOid = Buffer.from('06082b06010505070118', 'hex');
/** 1.3.6.1.4.1.11129.2.4.2 (RFC 6962 §3.3). */
const timestampsOid = Buffer.from('060a2b06010401d679020402', 'hex');

/** Elliptic curve key size → RSA key size of equal strength (NIST SP 800-57, table 2). */
const curves: Readonly<Record<string, readonly [bits: number, strength: number]>> = {
  secp224r1: [224, 2048],
  prime256v1: [256, 3072],
  secp256k1: [256, 3072],
  secp384r1: [384, 7680],
  secp521r1: [521, 15_360],
};

function keyOf({ publicKey }: X509Certificate): {
  readonly algorithm: string;
  readonly bits: number | null;
  readonly strength: number | null;
} {
  const { modulusLength, namedCurve = '' } = publicKey.asymmetricKeyDetails ?? {};
  const type = publicKey.asymmetricKeyType ?? 'unknown';
  if (type === 'ed25519') return { algorithm: 'Ed25519', bits: 256, strength: 3072 };
  if (type === 'ed448') return { algorithm: 'Ed448', bits: 456, strength: 7680 };
  if (type === 'ec') {
    const [bits = null, strength = null] = curves[namedCurve] ?? [];
    return { algorithm: 'ECDSA', bits, strength };
  }
  const bits = modulusLength ?? null;
  return { algorithm: type.startsWith('rsa') ? 'RSA' : type.toUpperCase(), bits, strength: bits };
}

/** `sha256WithRSAEncryption` → `SHA256-RSA`, `ecdsa-with-SHA256` → `ECDSA-SHA256`; others unchanged. */
function signatureOf(certificate: X509Certificate): string {
  const name = certificate.signatureAlgorithm ?? 'unknown';
  const rsa = /^(md2|md5|sha\d+)WithRSAEncryption$/i.exec(name)?.[1];
  if (rsa !== undefined) return `${rsa.toUpperCase()}-RSA`;
  const ecdsa = /^ecdsa-with-(sha\d+)$/i.exec(name)?.[1];
  if (ecdsa !== undefined) return `ECDSA-${ecdsa.toUpperCase()}`;
  return name === 'ED25519' ? 'Ed25519' : name;
}

function versionOf(protocol: string): string {
  return protocol === 'TLSv1' ? 'TLS1.0' : protocol.replace('TLSv', 'TLS');
}

function isSelfSigned(certificate: X509Certificate): boolean {
  return certificate.checkIssued(certificate) && certificate.verify(certificate.publicKey);
}

function commonName(subject: string): string | null {
  return /^CN=(.*)$/m.exec(subject)?.[1] ?? null;
}

function namesOf({ subjectAltName }: X509Certificate): JsonValue {
  return (subjectAltName ?? '').split(', ').flatMap((entry) => /^(?:DNS|IP Address):(.+)$/.exec(entry)?.[1] ?? []);
}

function isoOf(text: string): string {
  const at = Date.parse(text);
  return Number.isNaN(at) ? text : new Date(at).toISOString();
}

function hexOf(fingerprint: string): string {
  return fingerprint.replaceAll(':', '').toLowerCase();
}
