// The operations without entries in the audit log, each with the reason. All others add one when they change something.
import { type OperationId, operations } from './operations.ts';

const reads = 'changes nothing';
const starts = 'starts runs, which show who started them';

export const unauditedOperations: Readonly<Partial<Record<OperationId, string>>> = {
  readInvite: reads,
  getAnalyticsOfChecks: reads,
  createCheckBacktest: reads,
  createProviderSignIn: 'sends the browser to the identity provider',
  createIdentityConnection: 'sends the browser to the identity provider',
  createPasswordReset: 'sends a link, whose use adds an entry',
  createCheckTrial: 'saves no check',
  uploadScriptFile: 'has no effect until a check names the file, which adds an entry',
  uploadCliSnapshot: 'has no effect until a check names the file, which adds an entry',
  downloadCliSnapshot: reads,
  deleteCheckTrial: 'saves no check',
  callMcp: 'runs other operations, which add entries',
  postPing: 'reports a run of a heartbeat, which its history shows',
  postPingSignal: 'reports a run of a heartbeat, which its history shows',
  previewAlertChannel: reads,
  previewMaintenanceWindow: reads,
  previewStatusPage: reads,
  cancelCliDeployment: 'ends a deployment that has changed nothing',
  testAlertChannel: 'sends a test message, which the log of deliveries shows',
  triggerCheckSessions: starts,
  triggerCheckSessionsV1: starts,
  cancelCheckSession: 'changes no check and no run',
  triggerTestSession: starts,
  triggerCliTestSession: starts,
  runCliTestSession: starts,
  uploadCliBundle: reads,
  cancelTestSession: 'changes no check',
  postGroupTrigger: starts,
  postCheckTrigger: starts,
};

/** Whether calls of an operation that change something add entries to the audit log. */
export function isAudited(id: OperationId): boolean {
  return operations[id].method !== 'GET' && !(id in unauditedOperations);
}
