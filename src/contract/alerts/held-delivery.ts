// Deliveries held after a restore or by configuration.
import { z } from 'zod';
import { instant } from '#lib/schema/fields.ts';
import { tagged, type Untagged } from '../operation.ts';

export const heldDeliveries = z
  .strictObject({
    isHeld: z.boolean(),
    since: instant.nullable(),
    reason: z.enum(['restore', 'setting']).nullable().describe('`setting`: TOCSIN_DELIVERIES=held.'),
    backupAt: instant.nullable().describe('Time of the newest data in the restored backup.'),
    waiting: z.int().describe('Waiting deliveries of all accounts.'),
    released: z.int().exactOptional().describe('Number of deliveries released by this call.'),
    discarded: z.int().exactOptional().describe('Number of deliveries cancelled by this call.'),
  })
  .meta({ id: 'HeldDeliveries', description: 'Whether deliveries are held.' });
export type HeldDeliveriesBody = z.output<typeof heldDeliveries>;

const common = { permission: 'operate', response: heldDeliveries } as const;

export const heldDeliveryOperations = tagged('Deliveries', {
  getHeldDeliveries: {
    ...common,
    method: 'GET',
    path: '/v1/held-deliveries',
    summary: 'Get whether deliveries are held',
    description:
      'After `restore`, or with TOCSIN_DELIVERIES=held, deliveries of all accounts wait until they are released or discarded.',
  },
  releaseHeldDeliveries: {
    ...common,
    method: 'POST',
    path: '/v1/held-deliveries/release',
    summary: 'Release held deliveries',
  },
  discardHeldDeliveries: {
    ...common,
    method: 'POST',
    path: '/v1/held-deliveries/discard',
    summary: 'Cancel held deliveries and resume sending',
  },
} as const satisfies Untagged);
