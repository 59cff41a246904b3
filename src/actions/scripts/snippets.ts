// Actions on snippets (reference §4.2).
import type { Caller } from '#domain/accounts/api-key.ts';
import type { Snippet } from '#domain/scripts/snippet.ts';
import type { Page, Slice } from '#store/base/database.ts';
import type { SnippetWrite } from '#store/scripts/snippets.ts';
import type { Store } from '#store/store.ts';
import { type HookScriptDeps, scriptTextProblems } from '../checks/check-scripts.ts';
import { requirePermission } from '../accounts/permission.ts';
import { notFound, Refusal, refuseProblems } from '../refusal.ts';

export interface SnippetDeps extends Pick<Store, 'snippets'>, HookScriptDeps {}

export type SnippetActions = ReturnType<typeof createSnippetActions>;

/** Users that a refusal names. */
const namedUsers = 5;

/** IDs of other accounts are refused like unknown IDs: `not-found`. */
export function createSnippetActions(deps: SnippetDeps) {
  const { snippets } = deps;
  return {
    /** Ordered by ID. */
    list(caller: Caller, slice: Slice): Promise<Page<Snippet>> {
      requirePermission(caller, 'read');
      return snippets.list(caller.accountId, slice);
    },
    async find(caller: Caller, id: number): Promise<Snippet> {
      requirePermission(caller, 'read');
      const found = await snippets.find(caller.accountId, id);
      if (found === null) throw notFound('snippet', id);
      return found;
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
      const changed = await snippets.change(caller.accountId, id, write);
      if (changed === null) throw notFound('snippet', id);
      return changed;
    },
    /** Refused (`conflict`) while checks or groups use it. */
    async remove(caller: Caller, id: number): Promise<void> {
      requirePermission(caller, 'write');
      const users = await snippets.remove(caller.accountId, id);
      if (users === null) throw notFound('snippet', id);
      if (users.length === 0) return;
      const named = users.slice(0, namedUsers).map(({ kind, name }) => `${kind} “${name}”`);
      const more = users.length > namedUsers ? ` and ${users.length - namedUsers} more` : '';
      throw new Refusal('conflict', `Snippet ${id} is used by ${named.join(', ')}${more}. Remove it from them first.`);
    },
  };
}
