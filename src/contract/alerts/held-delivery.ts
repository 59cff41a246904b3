// Deliveries that are held after a restore, or for a copy started elsewhere.
import { z } from 'zod';
import { instant } from '#lib/schema/fields.ts';
import type { Operations } from '../operation.ts';

export const heldDeliveries = z
  .strictObject({
    isHeld: z.boolean(),
    since: instant.nullable(),
    reason: z.enum(['restore', 'setting']).nullable().describe('`setting` = TOCSIN_DELIVERIES=held.'),
    backupAt: instant.nullable().describe('Time up to which the restored data reaches.'),
    waiting: z.int().describe('Waiting deliveries of all accounts.'),
    released: z.int().exactOptional().describe('Number of deliveries that this call released.'),
    discarded: z.int().exactOptional().describe('Number of deliveries that this call cancelled.'),
  })
  .meta({ id: 'HeldDeliveries', description: 'Whether deliveries are held.' });
export type HeldDeliveriesBody = z.output<typeof heldDeliveries>;

const common = { tag: 'Deliveries', permission: 'operate', status: 200, response: heldDeliveries } as const;

export const heldDeliveryOperations = {
  getHeldDeliveries: {
    ...common,
    method: 'GET',
    path: '/v1/held-deliveries',
    summary: 'Show whether deliveries are held',
    description:
      'After `restore`, or with TOCSIN_DELIVERIES=held, the deliveries of all accounts wait until they are released or discarded.',
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
} as const satisfies Operations;
