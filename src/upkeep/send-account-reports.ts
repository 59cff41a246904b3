// Adds deliveries of weekly and monthly reports when they are due (docs/decisions/0130).
import type { AccountReport, ReportSchedule } from '#domain/results/account-report.ts';
import { nextReportAt } from '#domain/results/account-report.ts';
import type { Clock } from '#lib/clock.ts';

interface DueReport {
  readonly accountId: string;
  readonly alertChannelId: number;
  readonly schedule: ReportSchedule;
  readonly dueAt: number;
}

/** Dependencies of sending. */
export interface SendAccountReportsOptions {
  readonly store: {
    due(now: number, max: number): Promise<readonly DueReport[]>;
    send(due: DueReport, report: AccountReport, nextAt: number, now: number): Promise<boolean>;
  };
  readonly build: (accountId: string, schedule: ReportSchedule) => Promise<AccountReport>;
  readonly clock: Clock;
  readonly onSent: (due: DueReport) => void;
  readonly onError: (due: DueReport, error: unknown) => void;
}

/** Reports per tick. */
const atOnce = 100;
const restMs = 15_000;

/** One tick. Returns the delay until the next one, ms. */
export function createSendAccountReports(options: SendAccountReportsOptions): () => Promise<number> {
  const { store, build, clock, onSent, onError } = options;
  return async () => {
    const due = await store.due(clock.now(), atOnce);
    let sent = 0;
    // One after the other, so that reports of large accounts load a process only so much.
    for (const same of Map.groupBy(due, keyOf).values()) {
      const [first] = same;
      if (first === undefined) continue;
      try {
        const report = await build(first.accountId, first.schedule);
        for (const each of same) {
          const now = clock.now();
          if (!(await store.send(each, report, nextReportAt(each.schedule, now), now))) continue;
          sent++;
          onSent(each);
        }
      } catch (error) {
        onError(first, error);
      }
    }
    return sent === atOnce ? 0 : restMs;
  };
}

function keyOf({ accountId, schedule: { every, timeZone } }: DueReport): string {
  return `${accountId} ${every} ${timeZone}`;
}
