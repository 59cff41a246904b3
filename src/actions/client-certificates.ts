// What a caller may do with the client certificates of its account (reference §4.7).
import type { Caller } from '#domain/api-key.ts';
import type { ClientCertificate, ClientIdentity } from '#domain/client-certificate.ts';
import { identityProblem } from '#lib/client-identity.ts';
import { asciiHost } from '#lib/host-name.ts';
import { requirePermission } from './permission.ts';
import { invalidField, notFound, Refusal } from './refusal.ts';

/** A certificate as it may be shown: without its key and passphrase. */
export type ShownClientCertificate = Omit<ClientCertificate, 'key' | 'passphrase'>;

/** What these actions need. */
export interface ClientCertificateMeans {
  readonly clientCertificates: {
    all(accountId: string): Promise<readonly ClientCertificate[]>;
    /** A text says which bound it would break; nothing was added then. */
    add(accountId: string, identity: ClientIdentity): Promise<ClientCertificate | 'host'>;
    remove(accountId: string, id: string): Promise<boolean>;
  };
}

export interface ClientCertificateActions {
  /** In the order in which they were made. */
  list(caller: Caller): Promise<ShownClientCertificate[]>;
  find(caller: Caller, id: string): Promise<ShownClientCertificate>;
  /** Refuses with `invalid` what TLS cannot use, and with `conflict` a host that has one. */
  create(caller: Caller, identity: ClientIdentity): Promise<ShownClientCertificate>;
  remove(caller: Caller, id: string): Promise<void>;
}

export function createClientCertificateActions({
  clientCertificates,
}: ClientCertificateMeans): ClientCertificateActions {
  return {
    async list(caller) {
      requirePermission(caller, 'read');
      return (await clientCertificates.all(caller.accountId)).map(shown);
    },
    async find(caller, id) {
      requirePermission(caller, 'read');
      const found = (await clientCertificates.all(caller.accountId)).find((each) => each.id === id);
      if (found === undefined) throw notFound('client certificate', id);
      return shown(found);
    },
    async create(caller, identity) {
      requirePermission(caller, 'write');
      const host = hostOf(identity.host);
      if (host === null)
        throw invalidField('host', 'must be a host name or a wildcard such as *.example.com, without a port');
      const problem = identityProblem(identity);
      if (problem !== null) throw invalidField(problem.path, problem.message);
      const added = await clientCertificates.add(caller.accountId, { ...identity, host });
      if (added === 'host') {
        throw new Refusal('conflict', `A client certificate for ${host} already exists. Delete it first.`);
      }
      return shown(added);
    },
    async remove(caller, id) {
      requirePermission(caller, 'write');
      if (!(await clientCertificates.remove(caller.accountId, id))) throw notFound('client certificate', id);
    },
  };
}

function shown({ key: _key, passphrase: _passphrase, ...rest }: ClientCertificate): ShownClientCertificate {
  return rest;
}

/** A host or a pattern as it is compared; null = it is neither. */
function hostOf(text: string): string | null {
  const host = asciiHost(text.trim())?.toLowerCase().replace(/\.$/, '') ?? '';
  return /^(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(host) || /^[0-9a-f:]+:[0-9a-f:.]*$/.test(host) ? host : null;
}
