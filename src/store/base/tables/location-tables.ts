// Tables of private locations and snippets.
import type { IdBytes } from '../codec.ts';

export interface PrivateLocationsTable {
  account_id: IdBytes;
  id: IdBytes;
  name: string;
  /** Unique in the installation. */
  slug_name: string;
  icon: string;
  created_at: number;
  updated_at: number | null;
}

export interface PrivateLocationKeysTable {
  account_id: IdBytes;
  id: IdBytes;
  location_id: IdBytes;
  /** SHA-256 of the key. */
  hash: Uint8Array;
  prefix: string;
  created_at: number;
}

export interface SnippetsTable {
  account_id: IdBytes;
  id: number;
  name: string;
  script: string;
  created_at: number;
  updated_at: number | null;
}

export interface LocationTables {
  private_locations: PrivateLocationsTable;
  private_location_keys: PrivateLocationKeysTable;
  snippets: SnippetsTable;
}
