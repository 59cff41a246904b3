// Roles of API keys and people, and their permissions.

export const apiKeyRoles = ['operator', 'admin', 'read-write', 'read-run', 'read-only'] as const;
export type ApiKeyRole = (typeof apiKeyRoles)[number];

/** Roles of people in an account. An owner is an admin who also manages owners. */
export const memberRoles = ['owner', 'admin', 'read-write', 'read-run', 'read-only'] as const;
export type MemberRole = (typeof memberRoles)[number];

/** Roles of callers, most powerful first. */
export const roles = ['operator', ...memberRoles] as const;
export type Role = (typeof roles)[number];

/** `read` reads, `run` starts checks, `write` changes resources, `admin` keys and settings, `operate` the installation. */
export type Permission = 'read' | 'run' | 'write' | 'admin' | 'operate';

/** An API key without the key itself, of which only the SHA-256 is stored. Times are epoch ms. */
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  /** First characters of the key, to recognize it. */
  readonly prefix: string;
  readonly role: ApiKeyRole;
  /** Accounts the key has access to. The first is its default. */
  readonly accountIds: readonly string[];
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
  readonly expiresAt: number | null;
}

/** The role of a person in an account. */
export interface Membership {
  readonly accountId: string;
  readonly role: MemberRole;
}

/** A membership as it counts for a session. */
export interface Access extends Membership {
  /** The account requires a second factor, which the person has not set up. */
  readonly needsSecondFactor?: true;
}

/** A signed-in person as a principal of requests. */
export interface UserPrincipal {
  readonly kind: 'user';
  readonly id: string;
  readonly email: string;
  readonly isOperator: boolean;
  readonly sessionId: string;
  /** The session was opened at the identity provider, whose second factor counts. */
  readonly isFromProvider?: true;
  /** Never empty; the first is the default. */
  readonly memberships: readonly Access[];
}

/** Who sends the request: an API key or a signed-in person. */
export type Principal = { readonly kind: 'api-key'; readonly id: string } | UserPrincipal;

/** The principal and the account that the request acts on. */
export interface Caller {
  readonly principal: Principal;
  /** Role in the account of the request. */
  readonly role: Role;
  readonly accountId: string;
  /** Accounts available to the request: those of the key, or those in which the person has at least this role. */
  readonly accountIds: readonly string[];
  /** The person must set up a second factor before doing anything in the account of the request. */
  readonly needsSecondFactor?: true;
}

const granted: Readonly<Record<Role, readonly Permission[]>> = {
  operator: ['read', 'run', 'write', 'admin', 'operate'],
  owner: ['read', 'run', 'write', 'admin'],
  admin: ['read', 'run', 'write', 'admin'],
  'read-write': ['read', 'run', 'write'],
  'read-run': ['read', 'run'],
  'read-only': ['read'],
};

/** Whether a role includes the permission. */
export function mayDo(role: Role, permission: Permission): boolean {
  return granted[role].includes(permission);
}

/** Whether a role may invite, change and remove owners. */
export function mayManageOwners(role: Role): boolean {
  return role === 'operator' || role === 'owner';
}
