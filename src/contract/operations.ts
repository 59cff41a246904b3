// All operations there are, joined from the nouns, and the types that follow from them.
import type { z } from 'zod';
import { accountOperations } from './account.ts';
import { alertChannelOperations } from './alert-channel-operations.ts';
import { alertNotificationOperations } from './alert-notification.ts';
import { analyticsOperations } from './analytics.ts';
import { apiKeyOperations } from './api-key.ts';
import { checkGroupOperations } from './check-group-operations.ts';
import { checkOperations } from './check-operations.ts';
import { checkResultOperations } from './check-result.ts';
import { checkStatusOperations } from './check-status.ts';
import { clientCertificateOperations } from './client-certificate.ts';
import { deliveryOperations } from './delivery.ts';
import { heldDeliveryOperations } from './held-delivery.ts';
import { healthOperations } from './health.ts';
import { heartbeatOperations } from './heartbeat-operations.ts';
import { locationOperations } from './location.ts';
import { noticeOperations } from './notice.ts';
import type { Operation } from './operation.ts';
import { processOperations } from './process.ts';
import { runtimeOperations } from './runtime.ts';
import { triggerOperations } from './trigger.ts';
import { maintenanceWindowOperations } from './maintenance-window.ts';
import { variableOperations } from './variable.ts';

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
