// The certificate of a target: its stored facts and trust errors.
import { createTrust, type CertificatePath, firstToExpire, roleIn, shortName, type Trust } from '#lib/net/tls-trust.ts';
import { certificateSentence } from '#lib/net/tls-words.ts';
import type { SeenCertificate } from '#domain/results/result.ts';
import type { ProbeDeps } from '../../kind.ts';
import type { Fault } from './fault.ts';

/** The CAs that the connections of a probe trust. */
export function trustOf({ extraCertificates }: ProbeDeps): Trust {
  return createTrust(extraCertificates);
}

/** The certificate of a path that expires first, when the connection will fail. */
export function seenCertificate(path: CertificatePath, domain: string): SeenCertificate {
  const first = firstToExpire(path);
  const role = roleIn(path, first);
  return {
    domain,
    fingerprint: first.fingerprint256,
    validTo: Date.parse(first.validTo),
    issuer: shortName(first.issuer),
    ...(role !== null && { role }),
  };
}

/** Describes why a certificate is not trusted; `error` is the socket's `authorizationError`. */
export function certificateFault(path: CertificatePath | null, error: unknown, host: string): Fault {
  return { reason: 'tls', message: certificateSentence(path, String(error), host, Date.now()) };
}
