// Permission check, the first step of every action.
import { type Caller, mayDo, type Permission, type UserPrincipal } from '#domain/accounts/api-key.ts';
import { Refusal } from '../refusal.ts';

const deeds: Readonly<Record<Permission, string>> = {
  read: 'read',
  run: 'start checks',
  write: 'edit',
  admin: 'manage the account, its members and its API keys',
  operate: 'operate this installation, which requires the role operator',
};

/** Refuses (`forbidden`) if the caller's role does not include the permission, or a required second factor is missing. */
export function requirePermission(caller: Caller, permission: Permission): void {
  if (caller.needsSecondFactor === true) {
    throw new Refusal('forbidden', 'This account requires a second factor. Set it up in your profile.', {
      attributes: { secondFactor: 'required' },
    });
  }
  if (mayDo(caller.role, permission)) return;
  const message =
    caller.principal.kind === 'user'
      ? `Your role in this account is ${caller.role}, which does not allow you to ${deeds[permission]}.`
      : `The API key has the role ${caller.role}, which does not allow it to ${deeds[permission]}.`;
  throw new Refusal('forbidden', message);
}

/** The calling person; refuses (`forbidden`) an API key. */
export function requireUser({ principal }: Caller): UserPrincipal {
  if (principal.kind === 'user') return principal;
  throw new Refusal('forbidden', 'API keys have no sessions. Sign in to use this operation.');
}
