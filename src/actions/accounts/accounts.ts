// Actions on accounts (spec §4.2, decisions: Accounts, keys, errors).
import type { AccountChange } from '#store/accounts/accounts.ts';
import type { Store } from '#store/store.ts';
import { isDeepStrictEqual } from 'node:util';
import type { Account, Usage } from '#domain/accounts/account.ts';
import { type Caller, mayDo, mayManageOwners } from '#domain/accounts/api-key.ts';
import type { Runtime } from '#domain/checks/runtime.ts';
import type { Clock } from '#lib/clock.ts';
import { newId } from '#lib/id.ts';
import { runtimeNameProblems } from '../checks/check-rules.ts';
import { requirePermission } from './permission.ts';
import { refuseProblems, notFound, Refusal, orNotFound } from '../refusal.ts';
import { type AccountRuntimeDeps, accountRuntimeProblems } from '../checks/runtime-changes.ts';

/** Input of a new account; null = not set. */
export type NewAccount = Omit<Account, 'id' | 'createdAt'>;
export interface AccountDeps
  extends Pick<Store, 'accounts' | 'secondFactors'>, Omit<AccountRuntimeDeps, 'runtimes' | 'now'> {
  /** The installed runtimes. */
  readonly runtimes: () => readonly Runtime[];
  /** Clears cached keys and sessions whose accounts have changed; absent = all. */
  readonly forget: (id?: string) => void;
  readonly clock: Clock;
}

/** All accounts of the key, in the key's order. */
export type AccountActions = ReturnType<typeof createAccountActions>;

export function createAccountActions(deps: AccountDeps) {
  const { accounts, forget, clock } = deps;
  const reached = (caller: Caller, id: string): string => {
    const wanted = id === 'me' ? caller.accountId : id.toLowerCase();
    if (!caller.accountIds.includes(wanted)) throw notFound('account', id);
    return wanted;
  };
  const rules = { ...deps, now: () => clock.now() };
  return {
    list(caller: Caller): Promise<Account[]> {
      requirePermission(caller, 'read');
      return accounts.list(caller.accountIds);
    },
    /** `me` = the account of the request. Refuses (`not-found`) accounts that the key has no access to. */
    async find(caller: Caller, id: string): Promise<Account> {
      requirePermission(caller, 'read');
      const [account] = await accounts.list([reached(caller, id)]);
      if (account === undefined) throw notFound('account', id);
      return account;
    },
    /** Gives the creating key access to the account; a person who creates one becomes its owner. */
    async create(caller: Caller, wanted: NewAccount): Promise<Account> {
      requirePermission(caller, 'operate');
      refuseProblems(runtimeNameProblems(wanted.runtimeId, rules));
      const account: Account = { ...wanted, id: newId(), createdAt: clock.now() };
      await accounts.add(account, caller.principal);
      forget(caller.principal.id);
      return account;
    },
    async change(caller: Caller, id: string, change: AccountChange): Promise<Account> {
      requirePermission(caller, 'admin');
      const wanted = reached(caller, id);
      const { runtimeId } = change;
      const [present] = await accounts.list([wanted]);
      if (present !== undefined) requireOperatorForLimits(caller, change, present);
      const changesFactor = await changesSecondFactor(deps, caller, change, present);
      if (present !== undefined && runtimeId !== undefined && runtimeId !== present.runtimeId) {
        refuseProblems(runtimeNameProblems(runtimeId, rules));
        refuseProblems(await accountRuntimeProblems(wanted, present.runtimeId, runtimeId, rules));
      }
      const account = orNotFound(await accounts.change(wanted, change), 'account', id);
      if (changesFactor) forget();
      return account;
    },
    /** Usage of the current UTC calendar month. */
    async usage(caller: Caller, id: string): Promise<Usage> {
      requirePermission(caller, 'read');
      return orNotFound(await accounts.usage(reached(caller, id), clock.now()), 'account', id);
    },
  };
}

/** Refuses (`forbidden`) a change of limits that only the operator sets. Sending the same values is not a change. */
function requireOperatorForLimits(caller: Caller, change: AccountChange, present: Account): void {
  for (const field of ['executionLimit', 'limits'] as const) {
    const isChanged = change[field] !== undefined && !isDeepStrictEqual(change[field], present[field]);
    if (!isChanged || mayDo(caller.role, 'operate')) continue;
    throw new Refusal('forbidden', `Only the role operator can change ${field} of an account.`);
  }
}

/**
 * Whether a change makes a second factor required or optional. Refuses (`forbidden`) callers who are not an owner or
 * operator, and (`conflict`) a person who would lock themselves out.
 */
async function changesSecondFactor(
  { secondFactors }: Pick<AccountDeps, 'secondFactors'>,
  { principal, role }: Caller,
  { requiresSecondFactor }: AccountChange,
  present: Account | undefined,
): Promise<boolean> {
  if (requiresSecondFactor === undefined || requiresSecondFactor === present?.requiresSecondFactor) return false;
  if (!mayManageOwners(role)) {
    throw new Refusal('forbidden', 'Only an owner or an operator can change requiresSecondFactor of an account.');
  }
  const isPerson = principal.kind === 'user' && principal.isFromProvider !== true;
  if (requiresSecondFactor && isPerson && !(await secondFactors.isOn(principal.id))) {
    throw new Refusal('conflict', 'Set up your own second factor first. Otherwise you could not use this account.');
  }
  return true;
}
