// Judges a certificate and its connection: dates, name, trust, then the security baseline (reference §4.3).
import { dayMs, timeLeft } from '#domain/results/certificate-expiry.ts';
import { type CertificatePath, firstToExpire, roleIn } from '#lib/net/tls-trust.ts';
import { certificateSentence, dateError } from '#lib/net/tls-words.ts';
import type { Peer } from '../../parts/connection/handshake.ts';
import { failed, type Judged } from '../../parts/findings/judge.ts';
import type { SslFacts } from './facts.ts';
import type { Revocation } from './revocation.ts';
import type { SslConfig } from './schema.ts';

type Severity = SslConfig['securityBaseline']['minTLSVersion']['severity'];

/** A violation. */
export interface Flaw {
  readonly severity: Exclude<Severity, 'ignore'>;
  readonly message: string;
}

/** Subject and time of a judgment. */
export interface Judging {
  /** Name that the certificate must match. */
  readonly name: string;
  /** Epoch ms. */
  readonly now: number;
}

/** Returns why the certificate is rejected, or null. */
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

/** Returns all baseline violations and upcoming expiry. @param revocation null = not checked */
export function flawsOf(
  facts: SslFacts,
  path: CertificatePath,
  revocation: Revocation | null,
  { securityBaseline: baseline, alertDaysBeforeExpiry }: SslConfig,
  { name, now }: Judging,
): Flaw[] {
  const flaws: Flaw[] = [];
  const report = (severity: Severity, isBroken: boolean, message: string): void => {
    if (isBroken && baseline.enabled && severity !== 'ignore') flaws.push({ severity, message });
  };
  for (const { value, severity } of [baseline.minTLSVersion, baseline.recommendedTLSVersion]) {
    report(severity, facts.tlsVersion < value, `the connection uses ${facts.tlsVersion}, older than ${value}`);
  }
  for (const { value, severity } of [baseline.minKeySizeBits, baseline.recommendedKeySizeBits]) {
    const { keyAlgorithm, keySizeBits } = facts.certificate;
    const isWeak = facts.strength !== null && facts.strength < value;
    report(
      severity,
      isWeak,
      `the key is weak: ${text(keyAlgorithm)} with ${text(keySizeBits)} bits, less than ${value}`,
    );
  }
  const weak = facts.signatureAlgorithms.find((name) => /MD2|MD5|SHA1(?!\d)/i.test(name));
  report(
    baseline.weakSignatureAlgorithm.severity,
    weak !== undefined,
    `a certificate in the chain has a weak signature: ${weak ?? ''}`,
  );
  report(baseline.weakCipherSuite.severity, isWeakCipher(facts.cipherSuite), `the cipher ${facts.cipherSuite} is weak`);
  const isBare = facts.mustStaple && facts.connection['ocspStapled'] !== true;
  report(
    baseline.ocspMustStapleRespected.severity,
    isBare,
    'the certificate requires a stapled OCSP response, but none was sent',
  );
  report(baseline.revocationAnswerValid.severity, revocation?.flaw != null, revocation?.flaw ?? '');
  report(
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

/** Returns the violation of a path that expires within some days, or null. */
export function expiryFlaw(path: CertificatePath, { name, now }: Judging, days: number): Flaw | null {
  if (!isExpiring(path, now, days)) return null;
  const first = firstToExpire(path);
  const left = Date.parse(first.validTo) - now;
  const sentence = `the ${roleIn(path, first) ?? 'certificate'} of ${name} ${timeLeft(left)}`;
  return left < 0
    ? { severity: 'fail', message: sentence }
    : { severity: 'degrade', message: `${sentence}, degraded below ${days} days` };
}

/** Broken ciphers, and those without forward secrecy. */
function isWeakCipher(name: string): boolean {
  return /RC4|RC2|DES|NULL|EXPORT|MD5|IDEA|SEED|anon/.test(name) || name.startsWith('TLS_RSA_');
}

function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : 'unknown';
}
