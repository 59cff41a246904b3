// What a caller may do with accounts (spec §4.2, decisions: Accounts, keys, errors).
import { isDeepStrictEqual } from 'node:util';
import type { Account, Usage } from '#domain/accounts/account.ts';
import { type Caller, mayDo } from '#domain/accounts/api-key.ts';
import type { Change } from '#domain/patch.ts';
import type { Runtime } from '#domain/checks/runtime.ts';
import type { Clock } from '#lib/clock.ts';
import { newId } from '#lib/id.ts';
import { runtimeNameProblems } from '../checks/check-rules.ts';
import { requirePermission } from './permission.ts';
import { refuseProblems } from '../problems.ts';
import { notFound, Refusal } from '../refusal.ts';
import { type AccountRuntimeMeans, accountRuntimeProblems } from '../checks/runtime-changes.ts';

/** What a new account is made of; null = not set. */
export type NewAccount = Omit<Account, 'id' | 'createdAt'>;
/** What of an account is changed; null resets. */
export type AccountChange = Change<NewAccount>;

/** What these actions need. */
export interface AccountMeans extends Omit<AccountRuntimeMeans, 'runtimes' | 'now'> {
  readonly accounts: {
    list(ids: readonly string[]): Promise<Account[]>;
    add(account: Account, apiKeyId: string): Promise<void>;
    change(id: string, change: AccountChange): Promise<Account | null>;
    usage(id: string, at: number): Promise<Usage | null>;
  };
  /** The installed runtimes. */
  readonly runtimes: () => readonly Runtime[];
  /** A key's accounts have changed: what is remembered of it must be read again. */
  readonly forgetKey: (keyId: string) => void;
  readonly clock: Clock;
}

/** Every account the key reaches, in the key's order. */
export interface AccountActions {
  list(caller: Caller): Promise<Account[]>;
  /** `me` = the account the request acts on. Refuses `not-found` what the key does not reach. */
  find(caller: Caller, id: string): Promise<Account>;
  /** The key that makes an account reaches it. */
  create(caller: Caller, account: NewAccount): Promise<Account>;
  change(caller: Caller, id: string, change: AccountChange): Promise<Account>;
  /** Of the present UTC calendar month. */
  usage(caller: Caller, id: string): Promise<Usage>;
}

export function createAccountActions(means: AccountMeans): AccountActions {
  const { accounts, forgetKey, clock } = means;
  const reached = (caller: Caller, id: string): string => {
    const wanted = id === 'me' ? caller.accountId : id.toLowerCase();
    if (!caller.accountIds.includes(wanted)) throw notFound('account', id);
    return wanted;
  };
  const rules = { ...means, now: () => clock.now() };
  return {
    list(caller) {
      requirePermission(caller, 'read');
      return accounts.list(caller.accountIds);
    },
    async find(caller, id) {
      requirePermission(caller, 'read');
      const [account] = await accounts.list([reached(caller, id)]);
      if (account === undefined) throw notFound('account', id);
      return account;
    },
    async create(caller, wanted) {
      requirePermission(caller, 'operate');
      refuseProblems(runtimeNameProblems(wanted.runtimeId, rules));
      const account: Account = { ...wanted, id: newId(), createdAt: clock.now() };
      await accounts.add(account, caller.keyId);
      forgetKey(caller.keyId);
      return account;
    },
    async change(caller, id, change) {
      requirePermission(caller, 'admin');
      const wanted = reached(caller, id);
      const { runtimeId } = change;
      const [present] = await accounts.list([wanted]);
      if (present !== undefined) requireOperatorForLimits(caller, change, present);
      if (present !== undefined && runtimeId !== undefined && runtimeId !== present.runtimeId) {
        refuseProblems(runtimeNameProblems(runtimeId, rules));
        refuseProblems(await accountRuntimeProblems(wanted, present.runtimeId, runtimeId, rules));
      }
      const account = await accounts.change(wanted, change);
      if (account === null) throw notFound('account', id);
      return account;
    },
    async usage(caller, id) {
      requirePermission(caller, 'read');
      const usage = await accounts.usage(reached(caller, id), clock.now());
      if (usage === null) throw notFound('account', id);
      return usage;
    },
  };
}

/** Refuses (`forbidden`) a change of what the operator grants; the same values sent back are none. */
function requireOperatorForLimits(caller: Caller, change: AccountChange, present: Account): void {
  for (const field of ['executionLimit', 'limits'] as const) {
    const isChanged = change[field] !== undefined && !isDeepStrictEqual(change[field], present[field]);
    if (!isChanged || mayDo(caller.role, 'operate')) continue;
    throw new Refusal('forbidden', `Only an API key with the role operator may change ${field} of an account.`);
  }
}
