// Reports a failing channel through other channels, and its recovery through the same ones (docs/decisions/0026).
import { setImmediate as nextTick } from 'node:timers/promises';
import type { AlertChannel } from '#domain/alerts/alert-channel.ts';
import { type Delivery, newDelivery } from '#domain/deliveries/delivery.ts';
import type { ChannelReport } from '#domain/deliveries/failing-channel.ts';
import type { Rendered } from '#domain/results/recording.ts';
import type { Clock } from '#lib/clock.ts';
import { newId } from '#lib/id.ts';

export interface ReportFailingChannelsOptions {
  readonly store: {
    /** Due reports, at most `most` per account; other channels of the account appear only in the notices. */
    unreported(max: number): Promise<readonly ChannelReport[]>;
    /** Adds the deliveries and closes the report; false = another process was first. */
    report(report: ChannelReport, deliveries: readonly Delivery[]): Promise<boolean>;
  };
  readonly clock: Clock;
  readonly render: (
    report: ChannelReport,
    through: AlertChannel,
    deliveryId: string,
    createdAt: number,
  ) => Promise<Rendered> | Rendered;
  readonly onReported: (report: ChannelReport, deliveries: number) => Promise<void> | void;
}

const pauseMs = 1000;
/** Reports per account and tick. */
const maxReports = 10;

/** One tick. Returns the delay until the next one, ms. */
export function createReportFailingChannels(options: ReportFailingChannelsOptions): () => Promise<number> {
  const { store, clock, render, onReported } = options;
  return async () => {
    for (const report of await store.unreported(maxReports)) {
      const deliveries: Delivery[] = [];
      for (const choice of report.through) {
        for (const through of deliveries.length === 0 ? choice : []) {
          const delivery = await deliveryOf(report, through, newId(), clock.now(), render);
          if (delivery !== null) deliveries.push(delivery);
          // Yields, so that templates of one account do not delay the others.
          await nextTick();
        }
      }
      if (await store.report(report, deliveries)) await onReported(report, deliveries.length);
    }
    return pauseMs;
  };
}

/** null = the channel's templates cannot be rendered, which has its own notice. */
async function deliveryOf(
  report: ChannelReport,
  through: AlertChannel,
  id: string,
  now: number,
  render: ReportFailingChannelsOptions['render'],
): Promise<Delivery | null> {
  const rendered = await render(report, through, id, now);
  if (!('request' in rendered)) return null;
  const alertType = report.kind === 'failing' ? 'ALERT_FAILURE' : 'ALERT_RECOVERY';
  const own = { accountId: report.accountId, id, alertChannelId: through.id, alertType } as const;
  return { ...newDelivery(own, now), request: rendered.request };
}
