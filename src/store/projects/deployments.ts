// Deployments of projects: one of a project at a time, with a lease (docs/decisions/0150).
import type { Selectable } from 'kysely';
import {
  type Deployment,
  type DeploymentError,
  type DeploymentProgress,
  deploymentsKept,
} from '#domain/projects/deployment.ts';
import { mostProjects } from '#domain/projects/resource.ts';
import { isLeased } from '#lib/clock.ts';
import { waitForOthers } from '../base/account-limits.ts';
import { idBytes, idText, json, parsed, parsedOrNull } from '../base/codec.ts';
import type { Database } from '../base/database.ts';
import { countRows, deleteRows, findRow, insertRows, selectRows, updateRows } from '../base/rows.ts';
import type { DeploymentsTable } from '../base/tables/project-tables.ts';
import type { Db } from '../base/tables/schema.ts';

/** How a deployment begins. `busy` = another one of the project is in progress. */
export type Begun = { readonly begun: Deployment } | { readonly busy: string } | 'too many projects';

/** A process that no longer renews its deployment has ended, ms. */
const leaseMs = 30_000;

export function createDeployments({ reader, transaction, clock }: Database) {
  return {
    /** @param id of the new one */
    begin: (accountId: string, project: string, id: string): Promise<Begun> =>
      transaction((tx) => begin(tx, clock.now(), accountId, project, id)),
    /** null = unknown. */
    async find(accountId: string, project: string, id: string): Promise<Deployment | null> {
      const row = await findRow(reader, 'deployments', { ...keyOf(accountId, id), project });
      return row === undefined ? null : settled(reader, row, clock.now());
    },
    /** Renews its lease as well. */
    progress: (accountId: string, id: string, progress: DeploymentProgress): Promise<void> =>
      transaction(async (tx) => {
        const values = { progress: json(progress), leased_until: clock.now() + leaseMs };
        await updateRows(tx, 'deployments', { ...keyOf(accountId, id), ended_at: null }, values);
      }),
    renew: (accountId: string, id: string): Promise<void> =>
      transaction(async (tx) => {
        const leased_until = clock.now() + leaseMs;
        await updateRows(tx, 'deployments', { ...keyOf(accountId, id), ended_at: null }, { leased_until });
      }),
    /** Forgets a deployment that was refused. */
    discard: (accountId: string, id: string): Promise<void> =>
      transaction(async (tx) => void (await deleteRows(tx, 'deployments', keyOf(accountId, id)))),
    fail: (accountId: string, id: string, error: DeploymentError): Promise<void> =>
      transaction(async (tx) => {
        const key = { ...keyOf(accountId, id), ended_at: null };
        await updateRows(tx, 'deployments', key, { status: 'FAILED', error: json(error), ended_at: clock.now() });
      }),
    /** Ends a deployment before it is applied; has no effect afterwards. */
    cancel: (accountId: string, project: string, id: string): Promise<void> =>
      transaction(async (tx) => {
        const key = { ...keyOf(accountId, id), project, change_id: null, ended_at: null };
        const values = { status: 'CANCELLED', error: json({ message: cancelled }), ended_at: clock.now() } as const;
        await updateRows(tx, 'deployments', key, values);
      }),
    /** Ends a deployment whose checks are deleted. */
    succeed: (accountId: string, id: string): Promise<void> =>
      transaction(async (tx) => {
        const done = json({ step: 'done', done: 1, total: 1 });
        const key = { ...keyOf(accountId, id), ended_at: null };
        await updateRows(tx, 'deployments', key, { status: 'SUCCEEDED', progress: done, ended_at: clock.now() });
      }),
  };
}

async function begin(tx: Db, now: number, accountId: string, project: string, id: string): Promise<Begun> {
  await waitForOthers(tx, accountId);
  const account = { account_id: idBytes(accountId) };
  const open = await findRow(tx, 'deployments', { ...account, project, ended_at: null });
  if (open !== undefined) {
    const seen = await settled(tx, open, now);
    if (seen.endedAt === null) return { busy: seen.id };
    await updateRows(tx, 'deployments', keyOf(accountId, seen.id), endOf(seen));
  }
  if ((await findRow(tx, 'projects', { ...account, logical_id: project }, ['id'])) === undefined) {
    if ((await countRows(tx, 'projects', account)) >= mostProjects) return 'too many projects';
  }
  await removeOld(tx, accountId);
  const row: DeploymentsTable = {
    ...keyOf(accountId, id),
    project,
    status: 'RUNNING',
    progress: json({ step: 'checking', done: 0, total: 0 }),
    error: null,
    diff: null,
    change_id: null,
    leased_until: now + leaseMs,
    created_at: now,
    ended_at: null,
  };
  await insertRows(tx, 'deployments', row);
  return { begun: deploymentOf(row) };
}

function keyOf(accountId: string, id: string) {
  return { account_id: idBytes(accountId), id: idBytes(id) };
}

const cancelled = 'The deployment was cancelled, and nothing was changed.';
const interrupted = 'The process that applied it has ended, and nothing was changed. Deploy again.';

/** A deployment as it is, although the process that applied it may have ended. */
async function settled(db: Db, row: Selectable<DeploymentsTable>, now: number): Promise<Deployment> {
  const deployment = deploymentOf(row);
  if (row.ended_at !== null) return deployment;
  if (row.change_id !== null) {
    const change = await findRow(db, 'check_changes', { account_id: row.account_id, id: row.change_id });
    // A change that ended some minutes ago is no longer stored.
    if (change !== undefined && change.ended_at === null) {
      const progress = { step: 'deleting' as const, done: change.changed + change.refused, total: change.checks };
      return { ...deployment, progress };
    }
    const done = { step: 'done' as const, done: 1, total: 1 };
    return { ...deployment, status: 'SUCCEEDED', progress: done, endedAt: change?.ended_at ?? now };
  }
  if (isLeased(row.leased_until ?? 0, now, leaseMs)) return deployment;
  return { ...deployment, status: 'FAILED', error: { message: interrupted }, endedAt: now };
}

function endOf({ status, error, endedAt }: Deployment) {
  return { status, error: error === null ? null : json(error), ended_at: endedAt };
}

async function removeOld(tx: Db, accountId: string): Promise<void> {
  const old = await selectRows(tx, 'deployments', { account_id: idBytes(accountId) })
    .select('id')
    .where('ended_at', 'is not', null)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .offset(deploymentsKept - 1)
    .limit(1000)
    .execute();
  await deleteRows(tx, 'deployments', { account_id: idBytes(accountId), id: old.map(({ id }) => id) });
}

function deploymentOf(row: Selectable<DeploymentsTable>): Deployment {
  return {
    accountId: idText(row.account_id),
    id: idText(row.id),
    project: row.project,
    status: row.status,
    progress: parsed(row.progress),
    error: parsedOrNull(row.error),
    diff: parsedOrNull(row.diff),
    createdAt: row.created_at,
    endedAt: row.ended_at,
  };
}
