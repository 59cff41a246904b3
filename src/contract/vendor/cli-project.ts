// Projects as the `checkly` command line deploys them.
import { z } from 'zod';
import { longestLogicalId, mostResources } from '#domain/projects/resource.ts';
import { flag } from '#lib/schema/fields.ts';
import { jsonObject } from '#lib/schema/json.ts';
import { tagged, type Untagged } from '../operation.ts';
import { projectOperations } from '../projects/project.ts';

const logicalId = z.string().min(1).max(longestLogicalId);

const resource = z.strictObject({
  logicalId: z.string().min(1).max(1000),
  type: z.string().max(100),
  physicalId: z.union([z.string().max(100), z.int()]).nullish(),
  member: z.boolean().default(true).describe('false = a reference to a resource that the project does not own.'),
  payload: jsonObject.nullable().default(null),
  sourceFile: z.string().max(2000).nullish(),
});
export type CliResource = z.output<typeof resource>;

export const cliProject = z.strictObject({
  project: z.strictObject({
    logicalId,
    name: z.string().min(1).max(200),
    repoUrl: z.string().max(2000).nullable().default(null),
  }),
  sharedFiles: z
    .array(z.looseObject({ path: z.string().max(1000), content: z.string() }))
    .default([])
    .describe('Files that scripts of several checks import.'),
  resources: z.array(resource).max(mostResources),
  repoInfo: jsonObject.nullish(),
});
export type CliProjectBody = z.output<typeof cliProject>;

const change = z.strictObject({
  type: z.string(),
  logicalId: z.string(),
  physicalId: z.union([z.string(), z.int()]).nullable(),
  action: z.enum(['CREATE', 'UPDATE', 'DELETE', 'DETACHED']),
});
const result = z.strictObject({
  project: z.strictObject({ logicalId: z.string(), name: z.string() }),
  diff: z.array(change),
});
export type CliDeployResult = z.output<typeof result>;

const deployment = z.strictObject({
  id: z.string(),
  logicalId: z.string(),
  status: z.string(),
  dryRun: z.boolean(),
  progress: z.int().describe('Percent.'),
  error: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
  result: result.nullable(),
  createdAt: z.string(),
  startedAt: z.string(),
  endedAt: z.string().nullable(),
  cancelRequestedAt: z.null(),
});
export type CliDeploymentBody = z.output<typeof deployment>;

const ofCli = { isPrivate: true, isCliVariant: true } as const;
const { createDeployment, deleteProject, getDeployment, awaitDeployment, streamDeployment } = projectOperations;

export const cliProjectOperations = tagged('Projects', {
  deployCliProject: {
    method: 'POST',
    path: '/v1/projects/deploy',
    summary: 'Deploy a project',
    permission: 'write',
    query: z.object({
      dryRun: flag.default(false),
      preserveResources: flag.default(false),
      scheduleOnDeploy: flag
        .default(true)
        .describe('Without effect: new checks run for the first time within a minute.'),
    }),
    maxBody: createDeployment.maxBody,
    body: cliProject,
    status: 202,
    response: deployment,
    isPrivate: true,
  },
  deleteCliProject: {
    ...deleteProject,
    ...ofCli,
    query: deleteProject.query.extend({ dryRun: z.literal('false').exactOptional() }),
    response: deployment,
  },
  getCliDeployment: { ...getDeployment, ...ofCli, response: deployment },
  awaitCliDeployment: { ...awaitDeployment, ...ofCli, response: deployment },
  streamCliDeployment: { ...streamDeployment, ...ofCli },
  cancelCliDeployment: {
    ...getDeployment,
    method: 'POST',
    path: '/v1/projects/{logicalId}/deployments/{id}/cancel',
    summary: 'Cancel a deployment',
    description: 'Unless it is being applied, which takes seconds, or has ended.',
    permission: 'write',
    response: deployment,
    isPrivate: true,
  },
} as const satisfies Untagged);
