// Projects in the API: what one set of files or code owns, and its deployments.
import { z } from 'zod';
import { deploymentsKept, deploymentStatuses, deploymentSteps } from '#domain/projects/deployment.ts';
import {
  longestLogicalId,
  mostProjects,
  mostResources,
  projectSources,
  resourceTypes,
} from '#domain/projects/resource.ts';
import { flag, instant, pathUuid, wholeNumber } from '#lib/schema/fields.ts';
import { jsonObject } from '#lib/schema/json.ts';
import { usualOperations } from '../usual-operations.ts';
import { tagged, type Untagged } from '../operation.ts';
import { pageQuery } from '../paging.ts';

const logicalId = z.string().min(1).max(longestLogicalId);
const source = z
  .enum(projectSources)
  .describe('What deploys it: files of this service, a folder that it watches, or the command line of another one.');

const project = z
  .strictObject({
    logicalId: z.string(),
    name: z.string(),
    repoUrl: z.string().nullable(),
    source,
    resources: z.int().describe('Number of resources that it owns.'),
    created_at: instant,
    updated_at: instant.nullable(),
  })
  .meta({ id: 'Project', description: 'What one set of files or code owns in an account.' });
export type ProjectBody = z.output<typeof project>;

const projectResource = z
  .strictObject({
    project: z.string().describe('Logical ID of the project.'),
    source,
    type: z.enum(resourceTypes),
    logicalId: z.string(),
    physicalId: z.string().describe('UUID, number or key of the resource.'),
    retiredAt: instant
      .nullable()
      .describe('Since when the folder no longer has it. A week later it is deleted. null = the project declares it.'),
  })
  .meta({ id: 'ProjectResource', description: 'A resource that a project owns.' });

const change = z.strictObject({
  field: z.string().describe('Path of the field, such as `request.url`.'),
  from: z.unknown().optional().describe('The present value; of a long one the part that differs. Absent = none.'),
  to: z.unknown().optional().describe('The declared value. Absent = none.'),
  secret: z.literal(true).exactOptional().describe('The value is secret, and neither is shown.'),
});

const diffEntry = z
  .strictObject({
    type: z.enum(resourceTypes),
    logicalId: z.string(),
    physicalId: z.string().nullable().describe('null = it does not exist yet: of a dry run.'),
    name: z.string().nullable(),
    action: z
      .enum(['CREATE', 'UPDATE', 'DELETE', 'DETACH'])
      .describe('DETACH = it is kept, and the project no longer owns it.'),
    changes: z.array(change).describe('Fields that an update changes, at most 50 each, and as far as 1 MB goes.'),
  })
  .meta({ id: 'DiffEntry', description: 'A difference between a declaration and what is stored.' });

export const deployment = z
  .strictObject({
    id: z.uuid().nullable().describe('null = a dry run, which is not stored.'),
    logicalId: z.string().describe('Logical ID of the project.'),
    status: z.enum(deploymentStatuses),
    dryRun: z.boolean(),
    progress: z.strictObject({ step: z.enum(deploymentSteps), done: z.int(), total: z.int() }),
    error: z
      .strictObject({
        message: z.string(),
        attributes: z.record(z.string(), z.string()).exactOptional().describe('Messages by path of the field.'),
      })
      .nullable()
      .describe('Why it changed nothing. null = no error.'),
    diff: z.array(diffEntry).nullable().describe('What it changes. null = not known yet.'),
    created_at: instant,
    ended_at: instant.nullable(),
  })
  .meta({ id: 'Deployment', description: "One application of a project's declaration." });
export type DeploymentBody = z.output<typeof deployment>;

const declared = z
  .strictObject({
    type: z.enum(resourceTypes),
    logicalId: logicalId.describe('Unique among the resources of its type in the project. Of a variable, its key.'),
    payload: jsonObject.describe(
      'Body of the create operation of its type. `{"ref": "<logical ID>"}` where it names another resource of the project.',
    ),
  })
  .meta({ id: 'DeclaredResource', description: 'A resource as files or code declare it.' });

