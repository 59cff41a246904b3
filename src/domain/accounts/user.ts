// Users, their roles in accounts, sessions and invitations.
import { type Caller, type MemberRole, type Role, roles, type UserPrincipal } from './api-key.ts';

/** A user. Times are epoch ms. */
export interface User {
  readonly id: string;
  /** In lower case. */
  readonly email: string;
  /** Whether the person has proven to receive mail at the address. One such user has it; others may have it too. */
  readonly isProven: boolean;
  readonly isOperator: boolean;
  /** Whether sign-in asks for a code after the password. */
  readonly hasSecondFactor: boolean;
  readonly createdAt: number;
  readonly lastSignInAt: number | null;
}

/** A user as a member of an account. */
export interface Member {
  readonly id: string;
  readonly email: string;
  readonly role: MemberRole;
  /** Whether the claims of the identity provider gave the role, and set it at each sign-in. */
  readonly isMapped: boolean;
  /** When the person joined the account. */
  readonly createdAt: number;
  readonly lastSignInAt: number | null;
}

/** A signed-in browser. */
export interface Session {
  readonly id: string;
  readonly userId: string;
  readonly createdAt: number;
  readonly lastSeenAt: number;
  /** Latest end of the session; it ends earlier when idle. */
  readonly expiresAt: number;
  readonly userAgent: string;
  readonly openedBy: SessionOpening;
}

/**
 * How a person proved who they are. `link` = an invitation or a setup link, together with a password; `provider` = at
 * the identity provider.
 */
export const sessionOpenings = ['password', 'totp', 'recovery-code', 'link', 'provider'] as const;
export type SessionOpening = (typeof sessionOpenings)[number];

/** An invitation to join an account, without its token. */
export interface Invite {
  readonly id: string;
  readonly accountId: string;
  readonly email: string;
  /** Whether the link was sent only by mail, so that its use proves the address. */
  readonly isMailed: boolean;
  readonly role: MemberRole;
  readonly createdAt: number;
  readonly expiresAt: number;
}

const dayMs = 86_400_000;
export const sessionIdleMs = 14 * dayMs;
export const sessionMaxMs = 90 * dayMs;
/** Shorter, because the provider does not say that a person may no longer sign in. */
export const providerSessionMaxMs = 7 * dayMs;
export const inviteMaxMs = 7 * dayMs;
export const setupLinkMaxMs = dayMs;
export const passwordResetMaxMs = 1_800_000;
/** How long a sign-in at the identity provider may take. */
export const flowMaxMs = 600_000;

/**
 * The user whose password a link may reset: the proven one of the email address, or the only one. null = nobody, or
 * several, of whom none has proven the address.
 */
export function resettableOf<Known extends { readonly isProven: boolean }>(known: readonly Known[]): Known | null {
  return known.find(({ isProven }) => isProven) ?? (known.length === 1 ? (known[0] ?? null) : null);
}
/** How long a device stays known after a sign-in; browsers keep no cookie for longer. */
export const deviceMaxMs = 400 * dayMs;

/** The effective role of a person: operators operate from accounts in which they are admins. */
export function effectiveRole(role: MemberRole, isOperator: boolean): Role {
  return isOperator && (role === 'owner' || role === 'admin') ? 'operator' : role;
}

/**
 * The caller of a person's request; null = not a member of the account.
 * @param named the account that the request names; absent = the person's first
 */
export function callerOfUser(principal: UserPrincipal, named?: string): Caller | null {
  const { memberships, isOperator } = principal;
  const membership = named === undefined ? memberships[0] : memberships.find(({ accountId }) => accountId === named);
  if (membership === undefined) return null;
  const role = effectiveRole(membership.role, isOperator);
  // A role in this account grants nothing in accounts where the person's own role is lower.
  const reached = memberships.filter(
    (each) => each.needsSecondFactor !== true && isAtLeast(effectiveRole(each.role, isOperator), role),
  );
  return {
    principal,
    role,
    accountId: membership.accountId,
    accountIds: reached.map(({ accountId }) => accountId),
    ...(membership.needsSecondFactor === true && { needsSecondFactor: true as const }),
  };
}

function isAtLeast(role: Role, other: Role): boolean {
  return roles.indexOf(role) <= roles.indexOf(other);
}

/** When a session expires if it is not used again. */
export function sessionEnd({ lastSeenAt, expiresAt }: Pick<Session, 'lastSeenAt' | 'expiresAt'>): number {
  return Math.min(lastSeenAt + sessionIdleMs, expiresAt);
}
