// Computes the expected alerts from the recorded results, deliberately without the code under test.
import type { RecordedResult } from './recorded.ts';

/** A channel and its switches. */
export interface Channel {
  readonly id: number;
  readonly secret: string;
  readonly sendDegraded: boolean;
}

/** An alert to a channel as one line, for comparisons. */
export function alertLine(channel: number, alertType: string, checkId: string, resultId: string): string {
  return `channel ${channel}: ${alertType} of check ${checkId} by result ${resultId}`;
}

/**
 * The alerts of one check to one channel (decisions: Check state and alert types): the worst state is not reported
 * twice, and every reported state is followed by its recovery.
 *
 * @param results final results of the check by slot, oldest first
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
 * Results that changed the state. Two runs of a check may be concurrent, and a result recorded after that of a newer
 * slot no longer counts (decisions: Check state and alert types). A slot without a verdict does not count, nor does it
 * affect others.
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
