// Certificates of connections: trust, client certificates, stored facts and trust errors.
import { createTrust, type CertificatePath, firstToExpire, roleIn, shortName, type Trust } from '#lib/net/tls-trust.ts';
import { certificateSentence } from '#lib/net/tls-words.ts';
import type { SeenCertificate } from '#domain/results/result.ts';
import type { ProbeDeps } from '../../kind.ts';
import type { Fault } from './fault.ts';
import type { SecureContext, SecureContextOptions } from 'node:tls';
import { type ClientIdentity, identityFor } from '#domain/accounts/client-certificate.ts';

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

interface TlsSettings {
  readonly secureContext: SecureContext;
  readonly trust: Trust;
}

export type TlsFor = (host: string) => TlsSettings;

/** Creates the TLS settings of an account. @param options options for all connections */
export function createClientTls(deps: ProbeDeps, options: SecureContextOptions = {}): (accountId: string) => TlsFor {
  const { extraCertificates = [], clientCertificates = () => [] } = deps;
  const trust = createTrust(extraCertificates);
  const usual: TlsSettings = { secureContext: trust.createContext(options), trust };
  const made = new WeakMap<ClientIdentity, TlsSettings>();
  const settingsOf = (identity: ClientIdentity): TlsSettings => {
    const known = made.get(identity);
    if (known !== undefined) return known;
    const { cert, key, passphrase, ca } = identity;
    const own = ca === null ? trust : createTrust([...extraCertificates, ca]);
    const secureContext = own.createContext({ ...options, cert, key, ...(passphrase !== null && { passphrase }) });
    const settings = { secureContext, trust: own };
    made.set(identity, settings);
    return settings;
  };
  return (accountId) => (host) => {
    const identity = identityFor(clientCertificates(accountId), host);
    return identity === null ? usual : settingsOf(identity);
  };
}
