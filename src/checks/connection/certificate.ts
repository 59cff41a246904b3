// The certificate of a target: what is kept of it, and why it is not trusted.
import type { X509Certificate } from 'node:crypto';
import { createSecureContext, getCACertificates, type SecureContext, type SecureContextOptions } from 'node:tls';
import type { SeenCertificate } from '#domain/result.ts';
import type { ProbeMeans } from '../kind.ts';
import type { Fault } from './fault.ts';

/** Whom connections trust: Node's own authorities and those of the operator. */
export function secureContextOf(
  { extraCertificates = [] }: ProbeMeans,
  options: SecureContextOptions = {},
): SecureContext {
  const more = extraCertificates.length === 0 ? {} : { ca: [...getCACertificates('default'), ...extraCertificates] };
  return createSecureContext({ ...options, ...more });
}

/** What is kept of the certificate a connection showed. */
export function seenCertificate(certificate: X509Certificate, domain: string): SeenCertificate {
  return { domain, fingerprint: certificate.fingerprint256, validTo: Date.parse(certificate.validTo) };
}

/** Why a certificate is not trusted; `error` is the socket's `authorizationError`. */
export function certificateFault(certificate: X509Certificate | undefined, error: unknown, host: string): Fault {
  const issuer = certificate?.issuer.replaceAll('\n', ', ') ?? 'nobody';
  const names = certificate?.subjectAltName ?? certificate?.subject.replaceAll('\n', ', ') ?? 'nobody';
  return { reason: 'tls', message: `the certificate of ${host} ${words(String(error), issuer, names, certificate)}` };
}

function words(
  code: string,
  issuer: string,
  names: string,
  validity: { readonly validFrom: string; readonly validTo: string } | undefined,
): string {
  switch (code) {
    case 'CERT_HAS_EXPIRED':
      return `expired on ${day(validity?.validTo)}`;
    case 'CERT_NOT_YET_VALID':
      return `is not valid before ${day(validity?.validFrom)}`;
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
    case 'HOSTNAME_MISMATCH':
      return `is for another name: ${names.slice(0, 200)}`;
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
      return 'is signed by nobody but itself';
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
      return `is signed by an authority that is not trusted here: ${issuer.slice(0, 200)}`;
    default:
      return `is not trusted: ${code.toLowerCase().replaceAll('_', ' ')}`;
  }
}

function day(text: string | undefined): string {
  const at = Date.parse(text ?? '');
  return Number.isNaN(at) ? 'an unknown day' : new Date(at).toISOString().slice(0, 10);
}
