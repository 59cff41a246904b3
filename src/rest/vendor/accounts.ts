// The account and its caller for the `checkly` command line.
import type { AccountActions } from '#actions/accounts/accounts.ts';
import type { ReadMe } from '#actions/accounts/me.ts';
import type { LocationActions } from '#actions/checks/locations.ts';
import type { UsageActions } from '#actions/operating/usage.ts';
import { mostLocations } from '#contract/lists.ts';
import type { CliAccountBody, CliPlanBody, CliUserBody } from '#contract/vendor/cli-account.ts';
import type { Account } from '#domain/accounts/account.ts';
import type { Caller } from '#domain/accounts/api-key.ts';
import type { UsageEntry } from '#domain/accounts/usage.ts';
import { type Runtime, runtimeChoice } from '#domain/checks/runtime.ts';
import { type Route, route } from '../route.ts';
import { given } from '../wire.ts';

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
