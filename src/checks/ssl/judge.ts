// What is wrong with a certificate and its connection: dates, name, trust, then the security baseline (reference §4.3).
import { certificateFault } from '../connection/certificate.ts';
import type { Peer } from '../connection/handshake.ts';
import { failed, type Judged } from '../findings/judge.ts';
import type { SslFacts } from './facts.ts';
import type { Revocation } from './revocation.ts';
import type { Severity, SslSettings } from './settings.ts';

/** One thing that is not as it should be. */
export interface Flaw {
  readonly severity: Exclude<Severity, 'ignore'>;
  readonly message: string;
}

/** Why the certificate must not be accepted; null = it may. @param name whom it must be for */
export function refusalOf(facts: SslFacts, peer: Peer, name: string, skipChainValidation: boolean): Judged | null {
  const [own] = peer.certificates;
  const because = (code: string): Judged => failed('tls', certificateFault(own, code, name).message);
  if (facts.daysUntilExpiry < 0) return because('CERT_HAS_EXPIRED');
  if (facts.isNotYetValid) return because('CERT_NOT_YET_VALID');
  if (skipChainValidation) return null;
  if (!facts.chainTrusted) return because(peer.chainError ?? '');
  // Its own dates are fine: those of one that signed it are not.
  if (peer.chainError !== null) {
    return failed('tls', `a certificate that signed the one of ${name} has expired, or is not valid yet`);
  }
  return facts.hostnameVerified ? null : because('HOSTNAME_MISMATCH');
}

/** Everything that breaks the baseline, or comes too near to the end. @param revocation null = nobody wants to know */
export function flawsOf(
  facts: SslFacts,
  revocation: Revocation | null,
  { baseline, alertDaysBeforeExpiry }: SslSettings,
): Flaw[] {
  const flaws: Flaw[] = [];
  const tell = (severity: Severity, isBroken: boolean, message: string): void => {
    if (isBroken && severity !== 'ignore') flaws.push({ severity, message });
  };
  for (const { value, severity } of baseline.tlsVersion) {
    tell(severity, facts.tlsVersion < value, `the connection uses ${facts.tlsVersion}, older than ${value}`);
  }
  for (const { value, severity } of baseline.keySize) {
    const { keyAlgorithm, keySizeBits } = facts.certificate;
    const isWeak = facts.strength !== null && facts.strength < value;
    tell(severity, isWeak, `the key is weak: ${text(keyAlgorithm)} of ${text(keySizeBits)} bits, less than ${value}`);
  }
  const weak = facts.signatureAlgorithms.find((name) => /MD2|MD5|SHA1(?!\d)/i.test(name));
  tell(baseline.weakSignature, weak !== undefined, `a certificate of the chain is signed weakly, with ${weak ?? ''}`);
  tell(baseline.weakCipher, isWeakCipher(facts.cipherSuite), `the cipher ${facts.cipherSuite} is weak`);
  const isBare = facts.mustStaple && facts.connection['ocspStapled'] !== true;
  tell(baseline.mustStaple, isBare, 'the certificate asks for a stapled OCSP response, and none was sent');
  tell(baseline.revocationAnswer, revocation?.flaw != null, revocation?.flaw ?? '');
  tell(baseline.timestamps, !facts.hasTimestamps, 'the certificate holds no timestamps of certificate transparency');
  const { daysUntilExpiry } = facts;
  const isNear = daysUntilExpiry < alertDaysBeforeExpiry;
  tell(
    'degrade',
    isNear,
    `the certificate expires in ${daysUntilExpiry} days, degraded below ${alertDaysBeforeExpiry}`,
  );
  return flaws;
}

/** Broken ones, and those whose key exchange has no forward secrecy. */
function isWeakCipher(name: string): boolean {
  return /RC4|RC2|DES|NULL|EXPORT|MD5|IDEA|SEED|anon/.test(name) || name.startsWith('TLS_RSA_');
}

function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : 'unknown';
}
