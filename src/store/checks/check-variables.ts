// Variables that checks use, and those that are not defined.
import { deleteRows, findRows, insertRows, selectRows } from '../base/rows.ts';
import type { CheckGroup } from '#domain/checks/check-group.ts';
import type { Check } from '#domain/checks/check.ts';
import { type Flag, idBytes, idText, parsed } from '../base/codec.ts';
import { type Database, ownedBy } from '../base/database.ts';
import type { Db } from '../base/tables/schema.ts';

/** Variables that a check uses and does not define itself. */
export interface UsedVariables {
  /** It cannot run without them; absent = none. */
  readonly variables?: readonly string[];
  /** All that its settings and scripts mention; absent = none. */
  readonly mentioned?: readonly string[];
}

/** Checks that use a variable that neither their group nor their account defines. */
export interface MissingUse {
  readonly name: string;
  readonly checks: number;
  /** Names of some of the checks. */
  readonly among: readonly string[];
  /** When one of them was last changed, epoch ms. */
  readonly since: number;
}

/** A group whose defaults for API checks use variables. */
export type UsingGroup = Pick<
  CheckGroup,
  'id' | 'name' | 'apiCheckDefaults' | 'environmentVariables' | 'localSetupScript'
> & {
  /** Number of its API checks. */
  readonly checks: number;
  /** Epoch ms. */
  readonly changedAt: number;
};

/** Restricts to one variable, or to the checks of one group. */
export interface UseFilter {
  readonly names?: readonly string[];
  readonly groupId?: number;
}

/** Maximum number of names and groups. */
const maxRows = 500;
const maxGroups = 200;

export function createCheckVariables({ reader }: Database) {
  return {
    /** Ordered by name. */
    async missing(accountId: string, filter: UseFilter = {}): Promise<MissingUse[]> {
      const rows = await usesWithoutAccount(reader, accountId, filter);
      const ids = rows.flatMap(({ group }) => group ?? []);
      const groups = await definersOf(reader, accountId, ids);
      return byName(rows.filter(({ name, group }) => group === null || groups.get(group)?.(name) !== true));
    },
    groups: (accountId: string) => usingGroups(reader, accountId),
    /** Checks that use a variable of the account, by name; `definers` are groups that define it themselves. */
    usesOf: (accountId: string, name: string, definers: readonly number[], limit: number) =>
      usesOf(reader, { accountId, name, definers, limit }),
  };
}

interface UsesQuery {
  readonly accountId: string;
  readonly name: string;
  readonly definers: readonly number[];
  readonly limit: number;
}

async function usesOf(db: Db, { accountId, name, definers, limit }: UsesQuery) {
  const using = db
    .selectFrom('check_variables as used')
    .innerJoin('checks', (join) =>
      join.onRef('checks.account_id', '=', 'used.account_id').onRef('checks.id', '=', 'used.check_id'),
    )
    .where('used.account_id', '=', idBytes(accountId))
    .where('used.name', '=', name)
    .$if(definers.length > 0, (query) =>
      query.where((where) =>
        where.or([where('checks.group_id', 'is', null), where('checks.group_id', 'not in', definers)]),
      ),
    );
  const rows = await using
    .select(['checks.id', 'checks.name', 'used.required'])
    .orderBy('checks.name')
    .orderBy('checks.id')
    .limit(limit)
    .execute();
  const { total } = await using.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  const checks = rows.map((row) => ({ id: idText(row.id), name: row.name, isRequired: row.required === 1 }));
  return { total, checks };
}

/** Variables that active checks use and their account does not define, by name and group. */
function usesWithoutAccount(db: Db, accountId: string, { names, groupId }: UseFilter) {
  const account = idBytes(accountId);
  let query = db
    .selectFrom('check_variables as used')
    .innerJoin('checks', (join) =>
      join.onRef('checks.account_id', '=', 'used.account_id').onRef('checks.id', '=', 'used.check_id'),
    )
    .select(['used.name', 'checks.group_id as group'])
    .select(({ fn }) => [
      fn.countAll<number>().as('checks'),
      fn.min('checks.name').as('first'),
      fn.max(fn.coalesce('checks.updated_at', 'checks.created_at')).as('since'),
    ])
    .where('used.account_id', '=', account)
    .where('used.required', '=', 1)
    .where('checks.activated', '=', 1)
    .where('used.name', 'not in', (from) =>
      from.selectFrom('variables').select('key').where('variables.account_id', '=', account),
    );
  if (names !== undefined) query = query.where('used.name', 'in', names);
  if (groupId !== undefined) query = query.where('checks.group_id', '=', groupId);
  return query
    .groupBy(['used.name', 'checks.group_id'])
    .orderBy('used.name')
    .orderBy('checks.group_id')
    .limit(maxRows)
    .execute();
}

