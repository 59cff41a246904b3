// Members and invitations for the `checkly` command line.
import type { InviteActions } from '#actions/accounts/invites.ts';
import type { PeopleActions } from '#actions/accounts/people.ts';
import type { CliInviteBody, CliMemberBody } from '#contract/vendor/cli-member.ts';
import { type MemberRole, memberRoles } from '#domain/accounts/api-key.ts';
import type { Invite, Member } from '#domain/accounts/user.ts';
import { type Route, route } from '../route.ts';
import { isoText } from '../wire.ts';

/** Members and invitations that are searched, at most, of each. */
const most = { limit: 1000, offset: 0 };

export function cliMemberRoutes(people: PeopleActions, invites: Pick<InviteActions, 'list'>): Route[] {
  return [
    route('listCliMembers', async ({ caller, query }) => {
      const { search, type, role, status, limit = Infinity, nextId } = query;
      const listed = [
        ...(await people.list(caller, most)).rows.map((each) => memberToWire(each, caller.accountId)),
        ...(await invites.list(caller, most)).rows.map(inviteToWire),
      ].filter(
        (each) =>
          each.email.toLowerCase().includes(search.toLowerCase()) &&
          (type ?? each.type) === each.type &&
          (role ?? each.role) === each.role &&
          (status ?? each.status) === each.status,
      );
      const members = listed.slice(nextId, nextId + limit);
      const end = nextId + members.length;
      return { members, length: members.length, nextId: end < listed.length ? String(end) : null };
    }),
    route('updateCliMember', async ({ caller, params, body }) =>
      memberToWire(await people.changeRole(caller, params.id, roleOf(body.role)), caller.accountId),
    ),
    route('deleteCliMember', ({ caller, params }) => people.remove(caller, params.id)),
  ];
}

function roleToWire(role: MemberRole): string {
  return role.toUpperCase().replace('-', '_');
}

function roleOf(wanted: string): MemberRole {
  const role = memberRoles.find((each) => roleToWire(each) === wanted);
  if (role === undefined) throw new Error(`the contract accepts ${wanted}, which is not a role`);
  return role;
}

function memberToWire({ id, email, role, createdAt }: Member, accountId: string): CliMemberBody {
  const since = isoText(createdAt);
  const status = 'ACTIVE';
  const shown = { accountId, userId: id, name: null, email, role: roleToWire(role), status } as const;
  return { type: 'member', ...shown, createdAt: since, updatedAt: since };
}

function inviteToWire({ id, accountId, email, role, createdAt, expiresAt }: Invite): CliInviteBody {
  const since = isoText(createdAt);
  const shown = { id, accountId, email, role: roleToWire(role), status: 'PENDING' } as const;
  return { type: 'invite', ...shown, createdAt: since, updatedAt: since, expiresAt: isoText(expiresAt) };
}
