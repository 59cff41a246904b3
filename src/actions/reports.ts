// Reports on the checks of an account, with a figure for each and for each of their periods (reference §4.7).
import type { Caller } from '#domain/api-key.ts';
import { type Granularity, periodsOf, type QuickRange, type TimeSpan } from '#domain/calendar.ts';
import { isZone } from '#domain/wall-time.ts';
import type { CheckType } from '#domain/check.ts';
import { emptyRollUp, mergeRollUp, type RollUp } from '#domain/roll-up.ts';
import type { Clock } from '#lib/clock.ts';
import { askedSpan, type HistoryReader, sumByCheck, wholeHours } from './analytics.ts';
import { requirePermission } from './permission.ts';
import { invalidField } from './refusal.ts';

/** What is asked. Instants are epoch ms. */
export interface ReportQuestion {
  readonly quickRange: QuickRange;
  readonly from?: number;
  readonly to?: number;
  /** All of them. */
  readonly filterByTags?: readonly string[];
  /** The deactivated checks in the place of the others. */
  readonly deactivated: boolean;
  readonly granularity?: Granularity;
  /** IANA name. */
  readonly timezone: string;
}

/** A check in a report. */
export interface ReportedCheck {
  readonly checkId: string;
  readonly name: string;
  readonly checkType: CheckType;
  readonly activated: boolean;
  readonly tags: readonly string[];
  readonly total: RollUp;
  readonly periods: readonly { readonly span: TimeSpan; readonly rollUp: RollUp }[];
}

type Subject = Omit<ReportedCheck, 'total' | 'periods'>;

/** What this action needs. */
export interface ReportMeans {
  readonly checkSubjects: {
    after(
      accountId: string,
      filter: { readonly tags: readonly string[]; readonly activated: boolean },
      after: string | null,
      most: number,
    ): Promise<readonly Subject[]>;
  };
  readonly checkHistory: HistoryReader;
  readonly clock: Clock;
}

export interface ReportActions {
  /** The checks of the account, oldest first. */
  report(caller: Caller, question: ReportQuestion): Promise<ReportedCheck[]>;
}

export function createReportActions({ checkSubjects, checkHistory, clock }: ReportMeans): ReportActions {
  return {
    async report(caller, question) {
      requirePermission(caller, 'read');
      const { filterByTags = [], deactivated, granularity, timezone } = question;
      if (!isZone(timezone)) throw invalidField('timezone', 'must be the IANA name of a time zone, like Europe/Berlin');
      const now = clock.now();
      const span = wholeHours(askedSpan(question, now, timezone), now);
      const spans = granularity === undefined ? [span] : periodsOf(span, granularity, timezone);
      const filter = { tags: filterByTags, activated: !deactivated };
      const reported: ReportedCheck[] = [];
      // Between them others have their turn.
      const { checksAtOnce } = checkHistory;
      let after: string | null = null;
      do {
        const some: readonly Subject[] = await checkSubjects.after(caller.accountId, filter, after, checksAtOnce);
        if (some.length > 0) {
          const sums = await sumByCheck(checkHistory, caller.accountId, some, spans);
          for (const subject of some) {
            reported.push(reportedOf(subject, sums(subject.checkId), granularity === undefined ? [] : spans));
          }
        }
        after = some.length === checksAtOnce ? (some.at(-1)?.checkId ?? null) : null;
        await new Promise<void>((resolve) => void setImmediate(resolve));
      } while (after !== null);
      return reported;
    },
  };
}

function reportedOf(subject: Subject, sums: readonly RollUp[], spans: readonly TimeSpan[]): ReportedCheck {
  const total = emptyRollUp();
  for (const sum of sums) mergeRollUp(total, sum);
  const periods = spans.map((span, index) => ({ span, rollUp: sums[index] ?? emptyRollUp() }));
  return { ...subject, total, periods };
}
