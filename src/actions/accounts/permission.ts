// Permission check, the first step of every action.
import { type Caller, mayDo, type Permission } from '#domain/accounts/api-key.ts';
import { Refusal } from '../refusal.ts';

const deeds: Readonly<Record<Permission, string>> = {
  read: 'read',
  run: 'start checks',
  write: 'edit',
  admin: 'manage the account, its members and its API keys',
  operate: 'operate this installation, which requires the role operator',
};

/** Refuses (`forbidden`) if the caller's role does not include the permission. */
export function requirePermission(caller: Caller, permission: Permission): void {
  if (mayDo(caller.role, permission)) return;
  const message =
    caller.principal.kind === 'user'
      ? `Your role in this account is ${caller.role}, which does not allow you to ${deeds[permission]}.`
      : `The API key has the role ${caller.role}, which does not allow it to ${deeds[permission]}.`;
  throw new Refusal('forbidden', message);
}
