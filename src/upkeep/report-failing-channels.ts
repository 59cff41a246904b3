// Beside the path: a channel that does not receive alerts is reported through other channels, and its recovery to the same ones
// (docs/decisions/0026).
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AlertChannel } from '#domain/alerts/alert-channel.ts';
import type { Delivery } from '#domain/alerts/delivery.ts';
import type { ChannelReport } from '#domain/alerts/failing-channel.ts';
import type { Rendered } from '#domain/results/recording.ts';
import type { Clock } from '#lib/clock.ts';
import { newId } from '#lib/id.ts';

/** What reporting is joined with. */
export interface ReportFailingChannelsOptions {
  readonly store: {
    /** Reports that are due, at most `most` of an account; the rest of its channels stands in the notices alone. */
    unreported(most: number): Promise<readonly ChannelReport[]>;
    /** Adds the deliveries and closes the report; false = another process was first. */
    report(report: ChannelReport, deliveries: readonly Delivery[]): Promise<boolean>;
  };
  readonly clock: Clock;
  readonly render: (report: ChannelReport, through: AlertChannel, deliveryId: string, createdAt: number) => Rendered;
  readonly onReported: (report: ChannelReport, deliveries: number) => Promise<void> | void;
}

const pauseMs = 1000;
/** Reports of one account in a turn. */
const reportsMost = 10;

/** One turn. Answers in how many ms the next is wanted. */
export function createReportFailingChannels(options: ReportFailingChannelsOptions): () => Promise<number> {
  const { store, clock, render, onReported } = options;
  return async () => {
    for (const report of await store.unreported(reportsMost)) {
      const deliveries: Delivery[] = [];
      for (const through of report.through) {
        const delivery = deliveryOf(report, through, newId(), clock.now(), render);
        if (delivery !== null) deliveries.push(delivery);
        // Templates of one account must not hold up the others.
        await nextTurn();
      }
      if (await store.report(report, deliveries)) await onReported(report, deliveries.length);
    }
    return pauseMs;
  };
}

/** null = the channel's templates cannot be rendered, which is a notice of its own. */
function deliveryOf(
  report: ChannelReport,
  through: AlertChannel,
  id: string,
  now: number,
  render: ReportFailingChannelsOptions['render'],
): Delivery | null {
  const rendered = render(report, through, id, now);
  if (!('request' in rendered)) return null;
  return {
    accountId: report.accountId,
    id,
    alertChannelId: through.id,
    alertId: null,
    checkId: null,
    checkResultId: null,
    alertType: report.kind === 'failing' ? 'ALERT_FAILURE' : 'ALERT_RECOVERY',
    status: 'pending',
    request: rendered.request,
    attempts: 0,
    createdAt: now,
    nextAttemptAt: now,
    replayOf: null,
    isTest: false,
    error: null,
  };
}
