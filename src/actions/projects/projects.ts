// Actions on projects and their deployments (docs/decisions/0150).
import type { Page, Slice } from '#store/base/database.ts';
import type { Caller } from '#domain/accounts/api-key.ts';
import type { Deployment, Project } from '#domain/projects/deployment.ts';
import type { DeclaredResource, ProjectResource } from '#domain/projects/resource.ts';
import type { ResourceFilter } from '#store/projects/projects.ts';
import { requirePermission } from '../accounts/permission.ts';
import { waitUntil } from '../checks/wait-until.ts';
import { invalidField, Refusal, orNotFound } from '../refusal.ts';
import { dryRun, pauseMs, type ProjectDeps, type ShownDeployment, start } from './deployments.ts';
import type { Declaration, ParseInputs } from './inputs.ts';
import { keyOf } from './plan.ts';

/** A project and the number of resources that it owns. */
export type CountedProject = Project & { readonly resources: number };

export type ProjectActions = ReturnType<typeof createProjectActions>;

export function createProjectActions(deps: ProjectDeps) {
  const { projects } = deps;
  const required = async ({ accountId }: Caller, logicalId: string): Promise<CountedProject> => {
    return orNotFound(await projects.find(accountId, logicalId), 'project', logicalId);
  };
  return {
    /** Ordered by logical ID. */
    async list(caller: Caller, slice: Slice): Promise<Page<CountedProject>> {
      requirePermission(caller, 'read');
      return projects.list(caller.accountId, slice);
    },
    async find(caller: Caller, logicalId: string): Promise<CountedProject> {
      requirePermission(caller, 'read');
      return required(caller, logicalId);
    },
    /** What projects own. */
    async resources(caller: Caller, filter: ResourceFilter, slice: Slice): Promise<Page<ProjectResource>> {
      requirePermission(caller, 'read');
      if (filter.physicalId !== undefined && filter.type === undefined)
        throw invalidField('type', 'is required with physicalId');
      return projects.resources(caller.accountId, filter, slice);
    },
    /**
     * Deploys what is declared. Refuses `invalid` what cannot be parsed, and `conflict` while another deployment of the
     * project is in progress. The rest happens after the answer, but for a dry run.
     * @param parse parses the payloads
     */
    async deploy(caller: Caller, declaration: Declaration, parse: ParseInputs): Promise<ShownDeployment> {
      requirePermission(caller, 'write');
      refuseIds(declaration.resources);
      return declaration.isDryRun ? dryRun(caller, declaration, parse, deps) : start(caller, declaration, parse, deps);
    },
    /** Deletes a project with everything that it owns, or without. */
    async destroy(caller: Caller, logicalId: string, isPreserving: boolean): Promise<ShownDeployment> {
      requirePermission(caller, 'write');
      const { name, repoUrl, source } = await required(caller, logicalId);
      const undeclared = isPreserving ? 'detach' : 'delete';
      const declaration = { logicalId, name, repoUrl, source, resources: [], undeclared, isDryRun: false } as const;
      return start(caller, declaration, () => Promise.resolve([]), deps, true);
    },
    ...deploymentReads(deps),
  };
}

/** Refuses logical IDs that mean two resources. That of a variable is its key. */
function refuseIds(resources: readonly DeclaredResource[]): void {
  const seen = new Map<string, number>();
  for (const [index, each] of resources.entries()) {
    const first = seen.get(keyOf(each));
    if (first !== undefined)
      throw invalidField(`resources[${index}].logicalId`, `is that of resources[${first}] too: ${each.logicalId}`);
    seen.set(keyOf(each), index);
    const { key } = each.payload;
    if (each.type === 'variable' && typeof key === 'string' && key !== each.logicalId)
      throw invalidField(`resources[${index}].logicalId`, `must be the key of the variable: ${key}`);
  }
}

function deploymentReads({ projects }: ProjectDeps) {
  const found = async ({ accountId }: Caller, logicalId: string, id: string): Promise<Deployment> => {
    return orNotFound(await projects.deployments.find(accountId, logicalId, id), 'deployment', id);
  };
  return {
    async findDeployment(caller: Caller, logicalId: string, id: string): Promise<Deployment> {
      requirePermission(caller, 'read');
      return found(caller, logicalId, id);
    },
    /** Cancels it, unless it is being applied or has ended. */
    async cancelDeployment(caller: Caller, logicalId: string, id: string): Promise<Deployment> {
      requirePermission(caller, 'write');
      await projects.deployments.cancel(caller.accountId, logicalId, id);
      return found(caller, logicalId, id);
    },
    /** Waits until it has ended. Refuses `timeout`. */
    async awaitEnd(
      caller: Caller,
      logicalId: string,
      id: string,
      maxMs: number,
      signal: AbortSignal,
    ): Promise<Deployment> {
      requirePermission(caller, 'read');
      let last = await found(caller, logicalId, id);
      const isEnded = async (): Promise<boolean> => {
        last = await found(caller, logicalId, id);
        return last.endedAt !== null;
      };
      if (await waitUntil(isEnded, { maxMs, signal, hints: () => () => {}, pauseMs })) return last;
      throw new Refusal('timeout', 'The deployment has not ended yet. Call again.');
    },
  };
}
