// Actions on the members of an account.
import type { Page, Slice } from '#store/base/database.ts';
import type { MemberChange } from '#store/accounts/users.ts';
import type { Store } from '#store/store.ts';
import { type Caller, type MemberRole, mayManageOwners } from '#domain/accounts/api-key.ts';
import type { Member } from '#domain/accounts/user.ts';
import { isUuid } from '#lib/id.ts';
import { notFound, Refusal, orNotFound } from '../refusal.ts';
import { requirePermission } from './permission.ts';

export interface PeopleDeps extends Pick<Store, 'users'> {
  /** Clears caches after the memberships of a user have changed. */
  readonly forgetUser: (userId: string) => void;
}

export type PeopleActions = ReturnType<typeof createPeopleActions>;

export function createPeopleActions({ users, forgetUser }: PeopleDeps) {
  const find = async ({ accountId }: Caller, id: string): Promise<Member> => {
    const member = isUuid(id) ? await users.member(accountId, id) : null;
    return orNotFound(member, 'person', id);
  };
  const settle = (outcome: MemberChange, id: string): void => {
    if (outcome === 'not-found') throw notFound('person', id);
    if (outcome === 'last-owner') {
      throw new Refusal(
        'conflict',
        'This person is the last owner of the account. Make another person an owner first.',
      );
    }
    forgetUser(id);
  };
  return {
    list(caller: Caller, page: Slice): Promise<Page<Member>> {
      requirePermission(caller, 'admin');
      return users.members(caller.accountId, page);
    },
    /** Refuses (`conflict`) to change the role of the last owner. */
    async changeRole(caller: Caller, id: string, role: MemberRole): Promise<Member> {
      requirePermission(caller, 'admin');
      const member = await find(caller, id);
      requireOwnerFor(caller, member.role, role);
      settle(await users.changeRole(caller.accountId, id, role), id);
      return { ...member, role, isMapped: false };
    },
    /**
     * Removes a person from the account and deletes a person who is in no other account. Refuses (`conflict`) the last
     * owner.
     */
    async remove(caller: Caller, id: string): Promise<void> {
      requirePermission(caller, 'admin');
      requireOwnerFor(caller, (await find(caller, id)).role);
      settle(await users.removeMember(caller.accountId, id), id);
    },
  };
}

/** Refuses (`forbidden`) changes to owners, unless the caller may manage owners. */
export function requireOwnerFor(caller: Caller, ...roles: readonly MemberRole[]): void {
  if (!roles.includes('owner') || mayManageOwners(caller.role)) return;
  throw new Refusal('forbidden', 'Only an owner of the account or an operator can add, change or remove an owner.');
}
