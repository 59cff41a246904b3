// Processes of this installation on the wire (decisions: Resources of our own).
import { z } from 'zod';
import { instant } from '#lib/schema/fields.ts';
import type { Operations } from '../operation.ts';

export const process = z
  .strictObject({
    id: z.uuid().describe('Made at its start.'),
    roles: z.array(z.string()).describe('Its roles: api, scheduler, runner, deliverer, upkeep.'),
    version: z.string().describe('The version of Tocsin that it runs.'),
    location: z.string().describe('Code of its run location.'),
    host: z.string().describe('Name of its machine.'),
    pid: z.int().describe('Its number there.'),
    startedAt: instant,
    lastSeenAt: instant.describe('Its last sign of life; one is due every 5 seconds.'),
    status: z
      .enum(['alive', 'silent'])
      .describe('`silent`: no sign of life for 15 seconds; what it held is taken over by the others.'),
    holds: z
      .strictObject({ runs: z.int(), deliveries: z.int() })
      .describe('Runs and deliveries it held a lease on at its last sign of life.'),
  })
  .meta({ id: 'Process', description: 'A process that works on this installation.' });

export const processOperations = {
  listProcesses: {
    method: 'GET',
    path: '/v1/processes',
    summary: 'List the processes of this installation',
    description:
      'Every process that gave a sign of life in the last 10 minutes and did not stop in good order, in the order of their start. The list is not paged.',
    tag: 'Processes',
    permission: 'operate',
    status: 200,
    response: z.array(process),
  },
} as const satisfies Operations;
