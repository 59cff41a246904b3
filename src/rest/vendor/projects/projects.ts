// Deployments by the `checkly` command line.
import type { ProjectActions } from '#actions/projects/projects.ts';
import type { PrivateLocationActions } from '#actions/locations/private-locations.ts';
import { Refusal } from '#actions/refusal.ts';
import { errorBody } from '../../errors.ts';
import { HttpRefusal } from '../../http-refusal.ts';
import { parseDeclared } from '../../projects/declared-inputs.ts';
import { streamedDeployment } from '../../projects/projects.ts';
import { Answer, type Call, type Route, route } from '../../route.ts';
import { declaredProject } from './declare.ts';
import { namingResources } from './named-faults.ts';
import type { ShownDeployment } from '#actions/projects/deployments.ts';
import type { CliDeploymentBody, CliDeployResult } from '#contract/vendor/cli-project.ts';
import type { DiffEntry } from '#domain/projects/deployment.ts';
import { constructOf } from './status-pages.ts';
import { isoText, isoTextOrNull } from '../../wire.ts';

export function cliProjectRoutes(projects: ProjectActions, locations: Pick<PrivateLocationActions, 'list'>): Route[] {
  return [
    route('deployCliProject', (call) => orBusy(() => deploy(projects, locations, call))),
    route('deleteCliProject', ({ caller, params, query }) =>
      orBusy(async () => {
        try {
          return deploymentToCli(await projects.destroy(caller, params.logicalId, query.preserveResources));
        } catch (error) {
          if (!(error instanceof Refusal && error.code === 'not-found')) throw error;
          // There is nothing to delete, which is no error for the command line.
          return new Answer(200, {});
        }
      }),
    ),
    route('getCliDeployment', async ({ caller, params }) =>
      deploymentToCli(await projects.findDeployment(caller, params.logicalId, params.id)),
    ),
    route('cancelCliDeployment', async ({ caller, params }) =>
      deploymentToCli(await projects.cancelDeployment(caller, params.logicalId, params.id)),
    ),
    route('awaitCliDeployment', async ({ caller, params, query, signal }) =>
      deploymentToCli(
        await projects.awaitEnd(caller, params.logicalId, params.id, query.maxWaitSeconds * 1000, signal),
      ),
    ),
    route('streamCliDeployment', (call) =>
      streamedDeployment(projects, call, {
        progress: ({ progress }) => ({ progress: percentOf(progress) }),
        end: (deployment) => ['complete', deploymentToCli(deployment)],
      }),
    ),
  ];
}

async function deploy(
  projects: ProjectActions,
  locations: Pick<PrivateLocationActions, 'list'>,
  { caller, body, query }: Call<'deployCliProject'>,
) {
  const { project } = body;
  const stored = await locations.list(caller);
  const slugOf = (id: string): string | undefined => stored.find((one) => one.id === id)?.slugName;
  const { resources, refused } = declaredProject(body, slugOf);
  if (refused.length > 0) throw new HttpRefusal(400, refused.join('\n'));
  const undeclared = query.preserveResources ? 'detach' : 'delete';
  const declaration = { ...project, source: 'cli', resources, undeclared, isDryRun: query.dryRun } as const;
  try {
    const deployment = await projects.deploy(caller, declaration, parseDeclared(resources));
    return query.dryRun ? new Answer(200, resultToCli(project, deployment.diff ?? [])) : deploymentToCli(deployment);
  } catch (error) {
    throw namingResources(error, resources);
  }
}

/** While another deployment of the project is in progress, the command line waits for the one that the answer names. */
async function orBusy<Result>(work: () => Promise<Result>): Promise<Result | Answer> {
  try {
    return await work();
  } catch (error) {
    const deploymentId = error instanceof Refusal ? error.attributes?.['deploymentId'] : undefined;
    if (deploymentId === undefined) throw error;
    return new Answer(409, { ...errorBody(409, (error as Refusal).message), deploymentId });
  }
}

/** Types that the command line can show; others make it fail. */
const shownTypes: readonly string[] = [
  'check',
  'check-group',
  'alert-channel',
  'maintenance-window',
  'private-location',
];

function deploymentToCli({ id, ...deployment }: ShownDeployment): CliDeploymentBody {
  const { project, status, progress, error, diff, createdAt, endedAt } = deployment;
  return {
    id: id ?? '',
    logicalId: project,
    status,
    dryRun: id === null,
    progress: percentOf(progress),
    error: error === null ? null : { code: 'INVALID', message: error.message },
    result: diff === null ? null : resultToCli({ logicalId: project, name: project }, diff),
    createdAt: isoText(createdAt),
    startedAt: isoText(createdAt),
    endedAt: isoTextOrNull(endedAt),
    cancelRequestedAt: null,
  };
}

function percentOf({ done, total }: ShownDeployment['progress']): number {
  return total === 0 ? 0 : Math.floor((100 * done) / total);
}

/** What a deployment changes. */
function resultToCli(project: CliDeployResult['project'], diff: readonly DiffEntry[]): CliDeployResult {
  return {
    project,
    diff: diff.flatMap((entry) => {
      const { physicalId, action } = entry;
      const construct = shownTypes.includes(entry.type) ? entry : constructOf(entry);
      if (construct === null) return [];
      const { type, logicalId } = construct;
      return [{ type, logicalId, physicalId, action: action === 'DETACH' ? 'DETACHED' : action }];
    }),
  };
}
