// Applies a deployment: everything that it writes and removes in one transaction, with its end.
import { sql } from 'kysely';
import { type DiffEntry, boundedDiff, type Project } from '#domain/projects/deployment.ts';
import { type OwnedResource, type ResourceType, resourceTypes } from '#domain/projects/resource.ts';
import { type Revised, revisionOf } from '#domain/patch.ts';
import { requireWithinLimit } from '../base/account-limits.ts';
import { flag, idBytes, idText, json } from '../base/codec.ts';
import { type Database, touchAccount } from '../base/database.ts';
import { deleteRows, findRow, findRows, insertRows, updateRows } from '../base/rows.ts';
import type { Db } from '../base/tables/schema.ts';
import { dependencyFault } from './dependency-faults.ts';
import { deleteInParts } from './kinds/checks.ts';
import type {
  DeployContext,
  ResourceFault,
  ResourceRecords,
  ResourceRemoval,
  ResourceWrite,
  StoredKind,
} from './kind.ts';
import { storedKinds } from './registry.ts';

/** What a deployment does. */
export interface DeploymentPlan {
  /** null = the project ends with the deployment. */
  readonly project: Project | null;
  readonly projectId: string;
  readonly writes: { readonly [Type in ResourceType]: readonly ResourceWrite<Type>[] };
  /** Everything that the project owns afterwards. */
  readonly owned: readonly OwnedResource[];
  readonly removed: { readonly [Type in ResourceType]: readonly ResourceRemoval<Type>[] };
  readonly diff: readonly DiffEntry[];
  /** ID of the change that deletes removed checks. */
  readonly changeId: string;
}

/** `changed` = somebody changed a resource since it was read, `ended` = the deployment has; nothing was written. */
export type Applied = 'applied' | 'changed' | 'ended' | (ResourceFault & { readonly type: ResourceType });

/** Undoes a transaction. */
class Undone extends Error {
  readonly outcome: Applied;

  constructor(outcome: Applied) {
    super('undone');
    this.outcome = outcome;
  }
}

/** Applies a plan in one transaction. Throws `LimitReachedError`; then nothing is written. */
export async function applyPlan(
  database: Database,
  accountId: string,
  deploymentId: string,
  plan: DeploymentPlan,
): Promise<Applied> {
  const context = { database, accountId, now: database.clock.now() };
  const diff = json(boundedDiff(plan.diff));
  try {
    return await database.transaction(async (tx) => {
      const key = { account_id: idBytes(accountId), id: idBytes(deploymentId) };
      const open = await findRow(tx, 'deployments', { ...key, ended_at: null }, ['id']);
      if (open === undefined) throw new Undone('ended');
      for (const type of resourceTypes) await release(tx, accountId, type, plan);
      for (const type of resourceTypes) await writeType(tx, context, type, plan);
      // Checks and groups of a deployment may need each other.
      const fault = await dependencyFault(tx, accountId, plan.writes);
      if (fault !== null) throw new Undone(fault);
      for (const type of resourceTypes.toReversed()) await removeType(tx, context, type, plan.removed[type]);
      const isDeleting = plan.removed.check.length > 0;
      if (isDeleting)
        await deleteInParts(
          tx,
          context,
          plan.changeId,
          plan.removed.check.map(({ physicalId }) => physicalId),
        );
      await saveProject(tx, context, plan);
      await touchAccount(tx, accountId);
      // It may have been cancelled meanwhile.
      const ended = await updateRows(
        tx,
        'deployments',
        { ...key, ended_at: null },
        {
          diff,
          ...(isDeleting
            ? { change_id: idBytes(plan.changeId) }
            : { status: 'SUCCEEDED', ended_at: context.now, progress: json({ step: 'done', done: 1, total: 1 }) }),
        },
      );
      if (ended === 0) throw new Undone('ended');
      return 'applied' as const;
    });
  } catch (error) {
    if (error instanceof Undone) return error.outcome;
    throw error;
  }
}

/** The kinds by type: each gets the writes of its own type. */
const kinds = storedKinds as unknown as Readonly<Record<ResourceType, StoredKind<ResourceType>>>;

async function release(tx: Db, accountId: string, type: ResourceType, { writes, removed }: DeploymentPlan) {
  const all = [...writes[type].filter(({ stored }) => stored !== null), ...removed[type]];
  if (all.length === 0) return;
  const ids = all.map(({ physicalId }) => physicalId);
  await kinds[type].release?.(tx, accountId, ids);
}

