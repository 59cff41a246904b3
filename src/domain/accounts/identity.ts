// People at the identity provider of the installation: who may sign in, and the roles that their claims give.
import { type MemberRole, memberRoles, type Membership } from './api-key.ts';

/** A person at the identity provider. Issuer and subject identify the person; the email address does not. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
  /** Address at the provider when it was connected, in lower case; null = not verified. */
  readonly email: string | null;
}

/** Roles by claim, value of the claim and account ID. The value `*` stands for every value. */
export type ClaimRoles = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, MemberRole>>>>>>;

/** The identity provider of the installation and its rules, set by the operator. */
export interface ProviderSettings {
  /** URL with which discovery starts, exactly as the provider writes it. */
  readonly issuer: string;
  readonly clientId: string;
  /** A secret. */
  readonly clientSecret: string;
  /** Name for people. */
  readonly name: string;
  /** Scopes in addition to `openid` and `email`. */
  readonly scopes: readonly string[];
  /** Domains of email addresses in lower case; empty = any. */
  readonly domains: readonly string[];
  readonly roles: ClaimRoles;
  /** Whether roles by claim are for people who have joined before, and others need an invitation. */
  readonly isInvitedOnly: boolean;
}

/** What the provider says about a person; verified, but of any shape. */
export type Claims = Readonly<Record<string, unknown>>;

/** The email address in lower case; null = there is none, or the provider has not verified it. */
export function verifiedEmail({ email, email_verified: isVerified }: Claims): string | null {
  if (typeof email !== 'string' || (isVerified !== true && isVerified !== 'true')) return null;
  return /^[^\s@]+@[^\s@]+$/.test(email) && email.length <= 254 ? email.toLowerCase() : null;
}

/** Whether an address is in one of the domains. */
export function isInDomains(email: string, domains: readonly string[]): boolean {
  return domains.includes(email.slice(email.lastIndexOf('@') + 1));
}

/** The accounts that claims give access to, each with the strongest role. */
export function rolesOf(claims: Claims, roles: ClaimRoles): Membership[] {
  const found = new Map<string, MemberRole>();
  for (const [claim, byValue] of Object.entries(roles)) {
    const values = Object.hasOwn(claims, claim) ? valuesOf(claims[claim]) : [];
    for (const [value, accounts] of Object.entries(byValue)) {
      if (value === '*' ? values.length === 0 : !values.includes(value)) continue;
      for (const [accountId, role] of Object.entries(accounts)) {
        const present = found.get(accountId);
        if (present === undefined || memberRoles.indexOf(role) < memberRoles.indexOf(present)) {
          found.set(accountId, role);
        }
      }
    }
  }
  return [...found].map(([accountId, role]) => ({ accountId, role }));
}

function valuesOf(claim: unknown): string[] {
  const values: readonly unknown[] = Array.isArray(claim) ? claim : [claim];
  return values.filter((value) => ['string', 'number', 'boolean'].includes(typeof value)).map(String);
}
