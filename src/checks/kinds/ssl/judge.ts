// What is wrong with a certificate and its connection: dates, name, trust, then the security baseline (reference §4.3).
import { dayMs, timeLeft } from '#domain/results/certificate-expiry.ts';
import { type CertificatePath, firstToExpire, roleIn } from '#lib/net/tls-trust.ts';
import { certificateSentence, dateError } from '#lib/net/tls-words.ts';
import type { Peer } from '../../parts/connection/handshake.ts';
import { failed, type Judged } from '../../parts/findings/judge.ts';
import type { SslFacts } from './facts.ts';
import type { Revocation } from './revocation.ts';
import type { SslConfig } from './schema.ts';

type Severity = SslConfig['securityBaseline']['minTLSVersion']['severity'];

/** One thing that is not as it should be. */
export interface Flaw {
  readonly severity: Exclude<Severity, 'ignore'>;
  readonly message: string;
}

/** Whose certificate is judged, and when. */
export interface Judging {
  /** The name that it must be for. */
  readonly name: string;
  /** Epoch ms. */
  readonly now: number;
}

/** Why the certificate must not be accepted; null = it may. */
export function refusalOf(
  facts: SslFacts,
  { path, chainError }: Peer,
  { name, now }: Judging,
  skipChainValidation: boolean,
): Judged | null {
  const because = (code: string): Judged => failed('tls', certificateSentence(path, code, name, now));
  const ownError = dateError(path[0], now);
  if (ownError !== null) return because(ownError);
  if (skipChainValidation) return null;
  if (chainError !== null) return because(chainError);
  return facts.hostnameVerified ? null : because('HOSTNAME_MISMATCH');
}

/** Everything that breaks the baseline or expires soon. @param revocation null = not asked for */
export function flawsOf(
  facts: SslFacts,
  path: CertificatePath,
  revocation: Revocation | null,
  { securityBaseline: baseline, alertDaysBeforeExpiry }: SslConfig,
  { name, now }: Judging,
): Flaw[] {
  const flaws: Flaw[] = [];
  const tell = (severity: Severity, isBroken: boolean, message: string): void => {
    if (isBroken && baseline.enabled && severity !== 'ignore') flaws.push({ severity, message });
  };
  for (const { value, severity } of [baseline.minTLSVersion, baseline.recommendedTLSVersion]) {
    tell(severity, facts.tlsVersion < value, `the connection uses ${facts.tlsVersion}, older than ${value}`);
  }
  for (const { value, severity } of [baseline.minKeySizeBits, baseline.recommendedKeySizeBits]) {
    const { keyAlgorithm, keySizeBits } = facts.certificate;
    const isWeak = facts.strength !== null && facts.strength < value;
    tell(severity, isWeak, `the key is weak: ${text(keyAlgorithm)} with ${text(keySizeBits)} bits, less than ${value}`);
  }
  const weak = facts.signatureAlgorithms.find((name) => /MD2|MD5|SHA1(?!\d)/i.test(name));
  tell(
    baseline.weakSignatureAlgorithm.severity,
    weak !== undefined,
    `a certificate in the chain has a weak signature: ${weak ?? ''}`,
  );
  tell(baseline.weakCipherSuite.severity, isWeakCipher(facts.cipherSuite), `the cipher ${facts.cipherSuite} is weak`);
  const isBare = facts.mustStaple && facts.connection['ocspStapled'] !== true;
  tell(
    baseline.ocspMustStapleRespected.severity,
    isBare,
    'the certificate asks for a stapled OCSP response, and none was sent',
  );
  tell(baseline.revocationAnswerValid.severity, revocation?.flaw != null, revocation?.flaw ?? '');
  tell(
    baseline.sctPresent.severity,
    !facts.hasTimestamps,
    'the certificate contains no certificate transparency timestamps',
  );
  const expiry = expiryFlaw(path, { name, now }, alertDaysBeforeExpiry);
  if (expiry !== null) flaws.push(expiry);
  return flaws;
}

/** Whether a certificate of a path expires within some days, or has expired. @param now epoch ms */
export function isExpiring(path: CertificatePath, now: number, days: number): boolean {
  return Date.parse(firstToExpire(path).validTo) - now < days * dayMs;
}

/** The flaw of a path that expires within some days; null = it is valid longer. */
export function expiryFlaw(path: CertificatePath, { name, now }: Judging, days: number): Flaw | null {
  if (!isExpiring(path, now, days)) return null;
  const first = firstToExpire(path);
  const left = Date.parse(first.validTo) - now;
  const sentence = `the ${roleIn(path, first) ?? 'certificate'} of ${name} ${timeLeft(left)}`;
  return left < 0
    ? { severity: 'fail', message: sentence }
    : { severity: 'degrade', message: `${sentence}, degraded below ${days} days` };
}

/** Broken ones, and those whose key exchange has no forward secrecy. */
function isWeakCipher(name: string): boolean {
  return /RC4|RC2|DES|NULL|EXPORT|MD5|IDEA|SEED|anon/.test(name) || name.startsWith('TLS_RSA_');
}

function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : 'unknown';
}
