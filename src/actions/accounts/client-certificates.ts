// Actions on client certificates (reference §4.7).
import type { Store } from '#store/store.ts';
import type { Caller } from '#domain/accounts/api-key.ts';
import type { ClientCertificate, ClientIdentity } from '#domain/accounts/client-certificate.ts';
import { expiryOf, identityProblem } from '#lib/net/client-identity.ts';
import { asciiHost } from '#lib/net/host-name.ts';
import { requirePermission } from './permission.ts';
import { invalidField, notFound } from '../refusal.ts';

/** A certificate without its private key and passphrase. */
export interface ShownClientCertificate extends Omit<ClientCertificate, 'key' | 'passphrase'> {
  /** Epoch ms. */
  readonly expiresAt: number;
}

export type ClientCertificateActions = ReturnType<typeof createClientCertificateActions>;

export function createClientCertificateActions({ clientCertificates }: Pick<Store, 'clientCertificates'>) {
  return {
    /** Ordered by creation time. */
    async list(caller: Caller): Promise<ShownClientCertificate[]> {
      requirePermission(caller, 'read');
      return (await clientCertificates.all(caller.accountId)).map(shown);
    },
    async find(caller: Caller, id: string): Promise<ShownClientCertificate> {
      requirePermission(caller, 'read');
      const found = (await clientCertificates.all(caller.accountId)).find((each) => each.id === id);
      if (found === undefined) throw notFound('client certificate', id);
      return shown(found);
    },
    /** Replaces the certificate of the same host. Refuses (`invalid`) certificates and keys that TLS cannot use. */
    async create(caller: Caller, identity: ClientIdentity): Promise<ShownClientCertificate> {
      requirePermission(caller, 'write');
      const host = parseHost(identity.host);
      if (host === null)
        throw invalidField('host', 'must be a host name or a wildcard such as *.example.com, without a port');
      const problem = identityProblem(identity);
      if (problem !== null) throw invalidField(problem.path, problem.message);
      return shown(await clientCertificates.add(caller.accountId, { ...identity, host }));
    },
    async remove(caller: Caller, id: string): Promise<void> {
      requirePermission(caller, 'write');
      if (!(await clientCertificates.remove(caller.accountId, id))) throw notFound('client certificate', id);
    },
  };
}

function shown({ key: _key, passphrase: _passphrase, ...rest }: ClientCertificate): ShownClientCertificate {
  return { ...rest, expiresAt: expiryOf(rest.cert) };
}

/** Normalizes a host or wildcard for comparison; null = neither. */
function parseHost(text: string): string | null {
  const host = asciiHost(text.trim())?.toLowerCase().replace(/\.$/, '') ?? '';
  return /^(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(host) || /^[0-9a-f:]+:[0-9a-f:.]*$/.test(host) ? host : null;
}
