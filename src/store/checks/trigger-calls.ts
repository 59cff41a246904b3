// Options of trigger calls, for their runs; values of variables are encrypted.
import { deleteRows, findRow, insertRows } from '../base/rows.ts';
import type { CallOptions } from '#domain/checks/batch.ts';
import { flag, idBytes, json, parsed } from '../base/codec.ts';
import { type Database, ownedBy } from '../base/database.ts';
import type { Db } from '../base/tables/schema.ts';
import type { Seal } from '../base/seal.ts';

/** Maximum duration of a run including its retries, ms. */
const retentionMs = 2 * 3_600_000;

/** Options of calls. */
export function createTriggerCalls({ reader, transaction, seal }: Database) {
  return {
    /** null = the call had no options, or its runs ended long ago. */
    async optionsOf(accountId: string, batchId: string): Promise<CallOptions | null> {
      const owned = { account_id: idBytes(accountId), id: idBytes(batchId) };
      const row = await findRow(reader, 'trigger_calls', owned, ['is_quiet', 'variables']);
      if (row === undefined) return null;
      const variables = parsed<[key: string, sealed: string][]>(row.variables);
      return {
        isQuiet: row.is_quiet === 1,
        variables: variables.map(([key, sealed]) => ({ key, value: seal.open(sealed), locked: true, secret: true })),
      };
    },
    /** Deletes the variables of a call whose runs have ended. */
    forget: (accountId: string, batchId: string): Promise<void> =>
      transaction(async (tx) => {
        await deleteRows(tx, 'trigger_calls', { account_id: idBytes(accountId), id: idBytes(batchId) });
      }),
    /** Deletes the options of calls of all accounts whose runs have ended by now (epoch ms). Returns their number. */
    removeOld: (now: number): Promise<number> =>
      transaction(async (tx) => {
        const removed = await tx
          .deleteFrom('trigger_calls')
          .where('called_at', '<', now - retentionMs)
          .executeTakeFirst();
        return Number(removed.numDeletedRows);
      }),
  };
}

/** Writes the options of a call. */
export async function keepOptions(
  tx: Db,
  call: { readonly accountId: string; readonly batchId: string; readonly now: number },
  { isQuiet, variables }: CallOptions,
  seal: Seal,
): Promise<void> {
  const { accountId, batchId, now } = call;
  if (!isQuiet && variables.length === 0) return;
  const sealed = variables.map(({ key, value }) => [key, seal.seal(value)]);
  await insertRows(tx, 'trigger_calls', {
    ...ownedBy(accountId),
    id: idBytes(batchId),
    called_at: now,
    is_quiet: flag(isQuiet),
    variables: json(sealed),
  });
}
