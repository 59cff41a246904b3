// Actions on snippets (reference §4.2).
import type { Caller } from '#domain/accounts/api-key.ts';
import type { ResourceUsers } from '#domain/accounts/account.ts';
import type { Snippet } from '#domain/scripts/snippet.ts';
import type { Page, Slice } from '#store/base/database.ts';
import type { SnippetWrite } from '#store/scripts/snippets.ts';
import type { Store } from '#store/store.ts';
import { type HookScriptDeps, scriptTextProblems } from '../checks/check-scripts.ts';
import { requirePermission } from '../accounts/permission.ts';
import { refuseProblems, orNotFound } from '../refusal.ts';
import { refuseUsed, searchUses } from '../resource-uses.ts';

export interface SnippetDeps extends Pick<Store, 'snippets'>, HookScriptDeps {}

export type SnippetActions = ReturnType<typeof createSnippetActions>;

/** IDs of other accounts are refused like unknown IDs: `not-found`. */
export function createSnippetActions(deps: SnippetDeps) {
  const { snippets } = deps;
  const required = async ({ accountId }: Caller, id: number): Promise<Snippet> => {
    return orNotFound(await snippets.find(accountId, id), 'snippet', id);
  };
  return {
    /** Ordered by ID. */
    list(caller: Caller, slice: Slice): Promise<Page<Snippet>> {
      requirePermission(caller, 'read');
      return snippets.list(caller.accountId, slice);
    },
    async find(caller: Caller, id: number): Promise<Snippet> {
      requirePermission(caller, 'read');
      return required(caller, id);
    },
    /** The checks and groups that use it. */
    async uses(caller: Caller, id: number, signal: AbortSignal): Promise<ResourceUsers> {
      requirePermission(caller, 'read');
      await required(caller, id);
      return searchUses(caller.accountId, signal, () => snippets.uses(caller.accountId, id));
    },
    /** Refuses (`invalid`) a script with syntax errors, with their place. */
    async create(caller: Caller, write: SnippetWrite): Promise<Snippet> {
      requirePermission(caller, 'write');
      refuseProblems(await scriptTextProblems(caller.accountId, 'script', write.script, deps));
      return snippets.add(caller.accountId, write);
    },
    /** Keeps fields that are not given. The next runs of its checks use the new script. */
    async change(caller: Caller, id: number, write: Partial<SnippetWrite>): Promise<Snippet> {
      requirePermission(caller, 'write');
      if (write.script !== undefined)
        refuseProblems(await scriptTextProblems(caller.accountId, 'script', write.script, deps));
      return orNotFound(await snippets.change(caller.accountId, id, write), 'snippet', id);
    },
    /** Refused (`conflict`) while checks or groups use it. */
    async remove(caller: Caller, id: number): Promise<void> {
      requirePermission(caller, 'write');
      const users = orNotFound(await snippets.remove(caller.accountId, id), 'snippet', id);
      refuseUsed(`Snippet ${id}`, users);
    },
  };
}
