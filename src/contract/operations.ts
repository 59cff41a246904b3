// All operations there are, joined from the nouns, and the types that follow from them.
import type { z } from 'zod';
import { accountOperations } from './accounts/account.ts';
import { alertChannelOperations } from './alerts/alert-channel-operations.ts';
import { alertNotificationOperations } from './alerts/alert-notification.ts';
import { analyticsOperations } from './results/analytics.ts';
import { apiKeyOperations } from './accounts/api-key.ts';
import { checkGroupOperations } from './checks/check-group-operations.ts';
import { checkOperations } from './checks/check-operations.ts';
import { checkResultOperations } from './results/check-result.ts';
import { checkStatusOperations } from './checks/check-status.ts';
import { clientCertificateOperations } from './accounts/client-certificate.ts';
import { deliveryOperations } from './alerts/delivery.ts';
import { heldDeliveryOperations } from './alerts/held-delivery.ts';
import { healthOperations } from './operating/health.ts';
import { heartbeatOperations } from './checks/heartbeat-operations.ts';
import { locationOperations } from './checks/location.ts';
import { noticeOperations } from './operating/notice.ts';
import type { Operation } from './operation.ts';
import { processOperations } from './operating/process.ts';
import { runtimeOperations } from './checks/runtime.ts';
import { triggerOperations } from './checks/trigger.ts';
import { maintenanceWindowOperations } from './checks/maintenance-window.ts';
import { variableOperations } from './accounts/variable.ts';

export const operations = {
  ...runtimeOperations,
  ...accountOperations,
  ...apiKeyOperations,
  ...checkOperations,
  ...heartbeatOperations,
  ...checkGroupOperations,
  ...checkResultOperations,
  ...checkStatusOperations,
  ...analyticsOperations,
  ...triggerOperations,
  ...alertChannelOperations,
  ...deliveryOperations,
  ...heldDeliveryOperations,
  ...alertNotificationOperations,
  ...variableOperations,
  ...clientCertificateOperations,
  ...maintenanceWindowOperations,
  ...locationOperations,
  ...noticeOperations,
  ...processOperations,
  ...healthOperations,
} as const;

export type OperationId = keyof typeof operations;

type Of<Id extends OperationId> = (typeof operations)[Id];
type Parsed<Op, Part extends string> =
  Op extends Readonly<Record<Part, infer Schema extends z.ZodType>> ? z.output<Schema> : undefined;
type Written<Op, Part extends string> =
  Op extends Readonly<Record<Part, infer Schema extends z.ZodType>> ? z.input<Schema> : undefined;

/** Path parameters, query and body of an operation, as the server sees them once they are parsed. */
export interface InputOf<Id extends OperationId> {
  readonly params: Parsed<Of<Id>, 'params'>;
  readonly query: Parsed<Of<Id>, 'query'>;
  readonly body: Parsed<Of<Id>, 'body'>;
}

/** The body of an operation as a client writes it. */
export type BodyOf<Id extends OperationId> = Written<Of<Id>, 'body'>;

/** What an operation answers with: JSON, or the bytes of a file; undefined for those without. */
export type AnswerOf<Id extends OperationId> =
  Of<Id> extends { readonly media: 'application/octet-stream' } ? Uint8Array : Written<Of<Id>, 'response'>;

/** Ids of the lists that are read page by page. */
export type PagedId = { [Id in OperationId]: Of<Id> extends { readonly isPaged: true } ? Id : never }[OperationId];

/** The operation of an id, in its general form. */
export function operationOf(id: OperationId): Operation {
  return operations[id];
}

/** Every operation with its id, in the order in which they are documented. */
export function everyOperation(): (Operation & { readonly id: OperationId })[] {
  return (Object.keys(operations) as OperationId[]).map((id) => ({ id, ...operationOf(id) }));
}
