// What should have been alerted, worked out again from the recorded results: on purpose not by the code under test.
import type { RecordedResult } from './recorded.ts';

/** A channel and what it asks for. */
export interface Channel {
  readonly id: number;
  readonly secret: string;
  readonly sendDegraded: boolean;
}

/** One alert to one channel, as one line: what is expected and what came are compared by it. */
export function alertLine(channel: number, alertType: string, checkId: string, resultId: string): string {
  return `channel ${channel}: ${alertType} of check ${checkId} by result ${resultId}`;
}

/**
 * The alerts of one check to one channel (decisions: Check state and alert types): whoever was told of the worst is not
 * told again, whoever was told is told of the end.
 *
 * @param results final results of the check by slot, the oldest first
 * @returns each alert with the end of the result that raised it, epoch ms
 */
export function expectedAlerts(
  checkId: string,
  channel: Channel,
  results: readonly RecordedResult[],
): { readonly line: string; readonly at: number }[] {
  const alerts: { line: string; at: number }[] = [];
  let notified: 'nothing' | 'degraded' | 'failure' = 'nothing';
  let raised: 'nothing' | 'degraded' | 'failure' = 'nothing';
  const notify = (alertType: string, { id, stoppedAt }: RecordedResult): void => {
    alerts.push({ line: alertLine(channel.id, alertType, checkId, id), at: stoppedAt });
  };
  for (const result of inOrder(results)) {
    if (result.outcome === 'passed') {
      if (notified === 'failure') notify('ALERT_RECOVERY', result);
      if (notified === 'degraded') notify('ALERT_DEGRADED_RECOVERY', result);
      notified = raised = 'nothing';
    } else if (result.outcome === 'failed' && raised !== 'failure') {
      raised = 'failure';
      if (notified !== 'failure') notify('ALERT_FAILURE', result);
      notified = 'failure';
    } else if (result.outcome === 'degraded' && raised !== 'degraded') {
      raised = 'degraded';
      if (channel.sendDegraded && notified !== 'degraded') {
        notify('ALERT_DEGRADED', result);
        notified = 'degraded';
      }
    }
  }
  return alerts;
}

/**
 * Results that moved the state: two runs of a check may be under way together, and one that is recorded after that of a
 * newer slot comes too late to say how the check is now (decisions: Check state and alert types). A slot without a verdict
 * says nothing, and nothing comes too late after it.
 */
function inOrder(results: readonly RecordedResult[]): RecordedResult[] {
  let newerOrder = Number.POSITIVE_INFINITY;
  const verdicts = results.filter(({ outcome }) => outcome !== 'missed' && outcome !== 'unknown');
  const moving = verdicts.toReversed().filter(({ order }) => {
    const isInTime = order <= newerOrder;
    newerOrder = Math.min(newerOrder, order);
    return isInTime;
  });
  return moving.toReversed();
}
