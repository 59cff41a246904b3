// The table of client certificates.
import type { IdBytes } from '../codec.ts';

export interface ClientCertificatesTable {
  account_id: IdBytes;
  id: IdBytes;
  host: string;
  cert: string;
  ca: string | null;
  key: string; // sealed
  passphrase: string | null; // sealed
  created_at: number;
}

/** For `Tables` of the schema. */
export interface ClientCertificateTables {
  client_certificates: ClientCertificatesTable;
}
