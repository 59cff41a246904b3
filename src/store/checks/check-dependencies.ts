// Validates the dependencies of checks and groups when they are saved, and removes deleted checks from them
// (docs/decisions/0128).
import { type SelectQueryBuilder, sql } from 'kysely';
import { findRows, selectRows, updateRows } from '../base/rows.ts';
import { neededBy, type CheckGroup } from '#domain/checks/check-group.ts';
import type { Check } from '#domain/checks/check.ts';
import { idBytes, idText, parsed } from '../base/codec.ts';
import { lockAccount } from '../base/database.ts';
import type { ChecksTable, Db, Tables } from '../base/tables/schema.ts';

/** Why dependencies cannot be saved: an unknown check by its place in the list, or the names along a cycle. */
export type DependencyProblem = { readonly dangling: string } | { readonly cycle: readonly string[] };

/** A check with what it needs. */
export type Node = Pick<Check, 'id' | 'name' | 'dependsOn'> & {
  readonly group: Pick<CheckGroup, 'id' | 'dependsOn'> | null;
};
type Row = Pick<ChecksTable, 'id' | 'name' | 'definition' | 'group_id'>;

/** Checks that a walk visits at most; a longer chain counts as a cycle. */
const maxVisited = 1000;

/** Reads checks with what they need. */
export type ReadNodes = (ids: readonly string[]) => Promise<readonly Node[]>;

/** Reads each check once, for the problems of several checks before the first is written. */
export function rememberNodes(db: Db, accountId: string): ReadNodes {
  const seen = new Map<string, Node>();
  return async (ids) => {
    for (const node of await nodesOf(
      db,
      accountId,
      ids.filter((id) => !seen.has(id)),
      null,
    ))
      seen.set(node.id, node);
    return ids.flatMap((id) => seen.get(id) ?? []);
  };
}

/**
 * The problem of a check that is saved in this group. Locks the account, so that no two writes close a cycle together.
 * @param present IDs that were in its list before
 */
export async function problemOfCheck(
  tx: Db,
  check: Check,
  group: CheckGroup | null,
  present: readonly string[],
  read?: ReadNodes,
): Promise<DependencyProblem | null> {
  if (neededBy(check, group).length > 0) await lockAccount(tx, check.accountId);
  return findProblemOfCheck(tx, check, group, present, read);
}

/** The same without the lock: the problem that saving it now would have. */
export async function findProblemOfCheck(
  db: Db,
  { accountId, ...check }: Check,
  group: CheckGroup | null,
  present: readonly string[],
  read = rememberNodes(db, accountId),
): Promise<DependencyProblem | null> {
  if (neededBy(check, group).length === 0) return null;
  const dangling = await firstUnknown(db, accountId, check.dependsOn, present);
  if (dangling !== null) return dangling;
  return cycleFrom(read, [{ ...check, group }], ({ id }) => id === check.id);
}

/** The same of a group that is saved: its list holds for its checks. */
export async function problemOfGroup(
  tx: Db,
  group: CheckGroup,
  present: readonly string[],
): Promise<DependencyProblem | null> {
  const { accountId, dependsOn } = group;
  if (dependsOn.length === 0) return null;
  await lockAccount(tx, accountId);
  const dangling = await firstUnknown(tx, accountId, dependsOn, present);
  if (dangling !== null) return dangling;
  const needed = await nodesOf(tx, accountId, dependsOn, group);
  const isMember = (node: Node): boolean => node.group?.id === group.id && !dependsOn.includes(node.id);
  return cycleFrom((ids) => nodesOf(tx, accountId, ids, group), needed, isMember);
}

async function firstUnknown(
  tx: Db,
  accountId: string,
  ids: readonly string[],
  present: readonly string[],
): Promise<DependencyProblem | null> {
  const added = ids.filter((id) => !present.includes(id));
  const known = new Set((await readRows(tx, accountId, added)).map(({ id }) => idText(id)));
  const unknown = ids.findIndex((id) => added.includes(id) && !known.has(id));
  return unknown === -1 ? null : { dangling: `dependsOn[${unknown}]` };
}

/** Walks from these checks along what they need, until one is found that would close a cycle. */
async function cycleFrom(
  read: ReadNodes,
  starts: readonly Node[],
  closes: (node: Node) => boolean,
): Promise<DependencyProblem | null> {
  const visited = new Set(starts.map(({ id }) => id));
  let front: readonly Walked[] = starts.map((node) => ({ node, above: null }));
  while (front.length > 0) {
    const ways = new Map<string, Walked>();
    for (const walked of front) {
      for (const id of neededBy(walked.node, walked.node.group)) ways.set(id, ways.get(id) ?? walked);
    }
    const next = (await read([...ways.keys()])).map((node) => ({ node, above: ways.get(node.id) ?? null }));
    const closing = next.find(({ node }) => closes(node));
    if (closing !== undefined) return { cycle: shownCycle(namesTo(closing)) };
    front = next.filter(({ node }) => !visited.has(node.id));
    for (const { node } of front) visited.add(node.id);
    if (visited.size > maxVisited) return { cycle: shownCycle(namesTo(front[0] ?? null)) };
  }
  return null;
}

