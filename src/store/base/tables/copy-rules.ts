// How tables are copied to another database, if not whole and together with their account.
import type { Tables } from './schema.ts';

export interface CopyRule {
  /**
   * `installation`: not copied with a single account. Keys are merged with those of the target, and users belong to the
   * installation. `nothing`: specific to a running installation.
   */
  readonly with?: 'installation' | 'nothing';
  /** Rows per batch of a table with some large rows: the size of the next rows is unknown. */
  readonly rowsAtOnce?: number;
}

/** Exceptions. Any other table is copied, with its account if it has an `account_id`. */
export const copyRules: Readonly<Partial<Record<keyof Tables, CopyRule>>> = {
  processes: { with: 'nothing' },
  // Codes that private locations claim are copied with them.
  locations: { with: 'installation' },
  // A page claims its addresses again when it is published.
  status_page_addresses: { with: 'installation' },
  status_mail_slots: { with: 'installation' },
  sessions: { with: 'nothing' },
  setup_links: { with: 'nothing' },
  password_resets: { with: 'nothing' },
  api_key_accounts: { with: 'installation' },
  memberships: { with: 'installation' },
  invites: { with: 'installation' },
  asset_parts: { rowsAtOnce: 8 },
  script_file_parts: { rowsAtOnce: 8 },
};
