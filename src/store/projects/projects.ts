// Projects of accounts and what they own.
import { type Selectable, sql } from 'kysely';
import type { Project } from '#domain/projects/deployment.ts';
import {
  type OwnedResource,
  type ProjectResource,
  type ResourceType,
  resourceTypes,
} from '#domain/projects/resource.ts';
import { idBytes, idText } from '../base/codec.ts';
import { type Database, nextNumber, type Page, type Slice } from '../base/database.ts';
import { countRows, findRow, findRows, readPage, selectRows } from '../base/rows.ts';
import type { ProjectsTable } from '../base/tables/project-tables.ts';
import type { Db } from '../base/tables/schema.ts';
import { applyPlan, type DeploymentPlan } from './apply.ts';
import type { ResourceRecords, StoredKind } from './kind.ts';
import { createDeployments } from './deployments.ts';
import { storedKinds } from './registry.ts';

/** Present records by type and physical ID. */
export type PresentResources = {
  readonly [Type in ResourceType]: ReadonlyMap<string, ResourceRecords[Type]['stored']>;
};

type PhysicalIds = { readonly [Type in ResourceType]: readonly string[] };

/** Which resources of projects. */
export interface ResourceFilter {
  readonly project?: string | undefined;
  readonly type?: ResourceType | undefined;
  readonly physicalId?: string | undefined;
}

export function createProjects(database: Database) {
  const { reader, transaction, clock } = database;
  return {
    /** By logical ID, each with the number of its resources. */
    async list(accountId: string, slice: Slice): Promise<Page<Project & { readonly resources: number }>> {
      const owned = selectRows(reader, 'projects', { account_id: idBytes(accountId) }).selectAll();
      const { rows, total } = await readPage(owned.orderBy('logical_id'), slice, projectOf);
      const counted = [];
      for (const project of rows) counted.push({ ...project, resources: await countResources(reader, project) });
      return { rows: counted, total };
    },
    async find(accountId: string, logicalId: string): Promise<(Project & { readonly resources: number }) | null> {
      const row = await findRow(reader, 'projects', { account_id: idBytes(accountId), logical_id: logicalId });
      if (row === undefined) return null;
      return { ...projectOf(row), resources: await countResources(reader, projectOf(row)) };
    },
    /** By project, type and logical ID. */
    resources: (accountId: string, filter: ResourceFilter, slice: Slice): Promise<Page<ProjectResource>> =>
      readPage(resourcesOf(reader, accountId, filter), slice, (row) => ({
        project: row.project,
        source: row.source,
        type: row.type,
        logicalId: row.logical_id,
        physicalId: row.physical_id,
        retiredAt: row.retired_at,
      })),
    /** Everything that a project owns. */
    async owned(accountId: string, projectId: string): Promise<OwnedResource[]> {
      const key = { account_id: idBytes(accountId), project_id: idBytes(projectId) };
      const rows = await findRows(reader, 'project_resources', key);
      return rows.map(({ type, logical_id, physical_id, is_subscribing, retired_at }) => ({
        type,
        logicalId: logical_id,
        physicalId: physical_id,
        isSubscribing: is_subscribing === 1,
        retiredAt: retired_at,
      }));
    },
    /** The project that owns a row, by physical ID; null = none. */
    async ownerOf(accountId: string, type: ResourceType, physicalId: string): Promise<string | null> {
      const [row] = await resourcesOf(reader, accountId, { type, physicalId }).limit(1).execute();
      return row?.project ?? null;
    },
    /** Stored bytes of these IDs, without reading the records. */
    bytes: (accountId: string, ids: PhysicalIds): Promise<number> => storedBytes(reader, accountId, ids),
    /** The present records of these IDs. */
    present: (accountId: string, ids: PhysicalIds): Promise<PresentResources> => presentOf(database, accountId, ids),
    /** Takes numbers for new resources of a type, and returns the first; a dry run takes none. */
    reserve: async (accountId: string, type: ResourceType, count: number, isDryRun: boolean): Promise<number> => {
      const { counter } = storedKinds[type];
      if (counter === null || count === 0) return 0;
      if (!isDryRun) return transaction((tx) => nextNumber(tx, accountId, counter, count));
      const row = await findRow(reader, 'counters', { account_id: idBytes(accountId), noun: counter });
      return (row?.last ?? 0) + 1;
    },
    apply: (accountId: string, deploymentId: string, plan: DeploymentPlan) =>
      applyPlan(database, accountId, deploymentId, plan),
    deployments: createDeployments(database),
    /** Epoch ms. */
    now: () => clock.now(),
  };
}

function resourcesOf(db: Db, accountId: string, { project, type, physicalId }: ResourceFilter) {
  let query = db
    .selectFrom('project_resources')
    .innerJoin('projects', (join) =>
      join
        .onRef('projects.account_id', '=', 'project_resources.account_id')
        .onRef('projects.id', '=', 'project_resources.project_id'),
    )
    .where('project_resources.account_id', '=', idBytes(accountId));
  if (project !== undefined) query = query.where('projects.logical_id', '=', project);
  if (type !== undefined) query = query.where('project_resources.type', '=', type);
  if (physicalId !== undefined) query = query.where('project_resources.physical_id', '=', physicalId);
  return query
    .select([
      'projects.logical_id as project',
      'projects.source',
      'project_resources.type',
      'project_resources.logical_id',
      'project_resources.physical_id',
      'project_resources.retired_at',
    ])
    .orderBy('projects.logical_id')
    .orderBy('project_resources.type')
    .orderBy('project_resources.logical_id');
}

async function presentOf(database: Database, accountId: string, ids: PhysicalIds): Promise<PresentResources> {
  const found: Partial<Record<ResourceType, ReadonlyMap<string, unknown>>> = {};
  for (const type of resourceTypes) {
    const kind: Pick<StoredKind<ResourceType>, 'read'> = storedKinds[type];
    found[type] = await kind.read(database.reader, database, accountId, ids[type]);
  }
  // Each kind reads its own records.
  return found as PresentResources;
}

/** IDs per statement. */
const idsAtOnce = 500;

async function storedBytes(db: Db, accountId: string, physicalIds: PhysicalIds): Promise<number> {
  let sum = 0;
  for (const type of resourceTypes) {
    const {
      table,
      column,
      keyOf,
      bytes,
    }: Pick<StoredKind<ResourceType>, 'table' | 'column' | 'keyOf' | 'bytes'> = storedKinds[type];
    const all = bytes === null ? [] : physicalIds[type];
    for (let from = 0; from < all.length; from += idsAtOnce) {
      const ids = all.slice(from, from + idsAtOnce).map(keyOf);
      const rows = db.selectFrom(table as 'checks').where('account_id', '=', idBytes(accountId));
      const found = await rows
        .where(sql.ref(column), 'in', ids)
        .select(sql<number>`coalesce(sum(${bytes}), 0)`.as('bytes'))
        .executeTakeFirstOrThrow();
      sum += found.bytes;
    }
  }
  return sum;
}

function countResources(db: Db, { accountId, id }: Project): Promise<number> {
  return countRows(db, 'project_resources', { account_id: idBytes(accountId), project_id: idBytes(id) });
}

function projectOf(row: Selectable<ProjectsTable>): Project {
  return {
    accountId: idText(row.account_id),
    id: idText(row.id),
    logicalId: row.logical_id,
    name: row.name,
    repoUrl: row.repo_url,
    source: row.source,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
