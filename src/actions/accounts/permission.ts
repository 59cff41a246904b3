// The first question of every action: may this caller do that at all?
import { type Caller, mayDo, type Permission } from '#domain/accounts/api-key.ts';
import { Refusal } from '../refusal.ts';

const deeds: Readonly<Record<Permission, string>> = {
  read: 'read',
  run: 'start checks',
  write: 'change anything',
  admin: 'manage the account and its API keys',
  operate: 'operate this installation: use a key with the role operator',
};

/** Refuses (`forbidden`) what the role of the caller's key does not hold. */
export function requirePermission(caller: Caller, permission: Permission): void {
  if (mayDo(caller.role, permission)) return;
  throw new Refusal('forbidden', `The API key has the role ${caller.role} and may not ${deeds[permission]}.`);
}