const params = z.object({ logicalId: logicalId.describe('Logical ID of the project.') });
const deploymentParams = params.extend({ id: pathUuid('ID of the deployment.') });
const unknownProject = { 404: 'Unknown project.' } as const;
const unknownDeployment = {
  404: `Unknown deployment. The last ${deploymentsKept} of an account are stored.`,
} as const;
const ofDeployments = usualOperations({
  path: '/v1/projects/{logicalId}/deployments',
  params: deploymentParams,
  shown: deployment,
  unknown: unknownDeployment[404],
});
const busy = { 409: 'Another deployment of the project is in progress: `attributes.deploymentId`.' } as const;
/** Largest body of a deployment, before and after decompression. */
const maxBody = 12 * 1_048_576;

const usual = usualOperations({ path: '/v1/projects', params, shown: project, unknown: unknownProject[404] });

export const projectOperations = tagged('Projects', {
  listProjects: { ...usual.list, summary: 'List all projects' },
  listProjectResources: {
    method: 'GET',
    path: '/v1/project-resources',
    summary: 'List the resources that projects own',
    permission: 'read',
    query: pageQuery.extend({
      project: logicalId.exactOptional().describe('Only those of this project.'),
      type: z.enum(resourceTypes).exactOptional(),
      physicalId: z.string().max(500).exactOptional().describe('Only the resource with this ID. Requires `type`.'),
    }),
    response: z.array(projectResource),
    isPaged: true,
  },
  getProject: { ...usual.get, summary: 'Get a project' },
  deleteProject: {
    ...usual.remove,
    summary: 'Delete a project',
    description:
      'Deletes everything that the project owns, in a deployment of its own, or keeps it without an owner. Its ' +
      'checks stop at once; their history is deleted in the minutes after.',
    query: z.object({
      preserveResources: flag.default(false).describe('Keep the resources.'),
    }),
    status: 202,
    response: deployment,
    alsoAnswers: { ...unknownProject, ...busy },
  },
  createDeployment: {
    ...usual.update,
    method: 'POST',
    path: '/v1/projects/{logicalId}/deployments',
    summary: 'Deploy a project',
    description:
      'Makes the resources of the project what the request declares: a resource is replaced as a whole, a masked secret ' +
      'keeps its value. Channels of a check or group that the declaration does not list are not changed; a new one ' +
      'gets those with `autoSubscribe`. A variable that exists becomes part of the project. All or nothing: everything is ' +
      'validated first, and one transaction applies it. The answer comes at once; follow it with `GET`. A dry run ' +
      'answers with what it would change, and 200. ' +
      `At most ${mostResources.toLocaleString('en-US')} resources, ${mostProjects} projects of an account, and 12 MB, compressed or not.`,
    maxBody,
    body: z.strictObject({
      name: z.string().min(1).max(200).exactOptional().describe('Absent = the logical ID.'),
      repoUrl: z.string().max(2000).nullable().default(null),
      source: source.default('files'),
      resources: z.array(declared).max(mostResources),
      prune: z
        .boolean()
        .default(false)
        .describe('Delete what the project owns and no longer declares. false = it is kept, and owned.'),
      detach: z
        .boolean()
        .default(false)
        .describe('Keep what the project no longer declares, without an owner. Has no effect with `prune`.'),
      dryRun: z.boolean().default(false).describe('Change nothing.'),
    }),
    example: {
      resources: [
        {
          type: 'check',
          logicalId: 'home',
          payload: { checkType: 'URL', name: 'Home page', request: { url: 'https://shop.example/' } },
        },
      ],
    },
    status: 202,
    response: deployment,
    alsoAnswers: { 200: 'A dry run.', ...busy },
  },
  getDeployment: { ...ofDeployments.get, summary: 'Get a deployment and its progress' },
  awaitDeployment: {
    ...ofDeployments.get,
    path: '/v1/projects/{logicalId}/deployments/{id}/completion',
    summary: 'Wait for the end of a deployment',
    query: z.object({ maxWaitSeconds: wholeNumber(1, 30).default(30) }),
    alsoAnswers: { ...unknownDeployment, 408: 'It has not ended yet.' },
  },
  streamDeployment: {
    method: 'GET',
    path: '/v1/projects/{logicalId}/deployments/{id}/events',
    summary: 'Stream the progress of a deployment as server-sent events',
    description:
      '`progress` events with `{progress}` follow, then `complete` with the deployment, or `error` with `{message}` if it ' +
      'failed, and the stream ends.',
    permission: 'read',
    params: deploymentParams,
    media: 'text/event-stream',
    alsoAnswers: unknownDeployment,
  },
} as const satisfies Untagged);
