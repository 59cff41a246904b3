// All operations of the API and the types derived from them.
import type { z } from 'zod';
import { accountOperations } from './accounts/account.ts';
import { alertChannelOperations } from './alerts/alert-channel-operations.ts';
import { alertNotificationOperations } from './alerts/alert-notification.ts';
import { deliveryOperations } from './alerts/delivery.ts';
import { checkAlertingOperations } from './alerts/check-alerting.ts';
import { incidentOperations } from './alerts/incident.ts';
import { checkChangeOperations } from './checks/check-change.ts';
import { accountReportOperations } from './results/account-report.ts';
import { badgeOperations } from './badges/badge.ts';
import { certificateOperations } from './results/certificate.ts';
import { analyticsOperations } from './results/analytics.ts';
import { auditLogOperations } from './accounts/audit-log.ts';
import { apiKeyOperations } from './accounts/api-key.ts';
import { checkGroupOperations } from './checks/check-group-operations.ts';
import { checkOperations } from './checks/check-operations.ts';
import { checkResultOperations } from './results/check-result.ts';
import { backtestOperations } from './results/backtest.ts';
import { checkImportOperations } from './checks/check-import.ts';
import { checkTrialOperations } from './checks/check-trial.ts';
import { scriptFileOperations } from './checks/script-file.ts';
import { checkStatusOperations } from './checks/check-status.ts';
import { personOperations } from './accounts/person.ts';
import { secondFactorOperations, sessionOperations } from './accounts/session.ts';
import { identityOperations } from './accounts/identity.ts';
import { privateLocationOperations } from './locations/private-location.ts';
import { staticAddressOperations, locationOperations } from './locations/location.ts';
import { snippetOperations } from './scripts/snippet.ts';
import { statusIncidentOperations } from './status-pages/status-incident.ts';
import { statusPageOperations } from './status-pages/status-page.ts';
import { statusSubscriptionOperations } from './status-pages/status-subscription.ts';
import { statusServiceOperations } from './status-pages/status-service.ts';
import { clientCertificateOperations } from './accounts/client-certificate.ts';
import { healthOperations } from './operating/health.ts';
import { heartbeatOperations } from './checks/heartbeat.ts';
import { mcpOperations } from './operating/mcp.ts';
import { noticeOperations } from './operating/notice.ts';
import type { Operation } from './operation.ts';
import { liveEventOperations } from './results/live-events.ts';
import { overviewOperations } from './results/overview.ts';
import { usageOperations } from './operating/usage.ts';
import { ledgerOperations } from './operating/ledger.ts';
import { projectOperations } from './projects/project.ts';
import { processOperations } from './operating/process.ts';
import { runtimeOperations } from './checks/runtime.ts';
import { checkSessionOperations } from './sessions/check-session.ts';
import { testSessionOperations } from './sessions/test-session.ts';
import { triggerOperations } from './checks/trigger.ts';
import { maintenanceWindowOperations } from './checks/maintenance-window.ts';
import { variableOperations } from './accounts/variable.ts';
import { cliAccountOperations, cliVariableOperations, cliMemberOperations } from './vendor/cli-account.ts';
import { cliProjectOperations } from './vendor/cli-project.ts';
import { cliResultOperations } from './vendor/cli-result.ts';
import { cliTestSessionOperations, cliStorageOperations } from './vendor/cli-test-session.ts';

export const operations = {
  ...runtimeOperations,
  ...accountOperations,
  ...apiKeyOperations,
  ...auditLogOperations,
  ...personOperations,
  ...sessionOperations,
  ...identityOperations,
  ...secondFactorOperations,
  ...checkOperations,
  ...checkImportOperations,
  ...checkChangeOperations,
  ...checkAlertingOperations,
  ...backtestOperations,
  ...checkTrialOperations,
  ...scriptFileOperations,
  ...heartbeatOperations,
  ...checkGroupOperations,
  ...checkResultOperations,
  ...overviewOperations,
  ...liveEventOperations,
  ...checkStatusOperations,
  ...badgeOperations,
  ...incidentOperations,
  ...analyticsOperations,
  ...accountReportOperations,
  ...certificateOperations,
  ...triggerOperations,
  ...checkSessionOperations,
  ...testSessionOperations,
  ...alertChannelOperations,
  ...deliveryOperations,
  ...alertNotificationOperations,
  ...variableOperations,
  ...projectOperations,
  ...clientCertificateOperations,
  ...maintenanceWindowOperations,
  ...locationOperations,
  ...staticAddressOperations,
  ...privateLocationOperations,
  ...snippetOperations,
  ...statusSubscriptionOperations,
  ...statusPageOperations,
  ...statusServiceOperations,
  ...statusIncidentOperations,
  ...noticeOperations,
  ...processOperations,
  ...ledgerOperations,
  ...usageOperations,
  ...mcpOperations,
  ...healthOperations,
  ...cliAccountOperations,
  ...cliMemberOperations,
  ...cliProjectOperations,
  ...cliResultOperations,
  ...cliTestSessionOperations,
  ...cliStorageOperations,
  ...cliVariableOperations,
} as const;

export type OperationId = keyof typeof operations;

type Of<Id extends OperationId> = (typeof operations)[Id];
type Parsed<Op, Part extends string> =
  Op extends Readonly<Record<Part, infer Schema extends z.ZodType>> ? z.output<Schema> : undefined;
type Written<Op, Part extends string> =
  Op extends Readonly<Record<Part, infer Schema extends z.ZodType>> ? z.input<Schema> : undefined;

/** Path parameters, query and body of an operation after parsing by the server. */
export interface InputOf<Id extends OperationId> {
  readonly params: Parsed<Of<Id>, 'params'>;
  readonly query: Parsed<Of<Id>, 'query'>;
  readonly body: Parsed<Of<Id>, 'body'>;
}

/** The body of an operation as the client sends it. */
export type BodyOf<Id extends OperationId> = Written<Of<Id>, 'body'>;

/** The response of an operation: JSON, the bytes of a file or a stream of events; undefined if there is none. */
export type AnswerOf<Id extends OperationId> =
  Of<Id> extends { readonly media: 'application/octet-stream' }
    ? Uint8Array
    : Of<Id> extends { readonly media: 'text/event-stream' }
      ? ReadableStream<Uint8Array>
      : Of<Id> extends { readonly media: 'text/csv' | 'text/plain' | 'image/svg+xml' }
        ? string
        : Written<Of<Id>, 'response'>;

/** IDs of paged lists. */
export type PagedId = { [Id in OperationId]: Of<Id> extends { readonly isPaged: true } ? Id : never }[OperationId];

/** An operation by ID, in its general form. */
export function operationOf(id: OperationId): Operation {
  return operations[id];
}

/** All operations with their IDs, in documentation order. */
export function everyOperation(): (Operation & { readonly id: OperationId })[] {
  return (Object.keys(operations) as OperationId[]).map((id) => ({ id, ...operationOf(id) }));
}

/** All operations except the private ones. */
export function publicOperations(): (Operation & { readonly id: OperationId })[] {
  return everyOperation().filter(({ isPrivate }) => isPrivate !== true);
}
