// The tables of the installation itself: its accounts, API keys, people, runtimes and processes.
import type { Generated } from 'kysely';
import type { Flag, IdBytes } from '../codec.ts';

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
  /** IANA name; null = the server's. */
  time_zone: string | null;
  /** 1 = people need a second factor. */
  requires_second_factor: Flag;
  /** How often the links of badges were revoked. */
  badge_generation: Generated<number>;
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

export interface UsersTable {
  id: IdBytes;
  /** In lower case. One proven user has it, and others may. */
  email: string;
  is_proven: Flag;
  /** argon2id in the PHC format; null = the person signs in with the identity provider alone. */
  password: string | null;
  is_operator: Flag;
  created_at: number;
  last_sign_in_at: number | null;
  /** Encrypted; null = no second factor. */
  totp_secret: string | null;
  /** null = not confirmed yet. */
  totp_since: number | null;
  /** Number of the last 30 s step whose code was used. */
  totp_step: number | null;
  /** JSON: SHA-256 of each unused recovery code. */
  recovery_codes: string | null;
}

export interface MembershipsTable {
  account_id: IdBytes;
  user_id: IdBytes;
  role: string;
  /** 1 = the claims of the identity provider gave the role. */
  is_mapped: Flag;
  created_at: number;
}

/** People at identity providers. */
export interface IdentitiesTable {
  issuer: string;
  subject: string;
  user_id: IdBytes;
  /** In lower case; null = not verified when it was connected. */
  email: string | null;
  created_at: number;
}

export interface SessionsTable {
  id: IdBytes;
  /** SHA-256 of the token. */
  hash: IdBytes;
  user_id: IdBytes;
  created_at: number;
  last_seen_at: number;
  expires_at: number;
  user_agent: string;
  opened_by: string;
}

/** Links for creating a user. */
export interface SetupLinksTable {
  /** SHA-256 of the token. */
  hash: IdBytes;
  created_at: number;
  expires_at: number;
  /** 1 = works only while the installation has no user. */
  is_first: Flag;
}

/** Links for choosing another password. */
export interface PasswordResetsTable {
  /** SHA-256 of the token. */
  hash: IdBytes;
  user_id: IdBytes;
  expires_at: number;
}

export interface InvitesTable {
  account_id: IdBytes;
  id: IdBytes;
  /** SHA-256 of the token. */
  hash: IdBytes;
  email: string;
  /** 1 = the link was sent only by mail. */
  is_mailed: Flag;
  role: string;
  created_at: number;
  expires_at: number;
}

/** The last known stage of each runtime: a stage never moves backwards. */
export interface RuntimeStagesTable {
  name: string;
  stage: string;
  seen_at: number;
}

/** Facts about the installation: last heartbeat, restores, holds. */
export interface InstallationTable {
  key: string;
  value: string;
}

/** A process at its last heartbeat. */
export interface ProcessesTable {
  id: IdBytes;
  roles: string; // JSON
  version: string;
  location: string;
  location_name: string;
  host: string;
  pid: number;
  /** If it serves the API. */
  public_url: string | null;
  started_at: number;
  seen_at: number;
  /** Numbers of leases. */
  runs: number;
  deliveries: number;
  /** If it runs checks. */
  no_browser_since: number | null;
  resolver_down_since: number | null;
  listeners: string | null; // JSON; null for an older version
  scripts_refused: string | null;
  /** JSON: names of steps that make no progress; null = none. */
  stalled: string | null;
  /** JSON: problems that it alone can see; null = none. */
  notices: string | null;
}

/** A location that has or had a runner. */
export interface LocationsTable {
  code: string;
  name: string;
  /** The account that has or had a private location of that code; null = all accounts share it. */
  owner_id: IdBytes | null;
  /** 1 = that private location exists. */
  is_claimed: Flag;
  /** Last heartbeat of a runner there; 0 = there was none. */
  seen_at: number;
}

export interface InstallationTables {
  accounts: AccountsTable;
  api_keys: ApiKeysTable;
  api_key_accounts: ApiKeyAccountsTable;
  users: UsersTable;
  memberships: MembershipsTable;
  identities: IdentitiesTable;
  sessions: SessionsTable;
  setup_links: SetupLinksTable;
  password_resets: PasswordResetsTable;
  invites: InvitesTable;
  runtime_stages: RuntimeStagesTable;
  installation: InstallationTable;
  processes: ProcessesTable;
  locations: LocationsTable;
}