async function usingGroups(db: Db, accountId: string): Promise<UsingGroup[]> {
  const account = idBytes(accountId);
  const rows = await selectRows(db, 'check_groups', { account_id: account })
    .select(['id', 'name', 'definition', 'created_at', 'updated_at'])
    .select((from) =>
      from
        .selectFrom('checks')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('checks.account_id', '=', account)
        .where('checks.check_type', '=', 'API')
        .whereRef('checks.group_id', '=', 'check_groups.id')
        .as('checks'),
    )
    .where('definition', 'like', '%{{%')
    .orderBy('id')
    .limit(maxGroups)
    .execute();
  return rows.flatMap(({ id, name, definition, checks, created_at, updated_at }) => {
    const { apiCheckDefaults, environmentVariables, localSetupScript } = parsed<Defining>(definition);
    const changedAt = updated_at ?? created_at;
    const group = {
      id,
      name,
      apiCheckDefaults,
      environmentVariables,
      localSetupScript,
      checks: checks ?? 0,
      changedAt,
    };
    return group.checks === 0 ? [] : [group];
  });
}

type Defining = Pick<CheckGroup, 'apiCheckDefaults' | 'environmentVariables' | 'localSetupScript'>;

/** For each group, whether it defines a variable itself, or mentions it in a script. Nothing is decrypted. */
async function definersOf(
  db: Db,
  accountId: string,
  ids: readonly number[],
): Promise<Map<number, (name: string) => boolean>> {
  const owned = { account_id: idBytes(accountId), id: [...new Set(ids)] };
  const rows = await findRows(db, 'check_groups', owned, ['id', 'definition']);
  return new Map(
    rows.map(({ id, definition }) => {
      const { apiCheckDefaults, environmentVariables, localSetupScript } = parsed<Defining>(definition);
      const keys = new Set(environmentVariables.map(({ key }) => key));
      if ((apiCheckDefaults['url'] ?? '') !== '') keys.add('GROUP_BASE_URL');
      return [id, (name) => keys.has(name) || localSetupScript?.includes(name) === true];
    }),
  );
}

function byName(rows: Awaited<ReturnType<typeof usesWithoutAccount>>): MissingUse[] {
  const uses = new Map<string, MissingUse>();
  for (const { name, checks, first, since } of rows) {
    const known = uses.get(name);
    uses.set(name, {
      name,
      checks: (known?.checks ?? 0) + checks,
      among: [...(known?.among ?? []), first],
      since: Math.max(known?.since ?? 0, since),
    });
  }
  return [...uses.values()];
}

/** Writes the variables that checks of an account use, in the caller's transaction. */
export async function keepVariables(
  tx: Db,
  accountId: string,
  checks: readonly (UsedVariables & { readonly check: Check })[],
): Promise<void> {
  const account = idBytes(accountId);
  const key = { account_id: account, check_id: checks.map(({ check }) => idBytes(check.id)) };
  const present = await findRows(tx, 'check_variables', key, ['check_id', 'name', 'required']);
  const byCheck = Map.groupBy(present, ({ check_id }) => idText(check_id));
  const changed = checks.flatMap(({ check, variables = [], mentioned = [] }) => {
    const wanted = new Map<string, Flag>([
      ...mentioned.map((name) => [name, 0] as const),
      ...variables.map((name) => [name, 1] as const),
    ]);
    const own = byCheck.get(check.id) ?? [];
    const isKept = own.length === wanted.size && own.every(({ name, required }) => wanted.get(name) === required);
    return isKept ? [] : [{ check_id: idBytes(check.id), wanted }];
  });
  await deleteRows(tx, 'check_variables', { account_id: account, check_id: changed.map(({ check_id }) => check_id) });
  const rows = changed.flatMap(({ check_id, wanted }) =>
    [...wanted].map(([name, required]) => ({ ...ownedBy(accountId), name, check_id, required })),
  );
  await insertRows(tx, 'check_variables', rows);
}
