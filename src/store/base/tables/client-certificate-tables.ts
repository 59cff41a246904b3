// The table of client certificates.
import type { IdBytes } from '../codec.ts';

export interface ClientCertificatesTable {
  account_id: IdBytes;
  id: IdBytes;
  host: string;
  cert: string;
  ca: string | null;
  key: string; // encrypted
  passphrase: string | null; // encrypted
  created_at: number;
}

/** Tables of the schema. */
export interface ClientCertificateTables {
  client_certificates: ClientCertificatesTable;
}
