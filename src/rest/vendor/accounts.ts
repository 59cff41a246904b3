// The account, its caller, members and variables for the `checkly` command line.
import type { AccountActions } from '#actions/accounts/accounts.ts';
import type { ReadMe } from '#actions/accounts/me.ts';
import type { LocationActions } from '#actions/locations/locations.ts';
import type { UsageActions } from '#actions/operating/usage.ts';
import { mostLocations } from '#contract/lists.ts';
import type {
  CliAccountBody,
  CliPlanBody,
  CliUserBody,
  CliInviteBody,
  CliMemberBody,
} from '#contract/vendor/cli-account.ts';
import type { Account, UsageEntry } from '#domain/accounts/account.ts';
import { type Caller, type MemberRole, memberRoles } from '#domain/accounts/api-key.ts';
import { type Runtime, runtimeChoice } from '#domain/checks/runtime.ts';
import { type Route, route, pageOf, sliceOf } from '../route.ts';
import { given, isoText } from '../wire.ts';
import type { VariableActions } from '#actions/accounts/variables.ts';
import { variableToWire } from '../accounts/variables.ts';
import type { InviteActions } from '#actions/accounts/invites.ts';
import type { PeopleActions } from '#actions/accounts/people.ts';
import type { Invite, Member } from '#domain/accounts/user.ts';

export interface CliAccountDeps {
  readonly accounts: Pick<AccountActions, 'find' | 'list'>;
  readonly usage: UsageActions;
  readonly locations: LocationActions;
  readonly readMe: ReadMe;
  /** The installed runtimes. */
  readonly runtimes: () => readonly Runtime[];
  /** Epoch ms. */
  readonly now: () => number;
}

/** The routes that the command line calls first, and those of `account plan`. */
export function cliAccountRoutes({ accounts, usage, locations, readMe, runtimes, now }: CliAccountDeps): Route[] {
  const toWire = ({ id, name, runtimeId }: Account): CliAccountBody => {
    const wanted = { check: null, group: null, account: runtimeId, runtimeFallback: true };
    const { runtime } = runtimeChoice(wanted, runtimes(), now());
    return { id, name: name ?? '', runtimeId: runtime?.name ?? '', features: [] };
  };
  return [
    route('listCliAccounts', async ({ caller }) => (await accounts.list(caller)).map(toWire)),
    route('getCliAccount', async ({ caller, params }) => toWire(await accounts.find(caller, params.id))),
    route('getCliUser', async ({ caller }) => userToWire((await readMe(caller)).caller)),
    route('getCliPlan', async ({ caller }): Promise<CliPlanBody> => {
      const all = locations.list(caller).map(({ code, name, silentSince }) => ({
        id: code,
        name,
        available: silentSince === null,
      }));
      return {
        plan: 'SELF_HOSTED',
        planDisplayName: 'Self-hosted',
        addons: {},
        locations: { all, maxPerCheck: mostLocations },
        entitlements: (await usage.list(caller)).map(entitlementToWire),
      };
    }),
  ];
}

function userToWire({ principal, role }: Caller): CliUserBody {
  return principal.kind === 'user'
    ? { id: principal.id, name: principal.email, email: principal.email }
    : { id: principal.id, name: `an API key with the role ${role}`, email: '' };
}

/** `clientCertificates` becomes `CLIENT_CERTIFICATES`, “client certificates”. */
function entitlementToWire({ name, used, limit }: UsageEntry): CliPlanBody['entitlements'][number] {
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  const key = words.toUpperCase().replaceAll(' ', '_');
  const facts = { key, name: words, description: `${used} used`, type: 'metered', enabled: true } as const;
  return { ...facts, ...given({ quantity: limit }) };
}

export function cliVariableRoutes(variables: Pick<VariableActions, 'list'>): Route[] {
  return [
    route('listCliVariables', async ({ caller, query }) =>
      pageOf(await variables.list(caller, sliceOf(query)), variableToWire),
    ),
  ];
}

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
