// TLS settings of connections, with the client certificate of the account for hosts that have one.
import type { SecureContext, SecureContextOptions } from 'node:tls';
import { type ClientIdentity, identityFor } from '#domain/accounts/client-certificate.ts';
import { createTrust, type Trust } from '#lib/net/tls-trust.ts';
import type { ProbeMeans } from '../../kind.ts';

/** What a TLS connection is made with. */
export interface TlsSettings {
  readonly secureContext: SecureContext;
  readonly trust: Trust;
}

/** The settings for a host. */
export type TlsFor = (host: string) => TlsSettings;

/** Makes the settings for connections of an account. @param options what holds for all connections */
export function createClientTls(means: ProbeMeans, options: SecureContextOptions = {}): (accountId: string) => TlsFor {
  const { extraCertificates = [], clientCertificates = () => [] } = means;
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
