// Deliveries that are held after a restore, or for a copy started elsewhere.
import { z } from 'zod';
import { instant } from './fields.ts';
import type { Operations } from './operation.ts';

export const heldDeliveries = z
  .strictObject({
    isHeld: z.boolean(),
    since: instant.nullable(),
    reason: z.enum(['restore', 'setting']).nullable().describe('`setting` = TOCSIN_DELIVERIES=held.'),
    backupAt: instant.nullable().describe('Of which moment the restored data is.'),
    waiting: z.int().describe('Deliveries that wait, of all accounts.'),
  })
  .meta({ id: 'HeldDeliveries', description: 'Whether deliveries are held.' });
export type HeldDeliveriesBody = z.output<typeof heldDeliveries>;

const common = { tag: 'Deliveries', permission: 'operate', status: 200, response: heldDeliveries } as const;

export const heldDeliveryOperations = {
  getHeldDeliveries: {
    ...common,
    method: 'GET',
    path: '/v1/held-deliveries',
    summary: 'Tell whether deliveries are held',
    description:
      'After `restore`, and with TOCSIN_DELIVERIES=held, deliveries of all accounts wait until they are released or discarded.',
  },
  releaseHeldDeliveries: {
    ...common,
    method: 'POST',
    path: '/v1/held-deliveries/release',
    summary: 'Send the deliveries that are held',
  },
  discardHeldDeliveries: {
    ...common,
    method: 'POST',
    path: '/v1/held-deliveries/discard',
    summary: 'Cancel the deliveries that are held, and send later ones',
  },
} as const satisfies Operations;
