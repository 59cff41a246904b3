// Routes of account members and invitations.
import type { InviteActions } from '#actions/accounts/invites.ts';
import type { PeopleActions } from '#actions/accounts/people.ts';
import type { InviteBody, PersonBody } from '#contract/accounts/person.ts';
import type { Invite, Member } from '#domain/accounts/user.ts';
import { HttpRefusal } from '../http-refusal.ts';
import { createRateLimit, type RateLimit } from '../rate-limit.ts';
import { pageOf, type Route, route, sliceOf } from '../route.ts';
import { isoText, isoTextOrNull } from '../wire.ts';

/** Invitations per hour, which are sent by email to addresses that an admin chooses. */
const invitationsMax = { account: 60, address: 5 } as const;
const hourMs = 3_600_000;

/** The routes of members, except those for joining by invitation. */
export function peopleRoutes(people: PeopleActions, invites: InviteActions, now: () => number): Route[] {
  const limits = {
    accounts: createRateLimit(invitationsMax.account, hourMs, now),
    addresses: createRateLimit(invitationsMax.address, hourMs, now),
  };
  const requireAllowance = (limit: RateLimit, name: string, whose: string): void => {
    const allowance = limit.take(name);
    if (allowance === null || allowance.isAllowed) return;
    throw new HttpRefusal(429, `Too many invitations ${whose}: at most ${allowance.limit} per hour.`, {
      headers: { 'retry-after': String(allowance.retryAfterSeconds) },
    });
  };
  return [
    route('listUsers', async ({ caller, query }) => pageOf(await people.list(caller, sliceOf(query)), personToWire)),
    route('updateUser', async ({ caller, params, body }) =>
      personToWire(await people.changeRole(caller, params.id, body.role)),
    ),
    route('deleteUser', ({ caller, params }) => people.remove(caller, params.id)),
    route('listInvites', async ({ caller, query }) => pageOf(await invites.list(caller, sliceOf(query)), inviteToWire)),
    route('createInvite', async ({ caller, body }) => {
      requireAllowance(limits.accounts, caller.accountId, 'of the account');
      requireAllowance(limits.addresses, `${caller.accountId} ${body.email}`, 'to this address');
      const { url, ...made } = await invites.create(caller, body);
      return { ...inviteToWire(made), url };
    }),
    route('deleteInvite', ({ caller, params }) => invites.remove(caller, params.id)),
  ];
}

function personToWire({ createdAt, lastSignInAt, ...member }: Member): PersonBody {
  return { ...member, createdAt: isoText(createdAt), lastSignInAt: isoTextOrNull(lastSignInAt) };
}

function inviteToWire({ id, email, role, createdAt, expiresAt }: Invite): InviteBody {
  return { id, email, role, createdAt: isoText(createdAt), expiresAt: isoText(expiresAt) };
}
