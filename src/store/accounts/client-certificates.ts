// Client certificates of accounts; keys and passphrases are stored encrypted.
import { deleteRows, findRows, insertRows } from '../base/rows.ts';
import type { ClientCertificate, ClientIdentity } from '#domain/accounts/client-certificate.ts';
import { isUuid, newId } from '#lib/id.ts';
import { idBytes, idText } from '../base/codec.ts';
import { type Database, touchAccount } from '../base/database.ts';
import type { ClientCertificatesTable } from '../base/tables/client-certificate-tables.ts';
import { requireWithinLimit, waitForOthers } from '../base/account-limits.ts';
import type { Seal } from '../base/seal.ts';

/** Client certificates of accounts, secrets included. */
export function createClientCertificates(database: Database) {
  const { reader, transaction, seal, clock } = database;
  return {
    /** Ordered by creation time. */
    async all(accountId: string): Promise<ClientCertificate[]> {
      const rows = await findRows(reader, 'client_certificates', { account_id: idBytes(accountId) }, '*', ['id']);
      return rows.map((row) => clientCertificateOf(row, seal));
    },
    /** Replaces the certificate of the same host. Throws `LimitReachedError`. */
    add: (accountId: string, identity: ClientIdentity): Promise<ClientCertificate> =>
      transaction(async (tx) => {
        // First, so that concurrent calls are serialized.
        await waitForOthers(tx, accountId);
        await deleteRows(tx, 'client_certificates', { account_id: idBytes(accountId), host: identity.host });
        await requireWithinLimit(database, tx, accountId, 'clientCertificates');
        const { host, cert, ca, key, passphrase } = identity;
        const row: ClientCertificatesTable = {
          account_id: idBytes(accountId),
          id: idBytes(newId()),
          host,
          cert,
          ca,
          key: seal.seal(key),
          passphrase: passphrase === null ? null : seal.seal(passphrase),
          created_at: clock.now(),
        };
        await insertRows(tx, 'client_certificates', row);
        await touchAccount(tx, accountId);
        return clientCertificateOf(row, seal);
      }),
    /** false = unknown ID. */
    remove: (accountId: string, id: string): Promise<boolean> =>
      transaction(async (tx) => {
        if (!isUuid(id)) return false;
        const removed = await deleteRows(tx, 'client_certificates', {
          account_id: idBytes(accountId),
          id: idBytes(id),
        });
        if (removed === 0) return false;
        await touchAccount(tx, accountId);
        return true;
      }),
  };
}

function clientCertificateOf(row: ClientCertificatesTable, seal: Seal): ClientCertificate {
  const { account_id, id, created_at } = row;
  return { ...identityOf(row, seal), accountId: idText(account_id), id: idText(id), createdAt: created_at };
}

/** Fields of a row that are presented to servers, decrypted. */
export function identityOf(row: ClientCertificatesTable, seal: Seal): ClientIdentity {
  const { host, cert, ca, key, passphrase } = row;
  return { host, cert, ca, key: seal.open(key), passphrase: passphrase === null ? null : seal.open(passphrase) };
}
