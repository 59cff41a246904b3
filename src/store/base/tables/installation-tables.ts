// The tables of the installation itself: its accounts, its API keys, its runtimes and its processes.
import type { IdBytes } from '../codec.ts';

export interface AccountsTable {
  id: IdBytes;
  name: string | null;
  runtime_id: string | null;
  settings: string | null;
  alert_settings: string | null;
  execution_limit: number | null;
  created_at: number;
  /** JSON: limits of this account that differ from the configured ones. */
  limits: string | null;
}

export interface ApiKeysTable {
  id: IdBytes;
  /** SHA-256 of the key. */
  hash: IdBytes;
  prefix: string;
  name: string;
  role: string;
  created_at: number;
  last_used_at: number | null;
  expires_at: number | null;
  /** 1 = an operator key; its role is `admin` for processes of an older version. */
  is_operator: number | null;
}

export interface ApiKeyAccountsTable {
  api_key_id: IdBytes;
  account_id: IdBytes;
  /** 0 = the key's default account. */
  position: number;
}

/** The last stage seen of each runtime: a stage never steps back. */
export interface RuntimeStagesTable {
  name: string;
  stage: string;
  seen_at: number;
}

/** Facts of the installation itself: sign of life, and what must be told. */
export interface InstallationTable {
  key: string;
  value: string;
}

/** A process at its last sign of life. */
export interface ProcessesTable {
  id: IdBytes;
  roles: string; // JSON
  version: string;
  location: string;
  location_name: string;
  host: string;
  pid: number;
  /** Of one that serves the API. */
  public_url: string | null;
  started_at: number;
  seen_at: number;
  /** Leases it holds. */
  runs: number;
  deliveries: number;
  /** Of one that runs checks. */
  no_browser_since: number | null;
  listeners: string | null; // JSON; null for an older version
  scripts_refused: string | null;
}

export interface InstallationTables {
  accounts: AccountsTable;
  api_keys: ApiKeysTable;
  api_key_accounts: ApiKeyAccountsTable;
  runtime_stages: RuntimeStagesTable;
  installation: InstallationTable;
  processes: ProcessesTable;
}
