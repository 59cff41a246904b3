// Runtimes in the API (spec §2.1, §4.1).
import { z } from 'zod';
import { tagged, type Untagged } from '../operation.ts';

export const runtime = z
  .strictObject({
    name: z.string().describe('Unique name of the runtime: year and month.'),
    multiStepSupport: z.boolean().describe('Whether multi-step checks can run on it.'),
    nodeJsVersion: z.string().describe('Full Node.js version, with leading v.'),
    dependencies: z.record(z.string(), z.string()).describe('Installed packages: name to version.'),
    stage: z
      .enum(['ALPHA', 'BETA', 'CURRENT', 'DEPRECATED', 'REMOVED', 'STABLE'])
      .exactOptional()
      .describe('Lifecycle stage.'),
    runtimeEndOfLife: z.string().exactOptional().describe('Date of removal, as MM/DD/YYYY.'),
    description: z.string().exactOptional().describe('Main changes in this runtime, in one sentence.'),
  })
  .meta({
    id: 'Runtime',
    description: 'An environment for the scripts of checks.',
    examples: [
      {
        name: '2026.04',
        stage: 'CURRENT',
        multiStepSupport: true,
        nodeJsVersion: 'v24.13.1',
        dependencies: { axios: '1.13.4' },
      },
    ],
  });
export type RuntimeBody = z.output<typeof runtime>;

export const runtimeOperations = tagged('Runtimes', {
  listRuntimes: {
    method: 'GET',
    path: '/v1/runtimes',
    summary: 'List all runtimes',
    description: 'All runtimes installed on this server, newest first. The list is not paged.',
    permission: 'read',
    response: z.array(runtime),
  },
  getRuntime: {
    method: 'GET',
    path: '/v1/runtimes/{name}',
    summary: 'Get a runtime',
    permission: 'read',
    params: z.object({ name: z.string().max(100).describe('Name of the runtime, such as 2026.04.') }),
    response: runtime,
    alsoAnswers: { 404: 'No runtime with this name is installed.' },
  },
} as const satisfies Untagged);