interface Walked {
  readonly node: Node;
  /** What needs it; null = it is a start. */
  readonly above: Walked | null;
}

/** Names from the start to a check. */
function namesTo(walked: Walked | null): readonly string[] {
  const names: string[] = [];
  for (let each = walked; each !== null; each = each.above) names.push(each.node.name);
  return names.reverse();
}

/** Names of a cycle in a message. */
const mostNames = 20;

/** The names of a cycle for a message: of a long one its beginning and its end. */
export function shownCycle(names: readonly string[]): readonly string[] {
  return names.length <= mostNames ? names : [...names.slice(0, mostNames - 2), '…', ...names.slice(-1)];
}

/** @param changed a group as it will be; null = groups are as they are stored */
export async function nodesOf(
  tx: Db,
  accountId: string,
  ids: readonly string[],
  changed: CheckGroup | null,
): Promise<Node[]> {
  const rows = await readRows(tx, accountId, ids);
  const groups = await groupsWith(tx, accountId, [...new Set(rows.flatMap(({ group_id }) => group_id ?? []))]);
  return rows.map(({ id, name, definition, group_id }) => {
    const group = group_id === null ? null : changed?.id === group_id ? changed : (groups.get(group_id) ?? null);
    return { id: idText(id), name, dependsOn: listIn(definition), group };
  });
}

/** Groups with what their checks need, by ID. */
export async function groupsWith(
  tx: Db,
  accountId: string,
  ids: readonly number[],
): Promise<ReadonlyMap<number, NonNullable<Node['group']>>> {
  const key = { account_id: idBytes(accountId), id: ids };
  const groups = await findRows(tx, 'check_groups', key, ['id', 'definition']);
  return new Map(groups.map(({ id, definition }) => [id, { id, dependsOn: listIn(definition) }]));
}

/** IDs of the checks in groups. */
export async function membersOf(tx: Db, accountId: string, groupIds: readonly number[]): Promise<string[]> {
  const key = { account_id: idBytes(accountId), group_id: groupIds };
  return (await findRows(tx, 'checks', key, ['id'])).map(({ id }) => idText(id));
}

async function readRows(tx: Db, accountId: string, ids: readonly string[]): Promise<Row[]> {
  const key = { account_id: idBytes(accountId), id: ids.map(idBytes) };
  return findRows(tx, 'checks', key, ['id', 'name', 'definition', 'group_id']);
}

function listIn(definition: string): readonly string[] {
  return parsed<{ readonly dependsOn?: readonly string[] }>(definition).dependsOn ?? [];
}

/** Checks and groups that need a check, by name, at most `maxDependents` of each. */
export interface Dependents {
  readonly checks: readonly { readonly checkId: string; readonly name: string }[];
  readonly groups: readonly { readonly groupId: number; readonly name: string }[];
}

export const maxDependents = 200;

/** Finds them. */
export async function dependentsOf(db: Db, accountId: string, id: string): Promise<Dependents> {
  const owned = { account_id: idBytes(accountId) };
  const checks = await narrowed(selectRows(db, 'checks', owned), id)
    .select(['id', 'name', 'definition'])
    .orderBy('name')
    .limit(maxDependents)
    .execute();
  const groups = await narrowed(selectRows(db, 'check_groups', owned), id)
    .select(['id', 'name', 'definition'])
    .orderBy('name')
    .limit(maxDependents)
    .execute();
  // The pattern also finds texts that look like a list.
  const needsIt = ({ definition }: { readonly definition: string }): boolean => listIn(definition).includes(id);
  return {
    checks: checks.filter(needsIt).map((row) => ({ checkId: idText(row.id), name: row.name })),
    groups: groups.filter(needsIt).map((row) => ({ groupId: row.id, name: row.name })),
  };
}

/** Rows that may need a check. The first condition is that of a partial index, to the letter: few rows have a list. */
function narrowed<Table extends 'checks' | 'check_groups', Output>(
  query: SelectQueryBuilder<Tables, Table, Output>,
  id: string,
): SelectQueryBuilder<Tables, Table, Output> {
  return query
    .where(sql<boolean>`definition LIKE '%"dependsOn":["%'`)
    .where(sql<boolean>`definition LIKE ${`%"dependsOn":[%"${id}"%`}`);
}

/** Removes a deleted check from the lists of others. */
export async function dropDependencies(tx: Db, accountId: string, id: string): Promise<void> {
  const account = idBytes(accountId);
  for (const table of ['checks', 'check_groups'] as const) {
    const rows = await narrowed(selectRows(tx, table, { account_id: account }), id)
      .select(['id', 'definition'])
      .execute();
    for (const row of rows) {
      const { dependsOn, ...rest } = parsed<{ readonly dependsOn: readonly string[] }>(row.definition);
      const definition = JSON.stringify({ ...rest, dependsOn: dependsOn.filter((each) => each !== id) });
      await updateRows(tx, table, { account_id: account, id: row.id }, { definition });
    }
  }
}
