// What an authority of tests says of its certificates: OCSP responses and lists of revoked ones, right or wrong.
import { createHash, createPrivateKey, X509Certificate } from 'node:crypto';
import { addressName, type Authority, commonName, fullName, type Issued, signedWith } from './certificates.ts';
import { der, integer, octets, oid, sequence, time } from './der.ts';

const day = 86_400_000;

/** What an OCSP response says; the rest is usual. */
export interface OcspFacts {
  readonly status?: 'good' | 'revoked' | 'unknown';
  readonly revokedAt?: Date;
  /** A number of RFC 5280 §5.3.1. */
  readonly reason?: number;
  readonly thisUpdate?: Date;
  /** null = it says none. */
  readonly nextUpdate?: Date | null;
  /** How the certificate is named; `sha1` by default. */
  readonly idHash?: 'sha1' | 'sha256';
  /** Who signs it; the authority by default. */
  readonly signer?: Signer;
  readonly hash?: 'sha1' | 'sha256';
  /** Certificates sent along, PEM. */
  readonly enclosed?: readonly string[];
}

type Signer = Pick<Authority, 'signed'>;

/** A signer: a certificate with its key. */
export function signerOf({ key }: Issued): Signer {
  const privateKey = createPrivateKey(key);
  return { signed: (content, hash, ...more) => signedWith(privateKey, content, hash, ...more) };
}

/** What an authority answers about a certificate (PEM). */
export function ocspAnswer(authority: Authority, certificate: string, facts: OcspFacts = {}): Buffer {
  const { thisUpdate = new Date(Date.now() - day), nextUpdate = new Date(Date.now() + day) } = facts;
  const single = sequence(
    certificateId(authority, certificate, facts.idHash ?? 'sha1'),
    statusOf(facts),
    time(thisUpdate),
    ...(nextUpdate === null ? [] : [der(0xa0, time(nextUpdate))]),
  );
  const data = sequence(der(0xa1, commonName('Responder')), time(thisUpdate), sequence(single));
  const { enclosed = [] } = facts;
  const certificates = sequence(...enclosed.map((pem) => new X509Certificate(pem).raw));
  const more = enclosed.length === 0 ? [] : [der(0xa0, certificates)];
  const basic = (facts.signer ?? authority).signed(data, facts.hash, ...more);
  return sequence(der(0x0a, Buffer.from([0])), der(0xa0, sequence(oid('1.3.6.1.5.5.7.48.1.1'), octets(basic))));
}

/** What a responder says that does not answer: 3 = try later, 6 = unauthorized. */
export function ocspRefusal(status: number): Buffer {
  return sequence(der(0x0a, Buffer.from([status])));
}

function statusOf({ status = 'good', revokedAt = new Date(Date.now() - day), reason }: OcspFacts): Buffer {
  if (status === 'good') return der(0x80, Buffer.alloc(0));
  if (status === 'unknown') return der(0x82, Buffer.alloc(0));
  const why = reason === undefined ? [] : [der(0xa0, der(0x0a, Buffer.from([reason])))];
  return der(0xa1, Buffer.concat([time(revokedAt), ...why]));
}

function certificateId(authority: Authority, certificate: string, hash: 'sha1' | 'sha256'): Buffer {
  const digest = (bytes: Buffer): Buffer => octets(createHash(hash).update(bytes).digest());
  const issuer = new X509Certificate(authority.cert);
  // Of a key on P-256 the bits are the last 65 bytes.
  const bits = issuer.publicKey.export({ type: 'spki', format: 'der' }).subarray(-65);
  const name = hash === 'sha1' ? '1.3.14.3.2.26' : '2.16.840.1.101.3.4.2.1';
  return sequence(sequence(oid(name)), digest(nameOf(issuer)), digest(bits), serialOf(certificate));
}

function nameOf(certificate: X509Certificate): Buffer {
  return commonName(certificate.subject.replace('CN=', ''));
}

function serialOf(certificate: string): Buffer {
  return integer(...Buffer.from(new X509Certificate(certificate).serialNumber, 'hex'));
}

/** What a list says; the rest is usual. */
export interface ListFacts {
  /** Certificates, PEM. */
  readonly revoked?: readonly string[];
  /** How many others are on it, before them. */
  readonly others?: number;
  readonly reason?: number;
  readonly revokedAt?: Date;
  readonly thisUpdate?: Date;
  /** null = it says none. */
  readonly nextUpdate?: Date | null;
  readonly signer?: Signer;
  /** As the list says itself where it lies. */
  readonly url?: string;
  /** The same as any name of a distribution point, DER. */
  readonly point?: Buffer;
  /** `[2]`: it is of authorities only, `[3]`: of some reasons, `[4]`: of others' certificates. */
  readonly onlyOf?: 2 | 3 | 4;
}

/** The list that an authority publishes. */
export function revokedList(authority: Authority, facts: ListFacts = {}): Buffer {
  const { revoked = [], others = 0, reason, revokedAt = new Date(Date.now() - day) } = facts;
  const { nextUpdate = new Date(Date.now() + day) } = facts;
  const why = reason === undefined ? [] : [sequence(extension('2.5.29.21', der(0x0a, Buffer.from([reason]))))];
  const entryOf = (serial: Buffer): Buffer => sequence(serial, time(revokedAt), ...why);
  const other = entryOf(integer(2, 0, 0, 0, 0, 0, 0, 1));
  const entries = [...Array.from({ length: others }, () => other), ...revoked.map((each) => entryOf(serialOf(each)))];
  const content = sequence(
    integer(1),
    sequence(oid('1.2.840.10045.4.3.2')),
    nameOf(new X509Certificate(authority.cert)),
    time(facts.thisUpdate ?? new Date(Date.now() - day)),
    ...(nextUpdate === null ? [] : [time(nextUpdate)]),
    ...(entries.length === 0 ? [] : [der(0x30, Buffer.concat(entries))]),
    ...scopeOf(facts),
  );
  return (facts.signer ?? authority).signed(content);
}

/** Two of eight reasons: how many of its bits are unused, then the bits. */
const someReasons = Buffer.from([0, 0x41]);

function scopeOf({
  url,
  point = url === undefined ? undefined : fullName(addressName(url)),
  onlyOf,
}: ListFacts): Buffer[] {
  if (point === undefined && onlyOf === undefined) return [];
  const place = point === undefined ? [] : [der(0xa0, point)];
  const only = onlyOf === undefined ? [] : [der(0x80 | onlyOf, onlyOf === 3 ? someReasons : Buffer.from([255]))];
  return [der(0xa0, sequence(extension('2.5.29.28', sequence(...place, ...only), true)))];
}

function extension(name: string, value: Buffer, isCritical = false): Buffer {
  return sequence(oid(name), ...(isCritical ? [der(0x01, Buffer.from([255]))] : []), octets(value));
}
