// Descriptions of checks in reports.
import { selectRows } from '../base/rows.ts';
import type { CheckType } from '#domain/checks/check.ts';
import { type CheckFilter, filterChecks } from './check-filter.ts';
import { idBytes, idText, parsed } from '../base/codec.ts';
import type { Database } from '../base/database.ts';

/** A check as reports describe it. */
export interface CheckSubject {
  readonly checkId: string;
  readonly name: string;
  readonly checkType: CheckType;
  readonly activated: boolean;
  readonly tags: readonly string[];
}

export function createCheckSubjects({ dialect, reader }: Database) {
  const columns = ['id', 'name', 'check_type', 'activated', 'tags'] as const;
  type Row = { id: Uint8Array; name: string; check_type: string; activated: number; tags: string };
  const subjectOf = (row: Row): CheckSubject => ({
    checkId: idText(row.id),
    name: row.name,
    checkType: row.check_type,
    activated: row.activated === 1,
    tags: parsed<string[]>(row.tags),
  });
  return {
    /** Those of the IDs that exist in the account, in the given order. */
    async ofIds(accountId: string, ids: readonly string[]): Promise<CheckSubject[]> {
      if (ids.length === 0) return [];
      const rows = await selectRows(reader, 'checks', { account_id: idBytes(accountId) })
        .select(columns)
        .where(dialect.idIn('id', ids.map(idBytes)))
        .execute();
      const byId = new Map(rows.map((row) => [idText(row.id), subjectOf(row)]));
      return ids.flatMap((id) => byId.get(id.toLowerCase()) ?? []);
    },
    /** The next checks by ID after `after`, with all of the tags. */
    async after(
      accountId: string,
      filter: Pick<CheckFilter, 'tags' | 'activated' | 'groupId'>,
      after: string | null,
      max: number,
    ): Promise<CheckSubject[]> {
      const matching = filterChecks(reader.selectFrom('checks'), dialect, accountId, filter);
      const further = after === null ? matching : matching.where('checks.id', '>', idBytes(after));
      return (await further.select(columns).orderBy('checks.id').limit(max).execute()).map(subjectOf);
    },
  };
}
