// Client certificates of accounts (reference §4.7).
import type { Dialect } from '../dialect.ts';

/** `key` and `passphrase` are sealed. */
export function clientCertificates({ types, strict }: Dialect): string[] {
  const { id, text, instant } = types;
  return [
    `CREATE TABLE client_certificates (account_id ${id} NOT NULL, id ${id} NOT NULL, host ${text} NOT NULL,
      cert ${text} NOT NULL, ca ${text}, key ${text} NOT NULL, passphrase ${text}, created_at ${instant} NOT NULL,
      PRIMARY KEY (account_id, id))${strict}`,
  ];
}
