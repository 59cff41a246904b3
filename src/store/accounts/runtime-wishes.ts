// What the checks and groups of an account say of their runtimes: a few fields of each, and nothing that is sealed.
import type { CheckType } from '#domain/checks/check.ts';
import type { CheckGroup } from '#domain/checks/check-group.ts';
import { type IdBytes, idBytes, idText } from '../base/codec.ts';
import type { Database } from '../base/database.ts';
import { breathe } from '../base/slices.ts';

/** What of a check says which runtime it has, and whether it has scripts for it. */
export interface CheckWish {
  readonly id: string;
  readonly checkType: CheckType;
  readonly groupId: number | null;
  readonly runtimeId: string | null;
  readonly runtimeFallback: boolean;
  /** The scripts around its request alone. */
  readonly settings: Readonly<Record<'localSetupScript' | 'localTearDownScript', string | null>>;
}

/** The same of a group. */
export type GroupWish = Pick<CheckGroup, 'id' | 'name' | 'runtimeId' | 'localSetupScript' | 'localTearDownScript'>;

export interface RuntimeWishes {
  /** All groups of an account, by their numbers. */
  groups(accountId: string): Promise<GroupWish[]>;
  /** All checks of an account, by their ids; read in slices between which others have their turn. */
  checks(accountId: string): AsyncIterable<CheckWish>;
}

/** Checks that are read at once. */
const sliceSize = 500;

export function createRuntimeWishes({ dialect, reader }: Database): RuntimeWishes {
  const slice = (account: IdBytes, after: IdBytes | null) => {
    const field = (...path: string[]) => dialect.jsonText('checks.definition', path);
    const all = reader
      .selectFrom('checks')
      .select(['id', 'check_type', 'group_id'])
      .select([
        field('runtimeId').as('runtime'),
        field('runtimeFallback').as('fallback'),
        field('settings', 'localSetupScript').as('setup'),
        field('settings', 'localTearDownScript').as('teardown'),
      ])
      .where('account_id', '=', account);
    const further = after === null ? all : all.where('id', '>', after);
    return further.orderBy('id').limit(sliceSize).execute();
  };
  return {
    async groups(accountId) {
      const field = (...path: string[]) => dialect.jsonText('check_groups.definition', path);
      return reader
        .selectFrom('check_groups')
        .select(['id', 'name'])
        .select([
          field('runtimeId').as('runtimeId'),
          field('localSetupScript').as('localSetupScript'),
          field('localTearDownScript').as('localTearDownScript'),
        ])
        .where('account_id', '=', idBytes(accountId))
        .orderBy('id')
        .execute();
    },
    async *checks(accountId) {
      const account = idBytes(accountId);
      for (let after: IdBytes | null = null; ; await breathe()) {
        const rows = await slice(account, after);
        for (const { id, check_type: checkType, group_id: groupId, runtime, fallback, setup, teardown } of rows) {
          yield {
            id: idText(id),
            checkType: checkType,
            groupId,
            runtimeId: runtime,
            // A truth in JSON is a word on one engine and a number on the other.
            runtimeFallback: fallback === 'true' || Number(fallback) === 1,
            settings: { localSetupScript: setup, localTearDownScript: teardown },
          };
        }
        const last = rows.at(-1);
        if (last === undefined || rows.length < sliceSize) return;
        after = last.id;
      }
    },
  };
}
