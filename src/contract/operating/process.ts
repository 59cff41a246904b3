// Processes of this installation in the API (decisions: Resources of our own).
import { z } from 'zod';
import { instant } from '#lib/schema/fields.ts';
import { tagged, type Untagged } from '../operation.ts';

export const process = z
  .strictObject({
    id: z.uuid().describe('Created when the process starts.'),
    roles: z.array(z.string()).describe('Roles of the process: api, scheduler, runner, deliverer, upkeep.'),
    version: z.string().describe('Version of Tocsin.'),
    location: z.string().describe('Code of the run location.'),
    host: z.string().describe('Host name.'),
    pid: z.int().describe('Process ID on the host.'),
    startedAt: instant,
    lastSeenAt: instant.describe('Last heartbeat. Processes send one every 5 seconds.'),
    status: z
      .enum(['alive', 'silent'])
      .describe('`silent`: no heartbeat for 15 seconds. Other processes take over its work.'),
    holds: z
      .strictObject({ runs: z.int(), deliveries: z.int() })
      .describe('Runs and deliveries that the process had leased at its last heartbeat.'),
  })
  .meta({ id: 'Process', description: 'A process of this installation.' });

export const processOperations = tagged('Processes', {
  listProcesses: {
    method: 'GET',
    path: '/v1/processes',
    summary: 'List the processes of this installation',
    description:
      'Processes that sent a heartbeat in the last 10 minutes and did not shut down cleanly, ordered by start time. The list is not paged.',
    permission: 'operate',
    response: z.array(process),
  },
} as const satisfies Untagged);
