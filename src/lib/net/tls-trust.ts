// Trusted CAs, and the certificate path from a server to one of them.
import { X509Certificate } from 'node:crypto';
import {
  createSecureContext,
  getCACertificates,
  type SecureContext,
  type SecureContextOptions,
  type TLSSocket,
} from 'node:tls';

/** A certificate and its known issuers in order, starting with the server's own. */
export type CertificatePath = readonly [X509Certificate, ...X509Certificate[]];

/** The CAs that outgoing TLS connections trust. */
export interface Trust {
  createContext(options?: SecureContextOptions): SecureContext;
  /** The path among the certificates that a server sent, without unneeded ones; null = it sent none. */
  pathOf(sent: readonly X509Certificate[]): CertificatePath | null;
}

/** Trusts Node's own CAs, those of `NODE_EXTRA_CA_CERTS`, and `more` (PEM). */
export function createTrust(more: readonly string[] = []): Trust {
  const extra = anchorsOf(more);
  return {
    createContext: (options = {}) => {
      const context = createSecureContext(options) as WithNative;
      // The option `ca` would parse all default CAs for each context, which is slow and needs memory.
      for (const pem of more) context.context.addCACert(pem);
      return context;
    },
    pathOf: (sent) => {
      const [own] = sent;
      if (own === undefined) return null;
      usual ??= anchorsOf(getCACertificates('default'));
      return findPath(own, sent, [usual, extra]);
    },
  };
}

/** The function that Node.js itself uses for the option `ca`. */
type WithNative = SecureContext & { readonly context: { addCACert(pem: string): void } };

/** CA certificates by their subject. */
type Anchors = ReadonlyMap<string, readonly X509Certificate[]>;

let usual: Anchors | undefined;

export function pemBlocks(text: string): readonly string[] {
  return text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
}

function anchorsOf(pems: readonly string[]): Anchors {
  return Map.groupBy(
    pems.flatMap(pemBlocks).map((pem) => new X509Certificate(pem)),
    ({ subject }) => subject,
  );
}

/** Maximum number of certificates read from a server. */
const maxSent = 20;

/** All certificates that a server sent, its own first. Node.js provides them once per socket. */
export function sentCertificates(socket: TLSSocket): X509Certificate[] {
  const certificates: X509Certificate[] = [];
  let next = socket.getPeerX509Certificate();
  while (next !== undefined && certificates.length < maxSent) {
    certificates.push(next);
    next = next.issuerCertificate;
  }
  return certificates;
}

/** Maximum length of a path. */
const longestPath = 10;
/** Maximum number of signatures verified for a path: a server can send many certificates with the same name. */
const maxVerified = 64;

interface Candidate {
  readonly path: CertificatePath;
  readonly isTrusted: boolean;
  readonly endsAt: number;
}

/** Prefers a trusted path, then the one that is valid longest. */
function findPath(
  own: X509Certificate,
  sent: readonly X509Certificate[],
  anchors: readonly Anchors[],
): CertificatePath {
  let best: Candidate = { path: [own], isTrusted: false, endsAt: 0 };
  let left = maxVerified;
  const namedBy = ({ issuer }: X509Certificate): X509Certificate[] => anchors.flatMap((each) => each.get(issuer) ?? []);
  const follow = (path: CertificatePath): void => {
    const last = path.at(-1) ?? own;
    const known = namedBy(last);
    const isRoot = last.checkIssued(last);
    const isTrusted = isRoot && known.some(({ fingerprint256 }) => fingerprint256 === last.fingerprint256);
    const found = { path, isTrusted, endsAt: Math.min(...path.map(({ validTo }) => Date.parse(validTo))) };
    if (isBetter(found, best)) best = found;
    if (isRoot || path.length >= longestPath) return;
    for (const issuer of [...known, ...sent]) {
      if (path.some(({ fingerprint256 }) => fingerprint256 === issuer.fingerprint256)) continue;
      if (!last.checkIssued(issuer)) continue;
      if (left-- <= 0) return;
      if (isCertifiedBy(last, issuer)) follow([...path, issuer]);
    }
  };
  follow([own]);
  return best.path;
}

function isBetter(found: Candidate, best: Candidate): boolean {
  if (found.isTrusted !== best.isTrusted) return found.isTrusted;
  if (!found.isTrusted && found.path.length !== best.path.length) return found.path.length > best.path.length;
  return found.endsAt > best.endsAt;
}

/** Whether a certificate is signed by another one, by name and by key. */
export function isCertifiedBy(own: X509Certificate, issuer: X509Certificate): boolean {
  try {
    return own.checkIssued(issuer) && own.verify(issuer.publicKey);
  } catch {
    // The key is unreadable, or of another type than the signature.
    return false;
  }
}

export function firstToExpire(path: CertificatePath): X509Certificate {
  return path.reduce((first, each) => (Date.parse(each.validTo) < Date.parse(first.validTo) ? each : first));
}

/**
 * Name of a certificate of a path other than the server's own, such as `intermediate certificate "R3"`; null = the
 * server's own.
 */
export function roleIn(path: CertificatePath, certificate: X509Certificate): string | null {
  if (certificate === path[0]) return null;
  const kind = certificate.checkIssued(certificate) ? 'root' : 'intermediate';
  return `${kind} certificate "${shortName(certificate.subject)}"`;
}

/** The common name in the subject or issuer of a certificate, or else all of it. At most 100 characters. */
export function shortName(name: string): string {
  return (/^CN=(.*)$/m.exec(name)?.[1] ?? name.replaceAll('\n', ', ')).slice(0, 100);
}
