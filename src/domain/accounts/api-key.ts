// What a caller may do: the roles of an API key and the permissions they hold.

export const apiKeyRoles = ['operator', 'admin', 'read-write', 'read-run', 'read-only'] as const;
export type ApiKeyRole = (typeof apiKeyRoles)[number];

/**
 * `read` looks, `run` starts checks, `write` changes an account's resources, `admin` its keys and settings, `operate` what all
 * accounts share: which accounts there are, and what each may use.
 */
export type Permission = 'read' | 'run' | 'write' | 'admin' | 'operate';

/** An API key as it can be shown: never the key itself, which only its SHA-256 is kept of. Instants are epoch ms. */
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  /** The first characters of the key, enough to recognise it. */
  readonly prefix: string;
  readonly role: ApiKeyRole;
  /** Accounts the key reaches; the first is its default. */
  readonly accountIds: readonly string[];
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
  readonly expiresAt: number | null;
}

/** Who asks: the key, and the one account the request acts on. */
export interface Caller {
  readonly keyId: string;
  readonly role: ApiKeyRole;
  readonly accountId: string;
  /** Every account the key reaches. */
  readonly accountIds: readonly string[];
}

const granted: Readonly<Record<ApiKeyRole, readonly Permission[]>> = {
  operator: ['read', 'run', 'write', 'admin', 'operate'],
  admin: ['read', 'run', 'write', 'admin'],
  'read-write': ['read', 'run', 'write'],
  'read-run': ['read', 'run'],
  'read-only': ['read'],
};

/** Whether a role holds a permission. */
export function mayDo(role: ApiKeyRole, permission: Permission): boolean {
  return granted[role].includes(permission);
}
