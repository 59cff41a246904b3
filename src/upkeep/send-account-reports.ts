// Adds deliveries of weekly and monthly reports when they are due (docs/decisions/0130).
import { type AccountReport, lastPeriod, nextReportAt, type ReportSchedule } from '#domain/results/account-report.ts';
import type { Clock } from '#lib/clock.ts';

interface DueReport {
  readonly accountId: string;
  readonly alertChannelId: number;
  readonly schedule: ReportSchedule;
  readonly dueAt: number;
}

export interface SendAccountReportsOptions {
  readonly store: {
    due(now: number, max: number): Promise<readonly DueReport[]>;
    send(due: DueReport, report: AccountReport, nextAt: number, now: number): Promise<boolean>;
    postpone(due: DueReport, until: number): Promise<void>;
  };
  /** Whether every slot before a time (epoch ms) has an outcome. */
  readonly isSettled: (before: number) => Promise<boolean>;
  /** Start of this process, epoch ms. */
  readonly startedAt: number;
  readonly build: (accountId: string, schedule: ReportSchedule) => Promise<AccountReport>;
  readonly clock: Clock;
  readonly onSent: (due: DueReport) => void;
  readonly onError: (due: DueReport, error: unknown) => void;
}

/** Reports per tick. */
const atOnce = 100;
const [restMs, waitMs] = [15_000, 1000];
/** When a report that could not be made is tried again: until then it leaves its place in a tick to others. */
const retryMs = 600_000;
/** Longest wait until a gap is recorded, from the due time or the start of this process, ms: nothing else is known then. */
export const maxGapWaitMs = 86_400_000;

/** One tick. Returns the delay until the next one, ms. */
export function createSendAccountReports(options: SendAccountReportsOptions): () => Promise<number> {
  const { store, clock, onError } = options;
  return async () => {
    const due = await store.due(clock.now(), atOnce);
    let isWaiting = false;
    // One after the other, so that reports of large accounts load a process only so much.
    for (const same of Map.groupBy(due, keyOf).values()) {
      try {
        if (await isTooEarly(options, same)) {
          isWaiting = true;
          continue;
        }
        await sendSame(options, same);
      } catch (error) {
        if (same[0] !== undefined) onError(same[0], error);
        for (const each of same) await store.postpone(each, clock.now() + retryMs);
      }
    }
    if (isWaiting) return waitMs;
    return due.length === atOnce ? 0 : restMs;
  };
}

/** After downtime, the period has a gap that is recorded within moments. */
async function isTooEarly(
  { isSettled, startedAt, clock }: SendAccountReportsOptions,
  [first]: readonly DueReport[],
): Promise<boolean> {
  const now = clock.now();
  if (first === undefined || first.dueAt > now || now - Math.max(startedAt, first.dueAt) > maxGapWaitMs) return false;
  return !(await isSettled(lastPeriod(first.schedule, now).to));
}

/** Builds a report and sends it through all channels of its account with the same schedule. */
async function sendSame(
  { store, build, clock, onSent }: SendAccountReportsOptions,
  same: readonly DueReport[],
): Promise<void> {
  let report: AccountReport | undefined;
  for (const each of same) {
    const now = clock.now();
    const nextAt = nextReportAt(each.schedule, now);
    if (each.dueAt > now) {
      await store.postpone(each, nextAt);
      continue;
    }
    report ??= await build(each.accountId, each.schedule);
    if (await store.send(each, report, nextAt, now)) onSent(each);
  }
}

function keyOf({ accountId, schedule: { every, timeZone } }: DueReport): string {
  return `${accountId} ${every} ${timeZone}`;
}
