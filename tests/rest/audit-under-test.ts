// The audit log of servers under test: a successful call that adds no entry fails, unless it may have nothing to change.
import type { OperationId } from '#contract/operations.ts';
import { isAudited } from '#contract/unaudited.ts';
import type { AuditOption } from '#rest/audited-calls.ts';
import { runAs } from '#store/base/audit/acting.ts';

/** Operations that succeed if what they ask for is so already. */
const idempotent: ReadonlySet<OperationId> = new Set<OperationId>([
  'acknowledgeAlert',
  'acknowledgeLinkedIncident',
  'unacknowledgeAlert',
  'retryDelivery',
  'cancelDelivery',
  'replayAlertChannel',
  'createGroupTrigger',
  'createCheckTrigger',
  'releaseHeldDeliveries',
  'discardHeldDeliveries',
  'deleteSessions',
  'importChecks',
  'createStatusSubscriptions',
  'skipMaintenanceOccurrence',
  // What they change adds entries in the background.
  'createCheckChange',
  'undoCheckChange',
  'createDeployment',
  'deleteProject',
]);

export const auditUnderTest: AuditOption = { isAudited, runAs, mustChange: (id) => !idempotent.has(id) };
