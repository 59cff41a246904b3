// Tables of projects: what they own, and their deployments.
import type { ProjectSource, ResourceType } from '#domain/projects/resource.ts';
import type { DeploymentStatus } from '#domain/projects/deployment.ts';
import type { Flag, IdBytes } from '../codec.ts';

export interface ProjectsTable {
  account_id: IdBytes;
  id: IdBytes;
  logical_id: string;
  name: string;
  repo_url: string | null;
  source: ProjectSource;
  created_at: number;
  updated_at: number | null;
}

/** A row that a project owns. */
export interface ProjectResourcesTable {
  account_id: IdBytes;
  project_id: IdBytes;
  type: ResourceType;
  logical_id: string;
  physical_id: string;
  is_subscribing: Flag;
  retired_at: number | null;
}

export interface DeploymentsTable {
  account_id: IdBytes;
  id: IdBytes;
  /** Logical ID of the project. */
  project: string;
  status: DeploymentStatus;
  /** JSON. */
  progress: string;
  /** JSON; null = none. */
  error: string | null;
  /** JSON; null = nothing was applied. */
  diff: string | null;
  /** The deletion of its checks, which goes on after it was applied; null = none. */
  change_id: IdBytes | null;
  /** Until when the process that applies it is believed to live. */
  leased_until: number | null;
  created_at: number;
  ended_at: number | null;
}

export interface ProjectTables {
  projects: ProjectsTable;
  project_resources: ProjectResourcesTable;
  deployments: DeploymentsTable;
}
