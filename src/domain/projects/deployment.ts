// One application of a project's declaration, and what it changes.
import type { FieldChange } from '../accounts/audit-entry.ts';
import type { ProjectSource, ResourceType } from './resource.ts';

/** What becomes of a resource. DETACH = it is kept, and the project no longer owns it. */
export type DiffAction = 'CREATE' | 'UPDATE' | 'DELETE' | 'DETACH';

/** A difference between the declaration and what is stored. */
export interface DiffEntry {
  readonly type: ResourceType;
  readonly logicalId: string;
  /** null = it does not exist yet: of a dry run. */
  readonly physicalId: string | null;
  readonly name: string | null;
  readonly action: DiffAction;
  /** Of an update. */
  readonly changes: readonly FieldChange[];
}

export const deploymentStatuses = ['RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELLED'] as const;
export type DeploymentStatus = (typeof deploymentStatuses)[number];

/** What a deployment is doing. */
export const deploymentSteps = ['checking', 'applying', 'deleting', 'done'] as const;

export interface DeploymentProgress {
  readonly step: (typeof deploymentSteps)[number];
  readonly done: number;
  readonly total: number;
}

/** Why a deployment changed nothing. */
export interface DeploymentError {
  readonly message: string;
  /** Messages by path, such as `resources[3].payload.name`. */
  readonly attributes?: Readonly<Record<string, string>>;
}

/** A deployment as stored. Times are epoch ms. */
export interface Deployment {
  readonly accountId: string;
  readonly id: string;
  /** Logical ID of its project. */
  readonly project: string;
  readonly status: DeploymentStatus;
  readonly progress: DeploymentProgress;
  readonly error: DeploymentError | null;
  /** null until it has ended. */
  readonly diff: readonly DiffEntry[] | null;
  readonly createdAt: number;
  readonly endedAt: number | null;
}

/** A project as stored. Times are epoch ms. */
export interface Project {
  readonly accountId: string;
  readonly id: string;
  readonly logicalId: string;
  readonly name: string;
  readonly repoUrl: string | null;
  readonly source: ProjectSource;
  readonly createdAt: number;
  readonly updatedAt: number | null;
}

/** Deployments of an account that are stored; a new one replaces the oldest. */
export const deploymentsKept = 20;
/** Bytes of a stored diff, as JSON. */
const maxDiffBytes = 1_000_000;

/** A diff that fits into a row: the fields of the last updates are left out first. */
export function boundedDiff(diff: readonly DiffEntry[]): DiffEntry[] {
  let bytes = 0;
  return diff.map((entry) => {
    const size = JSON.stringify(entry.changes).length * 2;
    if (bytes + size > maxDiffBytes) return { ...entry, changes: [] };
    bytes += size;
    return entry;
  });
}
