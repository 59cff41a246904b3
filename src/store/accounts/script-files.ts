// Files of scripts that are stored apart from their checks: by the hash of their content, once per account.
import { createHash } from 'node:crypto';
import { countedBytes, type ScriptFileFacts, unusedScriptFileMs } from '#domain/accounts/script-file.ts';
import type { Check } from '#domain/checks/check.ts';
import { snapshotsOf } from '#domain/checks/script.ts';
import { requireBytes } from '../base/account-limits.ts';
import { type IdBytes, idBytes, parsed } from '../base/codec.ts';
import type { Database } from '../base/database.ts';
import { deleteRows, findRow, findRows, insertRows, selectRows, updateRows } from '../base/rows.ts';
import type { Db } from '../base/tables/schema.ts';

/** Bytes per chunk, except the last: committing one takes a few milliseconds. Stored files depend on this size. */
const partBytes = 262_144;
/** A use is recorded again after this time, ms. */
const recordedMs = 3_600_000;
/** Files deleted by one call, and by one of its transactions. */
const removedAtOnce = { call: 200, transaction: 4 };
/** Checks read by one statement. */
const checksAtOnce = 100;

/** Files of scripts. */
export function createScriptFiles(database: Database) {
  const { reader, transaction, clock } = database;
  return {
    /** Stores a file; equal content is stored once. Throws `LimitReachedError`. */
    async put(accountId: string, content: Uint8Array): Promise<ScriptFileFacts> {
      const key = createHash('sha256').update(content).digest('hex');
      const owned = { account_id: idBytes(accountId), key };
      const bytes = content.length;
      const isWhole = await transaction(async (tx) => {
        const present = await findRow(tx, 'script_files', owned, ['is_whole']);
        await updateRows(tx, 'script_files', owned, { used_at: clock.now() });
        if (present !== undefined) return present.is_whole === 1;
        const counted = countedBytes(bytes);
        await insertRows(tx, 'script_files', { ...owned, bytes, counted, is_whole: 0, used_at: clock.now() }, 'keep');
        await requireBytes(database, tx, accountId, 'scriptFileBytes', counted);
        return false;
      });
      if (isWhole) return { key, bytes };
      for (let part = 0; part * partBytes < bytes; part++) {
        const piece = content.subarray(part * partBytes, (part + 1) * partBytes);
        await transaction((tx) => insertRows(tx, 'script_file_parts', { ...owned, part, content: piece }, 'keep'));
      }
      await transaction((tx) => updateRows(tx, 'script_files', owned, { is_whole: 1 }));
      return { key, bytes };
    },
    /** Content of a file; null = there is none. */
    read: (accountId: string, key: string): Promise<Buffer | null> => readScriptFile(reader, accountId, key),
    /** Sizes of files by key, bytes, without those that do not exist. They are stored for at least a day from now. */
    async use(accountId: string, keys: readonly string[]): Promise<ReadonlyMap<string, number>> {
      const owned = { account_id: idBytes(accountId), key: keys, is_whole: 1 } as const;
      const found = await findRows(reader, 'script_files', owned, ['key', 'bytes', 'used_at']);
      const before = clock.now() - recordedMs;
      const old = found.filter((file) => file.used_at < before).map(({ key }) => key);
      if (old.length === 0) return new Map(found.map(({ key, bytes }) => [key, bytes]));
      const kept = await transaction(async (tx) => {
        await updateRows(tx, 'script_files', { ...owned, key: old }, { used_at: clock.now() });
        return findRows(tx, 'script_files', owned, ['key', 'bytes']);
      });
      return new Map(kept.map(({ key, bytes }) => [key, bytes]));
    },
    /**
     * Deletes files that no check uses, of one account: the one whose files were not looked at for the longest time.
     * @returns number of deleted files
     */
    removeUnused: (now: number): Promise<number> => removeUnusedFiles(database, now),
  };
}

/** Content of a file; null = there is none. */
export async function readScriptFile(reader: Db, accountId: string, key: string): Promise<Buffer | null> {
  const owned = { account_id: idBytes(accountId), key };
  const file = await findRow(reader, 'script_files', { ...owned, is_whole: 1 }, ['bytes']);
  if (file === undefined) return null;
  const parts = await findRows(reader, 'script_file_parts', owned, ['content'], ['part']);
  const content = Buffer.concat(parts.map((part) => part.content));
  return content.length === file.bytes ? content : null;
}

/** @returns number of deleted files */
async function removeUnusedFiles({ reader, transaction }: Database, now: number): Promise<number> {
  const before = now - unusedScriptFileMs;
  const oldest = await reader
    .selectFrom('script_files')
    .select('account_id')
    .where('used_at', '<', before)
    .orderBy('used_at')
    .limit(1)
    .executeTakeFirst();
  if (oldest === undefined) return 0;
  const { account_id } = oldest;
  const used = await usedKeys(reader, account_id);
  const old = await selectRows(reader, 'script_files', { account_id })
    .select('key')
    .where('used_at', '<', before)
    .execute();
  const keys = old.map(({ key }) => key);
  await transaction((tx) =>
    updateRows(tx, 'script_files', { account_id, key: keys.filter((key) => used.has(key)) }, { used_at: now }),
  );
  const unused = keys.filter((key) => !used.has(key)).slice(0, removedAtOnce.call);
  let removed = 0;
  for (let from = 0; from < unused.length; from += removedAtOnce.transaction) {
    const some = unused.slice(from, from + removedAtOnce.transaction);
    removed += await transaction((tx) => removeOld(tx, account_id, some, before));
  }
  return removed;
}

/** Deletes files, except those that were used meanwhile. @returns number of deleted files */
async function removeOld(tx: Db, account_id: IdBytes, keys: readonly string[], before: number): Promise<number> {
  let removed = 0;
  for (const key of keys) {
    const deleted = await tx
      .deleteFrom('script_files')
      .where('account_id', '=', account_id)
      .where('key', '=', key)
      .where('used_at', '<', before)
      .executeTakeFirst();
    if (Number(deleted.numDeletedRows) === 0) continue;
    await deleteRows(tx, 'script_file_parts', { account_id, key });
    removed++;
  }
  return removed;
}

/** Keys that the checks of an account name. */
async function usedKeys(reader: Db, account_id: IdBytes): Promise<ReadonlySet<string>> {
  const used = new Set<string>();
  let last: IdBytes = new Uint8Array(16);
  for (;;) {
    const ids = await selectRows(reader, 'checks', { account_id })
      .select('id')
      .where('id', '>', last)
      .orderBy('id')
      .limit(checksAtOnce)
      .execute();
    const [first, end] = [ids[0]?.id, ids.at(-1)?.id];
    if (first === undefined || end === undefined) return used;
    const rows = await selectRows(reader, 'checks', { account_id })
      .select('definition')
      .where('id', '>=', first)
      .where('id', '<=', end)
      .where('definition', 'like', '%"snapshots":[{%')
      .execute();
    for (const { definition } of rows) {
      for (const { key } of snapshotsOf(parsed<Pick<Check, 'settings'>>(definition).settings)) used.add(key);
    }
    last = end;
  }
}
