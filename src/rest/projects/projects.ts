// Routes of projects and their deployments (docs/decisions/0150).
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { ShownDeployment } from '#actions/projects/deployments.ts';
import { createPlaces } from '#actions/projects/places.ts';
import type { CountedProject, ProjectActions } from '#actions/projects/projects.ts';
import type { DeploymentBody, ProjectBody } from '#contract/projects/project.ts';
import type { Deployment, DiffEntry } from '#domain/projects/deployment.ts';
import { Answer, type Call, pageOf, type Route, route, sliceOf } from '../route.ts';
import { isoText, isoTextOrNull } from '../wire.ts';
import { parseDeclared } from './declared-inputs.ts';

export function projectRoutes(actions: ProjectActions): Route[] {
  return [
    route('listProjects', async ({ caller, query }) => pageOf(await actions.list(caller, sliceOf(query)), toWire)),
    route('listProjectResources', async ({ caller, query }) =>
      pageOf(await actions.resources(caller, query, sliceOf(query)), (one) => ({
        ...one,
        retiredAt: isoTextOrNull(one.retiredAt),
      })),
    ),
    route('getProject', async ({ caller, params }) => toWire(await actions.find(caller, params.logicalId))),
    route('deleteProject', async ({ caller, params, query }) =>
      deploymentToWire(await actions.destroy(caller, params.logicalId, query.preserveResources)),
    ),
    route('createDeployment', async ({ caller, params, body }) => {
      const { name = null, repoUrl, source, resources, dryRun } = body;
      const undeclared = body.prune ? 'delete' : body.detach ? 'detach' : 'keep';
      const declaration = { ...params, name, repoUrl, source, resources, undeclared, isDryRun: dryRun } as const;
      const deployment = deploymentToWire(await actions.deploy(caller, declaration, parseDeclared(resources)));
      return dryRun ? new Answer(200, deployment) : deployment;
    }),
    route('getDeployment', async ({ caller, params }) =>
      deploymentToWire(await actions.findDeployment(caller, params.logicalId, params.id)),
    ),
    route('awaitDeployment', async ({ caller, params, query, signal }) =>
      deploymentToWire(
        await actions.awaitEnd(caller, params.logicalId, params.id, query.maxWaitSeconds * 1000, signal),
      ),
    ),
    route('streamDeployment', (call) => streamedDeployment(actions, call, publicEvents)),
  ];
}

/** What the events of a stream carry. */
export interface DeploymentEvents {
  readonly progress: (deployment: Deployment) => object;
  /** Name and data of the last event. */
  readonly end: (deployment: Deployment) => readonly [name: string, data: object];
}

const publicEvents: DeploymentEvents = {
  progress: ({ progress }) => ({ progress }),
  end: (deployment) =>
    deployment.error === null ? ['complete', deploymentToWire(deployment)] : ['error', deployment.error],
};

/** The stream of a deployment. Refuses (404) an unknown one. */
export async function streamedDeployment(
  actions: ProjectActions,
  call: Call<'streamDeployment'>,
  events: DeploymentEvents,
): Promise<Answer> {
  const { caller, params, method } = call;
  await actions.findDeployment(caller, params.logicalId, params.id);
  if (method === 'HEAD') return new Answer(200, '', streamHeaders);
  const leave = streams.take(caller.accountId);
  const body = Readable.from(eventsOf(actions, call, events), { objectMode: false });
  return new Answer(200, body.once('close', leave), streamHeaders);
}

const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
};
/** Each looks at a row several times a second. */
const streams = createPlaces('streams of deployments', 20, 200);
/** Time between two looks at a deployment in progress, and the longest stream, ms. */
const lookEveryMs = 300;
const longestMs = 900_000;

/** Ends with the deployment, with the access of the caller, or after 15 minutes; the stream ends it if the client leaves. */
async function* eventsOf(
  actions: ProjectActions,
  { caller, params, isStillAllowed }: Call<'streamDeployment'>,
  events: DeploymentEvents,
): AsyncGenerator<string> {
  const endsAt = performance.now() + longestMs;
  let shown = '';
  while (performance.now() < endsAt) {
    const deployment = await actions.findDeployment(caller, params.logicalId, params.id);
    const text = JSON.stringify(events.progress(deployment));
    if (text !== shown) yield eventText('progress', text);
    else yield ':\n\n';
    shown = text;
    if (deployment.endedAt !== null) {
      const [name, data] = events.end(deployment);
      yield eventText(name, JSON.stringify(data));
      return;
    }
    await pause(lookEveryMs);
    if (!(await isStillAllowed())) return;
  }
}

function eventText(name: string, data: string): string {
  return `event: ${name}\ndata: ${data}\n\n`;
}

function toWire({ logicalId, name, repoUrl, source, resources, createdAt, updatedAt }: CountedProject): ProjectBody {
  return {
    logicalId,
    name,
    repoUrl,
    source,
    resources,
    created_at: isoText(createdAt),
    updated_at: isoTextOrNull(updatedAt),
  };
}

/** A deployment in a response. */
export function deploymentToWire({
  id,
  project,
  status,
  progress,
  error,
  diff,
  createdAt,
  endedAt,
}: ShownDeployment): DeploymentBody {
  return {
    id,
    logicalId: project,
    status,
    dryRun: id === null,
    progress,
    error:
      error === null
        ? null
        : { message: error.message, ...(error.attributes && { attributes: { ...error.attributes } }) },
    diff: diff === null ? null : diff.map(entryToWire),
    created_at: isoText(createdAt),
    ended_at: isoTextOrNull(endedAt),
  };
}

function entryToWire({ changes, ...entry }: DiffEntry): NonNullable<DeploymentBody['diff']>[number] {
  return {
    ...entry,
    changes: changes.map(({ path, from, to, isSecret }) => ({
      field: path,
      ...(from !== undefined && { from }),
      ...(to !== undefined && { to }),
      ...(isSecret && { secret: true as const }),
    })),
  };
}
