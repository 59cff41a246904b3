// The current caller and its accounts.
import type { Store } from '#store/store.ts';
import { type Caller, mayDo, type Role } from '#domain/accounts/api-key.ts';
import { effectiveRole } from '#domain/accounts/user.ts';

/** The caller as shown to itself. */
export interface Me {
  readonly caller: Caller;
  /** Accounts of the caller, with the role in each. */
  readonly accounts: readonly { readonly id: string; readonly name: string; readonly role: Role }[];
  readonly version: string;
  /** Start time of this process, epoch ms. */
  readonly startedAt: number;
  /** IANA name. */
  readonly serverTimeZone: string;
  /** Whether the role in the account of the request is read-only. */
  readonly readsOnly: boolean;
}

export interface MeDeps extends Pick<Store, 'accounts'> {
  readonly version: string;
  readonly startedAt: number;
  readonly serverTimeZone: string;
}

export type ReadMe = (caller: Caller) => Promise<Me>;

export function createReadMe({ accounts, ...server }: MeDeps): ReadMe {
  return async (caller) => {
    const roles = rolesOf(caller);
    const listed = await accounts.list([...roles.keys()]);
    return {
      caller,
      accounts: listed.map(({ id, name }) => ({ id, name: name ?? '', role: roles.get(id) ?? caller.role })),
      ...server,
      readsOnly: !mayDo(caller.role, 'run'),
    };
  };
}

function rolesOf({ principal, role, accountIds }: Caller): ReadonlyMap<string, Role> {
  return principal.kind === 'user'
    ? new Map(principal.memberships.map((each) => [each.accountId, effectiveRole(each.role, principal.isOperator)]))
    : new Map(accountIds.map((id) => [id, role]));
}
