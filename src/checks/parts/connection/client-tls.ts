// TLS settings of connections, with the account's client certificate for hosts that have one.
import type { SecureContext, SecureContextOptions } from 'node:tls';
import { type ClientIdentity, identityFor } from '#domain/accounts/client-certificate.ts';
import { createTrust, type Trust } from '#lib/net/tls-trust.ts';
import type { ProbeDeps } from '../../kind.ts';

export interface TlsSettings {
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
