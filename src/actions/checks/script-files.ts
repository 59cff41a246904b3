// Actions on files of scripts that are uploaded apart from their checks.
import type { Store } from '#store/store.ts';
import type { Caller } from '#domain/accounts/api-key.ts';
import type { ScriptFileFacts } from '#domain/accounts/script-file.ts';
import { orNotFound } from '../refusal.ts';
import { requirePermission } from '../accounts/permission.ts';

export type ScriptFileActions = ReturnType<typeof createScriptFileActions>;

export function createScriptFileActions({ scriptFiles }: Pick<Store, 'scriptFiles'>) {
  return {
    /** Refuses (`limit`) a file that exceeds the limit of the account. */
    async upload(caller: Caller, content: Uint8Array): Promise<ScriptFileFacts> {
      requirePermission(caller, 'write');
      return scriptFiles.put(caller.accountId, content);
    },
    async read(caller: Caller, key: string): Promise<Buffer> {
      requirePermission(caller, 'read');
      return orNotFound(await scriptFiles.read(caller.accountId, key), 'script file', key);
    },
  };
}