async function writeType(
  tx: Db,
  context: DeployContext,
  type: ResourceType,
  { writes, removed }: DeploymentPlan,
): Promise<void> {
  const own: readonly ResourceWrite[] = writes[type];
  if (own.length === 0) return;
  const kind = kinds[type];
  await requireUnchanged(tx, context, kind, own);
  const added = own.filter(({ stored }) => stored === null).length - removed[type].length;
  if (added > 0) await requireWithinLimit(context.database, tx, context.accountId, kind.limit, added);
  const fault = await kind.save(tx, context, own);
  if (fault !== null) throw new Undone({ ...fault, type });
}

async function removeType(
  tx: Db,
  context: DeployContext,
  type: ResourceType,
  removals: readonly ResourceRemoval[],
): Promise<void> {
  if (removals.length === 0) return;
  await requireUnchanged(tx, context, kinds[type], removals);
  await kinds[type].remove(tx, context, removals);
}

/** IDs per statement. */
const idsAtOnce = 500;

/** Undoes the transaction if a row is not as it was read. */
async function requireUnchanged(
  tx: Db,
  { accountId }: DeployContext,
  { table, column, keyOf }: StoredKind<ResourceType>,
  writes: readonly Pick<ResourceWrite, 'physicalId' | 'stored'>[],
): Promise<void> {
  const changed = writes.filter(({ stored }) => stored !== null);
  for (let from = 0; from < changed.length; from += idsAtOnce) {
    const some = changed.slice(from, from + idsAtOnce);
    const rows = await tx
      .selectFrom(table as 'checks')
      .select([sql<string | number | Uint8Array>`${sql.ref(column)}`.as('key'), 'created_at', 'updated_at'])
      .where('account_id', '=', idBytes(accountId))
      .where(
        sql.ref(column),
        'in',
        some.map(({ physicalId }) => keyOf(physicalId)),
      )
      .execute();
    const revisions = new Map(
      rows.map(({ key, created_at, updated_at }) => [
        key instanceof Uint8Array ? idText(key) : String(key),
        updated_at ?? created_at,
      ]),
    );
    for (const { physicalId, stored } of some) {
      const read = stored === null ? undefined : revisionOf(revisedOf(stored));
      if (revisions.get(physicalId) !== read) throw new Undone('changed');
    }
  }
}

/** The times of a stored record, which some types wrap. */
function revisedOf(stored: ResourceRecords[ResourceType]['stored']): Revised {
  if ('check' in stored) return stored.check;
  if ('group' in stored) return stored.group;
  if ('page' in stored) return stored.page;
  return 'channel' in stored ? stored.channel : stored;
}

async function saveProject(
  tx: Db,
  { accountId, now }: DeployContext,
  { project, projectId, owned }: DeploymentPlan,
): Promise<void> {
  const account = idBytes(accountId);
  const id = idBytes(projectId);
  const rows = owned.map(({ type, logicalId, physicalId, isSubscribing, retiredAt }) => ({
    account_id: account,
    project_id: id,
    type,
    logical_id: logicalId,
    physical_id: physicalId,
    is_subscribing: flag(isSubscribing),
    retired_at: retiredAt,
  }));
  const present = await findRows(tx, 'project_resources', { account_id: account, project_id: id });
  const nameOf = ({ type, logical_id, physical_id, is_subscribing, retired_at }: (typeof rows)[number]) =>
    [type, logical_id, physical_id, is_subscribing, retired_at].join(' ');
  const [before, after] = [new Set(present.map(nameOf)), new Set(rows.map(nameOf))];
  for (const [type, gone] of Map.groupBy(
    present.filter((row) => !after.has(nameOf(row))),
    (row) => row.type,
  )) {
    const logical_id = gone.map((row) => row.logical_id);
    await deleteRows(tx, 'project_resources', { account_id: account, project_id: id, type, logical_id });
  }
  await insertRows(
    tx,
    'project_resources',
    rows.filter((row) => !before.has(nameOf(row))),
  );
  const key = { account_id: account, id };
  if (project === null) {
    await deleteRows(tx, 'projects', key);
    return;
  }
  const { logicalId: logical_id, name, repoUrl: repo_url, source } = project;
  const stored = await findRow(tx, 'projects', key);
  if (stored === undefined) {
    await insertRows(tx, 'projects', { ...key, logical_id, name, repo_url, source, created_at: now, updated_at: null });
  } else if (stored.name !== name || stored.repo_url !== repo_url || stored.source !== source) {
    await updateRows(tx, 'projects', key, { name, repo_url, source, updated_at: now });
  }
}
