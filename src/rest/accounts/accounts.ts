// Routes of accounts (spec §4.2).
import type { AccountActions } from '#actions/accounts/accounts.ts';
import type { AccountBody, UsageBody } from '#contract/accounts/account.ts';
import type { Account, Usage } from '#domain/accounts/account.ts';
import { type Route, route } from '../route.ts';
import { given, isoText } from '../wire.ts';

/** The routes of accounts. `me` instead of an ID is the account of the request. */
export function accountRoutes(actions: AccountActions): Route[] {
  return [
    route('listAccounts', async ({ caller }) => (await actions.list(caller)).map((account) => toWire(account))),
    route('createAccount', async ({ caller, body }) => toWire(await actions.create(caller, body))),
    route('getOwnAccount', async ({ caller }) => toWire(await actions.find(caller, caller.accountId))),
    route('getAccount', async ({ caller, params }) => toWire(await actions.find(caller, params.id))),
    route('updateAccount', async ({ caller, params, body }) => toWire(await actions.change(caller, params.id, body))),
    route('getUsage', async ({ caller, params }) => usageToWire(await actions.usage(caller, params.id))),
  ];
}

/** Absent instead of null (decisions: Optional fields). */
function toWire(account: Account): AccountBody {
  const { id, name, runtimeId, settings, alertSettings, executionLimit, limits, timeZone, requiresSecondFactor } =
    account;
  return {
    id,
    ...given({ name, runtimeId, settings, alertSettings, executionLimit, limits, timeZone }),
    ...(requiresSecondFactor && { requiresSecondFactor }),
  };
}

function usageToWire({ from, to, used, limit }: Usage): UsageBody {
  return { from: isoText(from), to: isoText(to), used, ...(limit !== null && { limit }) };
}
