// The runtime settings of an account's checks and groups: a few fields, none of them encrypted.
import { selectRows } from '../base/rows.ts';
import type { CheckType } from '#domain/checks/check.ts';
import type { CheckGroup, GroupScripts } from '#domain/checks/check-group.ts';
import { type IdBytes, idBytes, idText } from '../base/codec.ts';
import type { Database } from '../base/database.ts';
import { breathe } from '../base/slices.ts';

/** Fields of a check that determine its runtime, and whether it has scripts. */
export interface CheckRuntime {
  readonly id: string;
  readonly checkType: CheckType;
  readonly groupId: number | null;
  readonly runtimeId: string | null;
  readonly runtimeFallback: boolean;
  /** Setup and teardown scripts only. */
  readonly settings: Pick<GroupRuntime, keyof GroupScripts>;
}

/** The same for a group. */
export type GroupRuntime = Pick<CheckGroup, 'id' | 'name' | 'runtimeId'> & GroupScripts;

/** Checks read at a time. */
const sliceSize = 500;

export function createRequestedRuntimes(database: Database) {
  const { dialect, reader } = database;
  return {
    /** All groups of an account, ordered by ID. */
    async groups(accountId: string): Promise<GroupRuntime[]> {
      const field = (...path: string[]) => dialect.jsonText('check_groups.definition', path);
      const rows = await selectRows(reader, 'check_groups', { account_id: idBytes(accountId) })
        .select(['id', 'name'])
        .select([
          field('runtimeId').as('runtimeId'),
          field('localSetupScript').as('localSetupScript'),
          field('localTearDownScript').as('localTearDownScript'),
          field('setupSnippetId').as('setupSnippet'),
          field('tearDownSnippetId').as('teardownSnippet'),
        ])
        .orderBy('id')
        .execute();
      return rows.map(({ setupSnippet, teardownSnippet, ...row }) => ({
        ...row,
        setupSnippetId: numberOf(setupSnippet),
        tearDownSnippetId: numberOf(teardownSnippet),
      }));
    },
    /** All checks of an account, ordered by ID; read in slices that yield to other work. */
    async *checks(accountId: string): AsyncIterable<CheckRuntime> {
      const account = idBytes(accountId);
      for (let after: IdBytes | null = null; ; await breathe()) {
        const rows = await sliceOf(database, account, after);
        for (const { id, check_type: checkType, group_id: groupId, fallback, ...row } of rows) {
          yield {
            id: idText(id),
            checkType: checkType,
            groupId,
            runtimeId: row.runtime,
            // A JSON boolean is a word on one engine and a number on the other.
            runtimeFallback: fallback === 'true' || Number(fallback) === 1,
            settings: {
              localSetupScript: row.setup,
              localTearDownScript: row.teardown,
              setupSnippetId: numberOf(row.setupSnippet),
              tearDownSnippetId: numberOf(row.teardownSnippet),
            },
          };
        }
        const last = rows.at(-1);
        if (last === undefined || rows.length < sliceSize) return;
        after = last.id;
      }
    },
  };
}

function sliceOf({ dialect, reader }: Database, account: IdBytes, after: IdBytes | null) {
  const field = (...path: string[]) => dialect.jsonText('checks.definition', path);
  const all = selectRows(reader, 'checks', { account_id: account })
    .select(['id', 'check_type', 'group_id'])
    .select([
      field('runtimeId').as('runtime'),
      field('runtimeFallback').as('fallback'),
      field('settings', 'localSetupScript').as('setup'),
      field('settings', 'localTearDownScript').as('teardown'),
      field('settings', 'setupSnippetId').as('setupSnippet'),
      field('settings', 'tearDownSnippetId').as('teardownSnippet'),
    ]);
  const further = after === null ? all : all.where('id', '>', after);
  return further.orderBy('id').limit(sliceSize).execute();
}

/** A JSON number is a text on one engine. */
function numberOf(value: string | number | null): number | null {
  return value === null ? null : Number(value);
}
