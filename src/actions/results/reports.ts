// Reports on the checks of an account, in total and for each period (reference §4.7).
import type { Caller } from '#domain/accounts/api-key.ts';
import { type Granularity, periodsOf, type QuickRange, type TimeSpan } from '#domain/checks/calendar.ts';
import { isZone } from '#domain/checks/wall-time.ts';
import { emptyRollUp, mergeRollUp, type RollUp } from '#domain/results/roll-up.ts';
import type { CheckSubject } from '#store/checks/check-subjects.ts';
import type { Clock } from '#lib/clock.ts';
import { createSharedLanes } from '#lib/shared-lanes.ts';
import { askedSpan, type HistoryReader, sumByCheck, wholeHours } from './analytics.ts';
import { requirePermission } from '../accounts/permission.ts';
import { invalidField } from '../refusal.ts';

/** The query. Times are epoch ms. */
export interface ReportQuestion {
  readonly quickRange: QuickRange;
  readonly from?: number;
  readonly to?: number;
  /** All of these tags. */
  readonly filterByTags?: readonly string[];
  /** Report the deactivated checks instead of the activated ones. */
  readonly deactivated: boolean;
  readonly granularity?: Granularity;
  /** IANA name. */
  readonly timezone: string;
}

/** A check in a report. */
export interface ReportedCheck extends CheckSubject {
  readonly total: RollUp;
  readonly periods: readonly { readonly span: TimeSpan; readonly rollUp: RollUp }[];
}

interface SubjectFilter {
  readonly tags: readonly string[];
  /** Absent = both. */
  readonly activated?: boolean;
  readonly groupId?: number;
}

/** Reads the next checks by ID. */
export interface SubjectReader {
  after(accountId: string, filter: SubjectFilter, after: string | null, max: number): Promise<readonly CheckSubject[]>;
}

export interface ReportDeps {
  readonly checkSubjects: SubjectReader;
  readonly checkHistory: HistoryReader;
  readonly clock: Clock;
}

export type ReportActions = ReturnType<typeof createReportActions>;

/** How long a report runs before it yields, ms; a report on some hundred checks finishes within it. */
const atOnceMs = 200;
/** Maximum pause between two batches, ms. */
const maxRest = 50;

export function createReportActions({ checkSubjects, checkHistory, clock }: ReportDeps) {
  return {
    /**
     * The checks of the account, oldest first, in batches, so that a report yields to other work and does not hold
     * thousands of checks in memory. Refuses on the first read. Ends if the signal aborts while it waits for others.
     */
    async *report(
      caller: Caller,
      question: ReportQuestion,
      signal: AbortSignal,
    ): AsyncIterable<readonly ReportedCheck[]> {
      requirePermission(caller, 'read');
      const { filterByTags = [], deactivated, granularity, timezone } = question;
      if (!isZone(timezone)) throw invalidField('timezone', 'must be an IANA time zone name, such as Europe/Berlin');
      const now = clock.now();
      const span = wholeHours(askedSpan(question, now, timezone), now);
      const spans = granularity === undefined ? [span] : periodsOf(span, granularity, timezone);
      const periods = granularity === undefined ? [] : spans;
      const filter = { tags: filterByTags, activated: !deactivated };
      const scope = { accountId: caller.accountId, filter, atOnce: checkHistory.checksAtOnce, signal };
      for await (const some of batchesOf(checkSubjects, scope)) {
        const sums = await sumByCheck(checkHistory, caller.accountId, some, spans);
        yield some.map((subject) => reportedOf(subject, sums(subject.checkId), periods));
      }
    },
  };
}

/** Reports in progress in this process; others wait, those of an account for each other first. */
const lanes = createSharedLanes(2, 1);

/** What a report reads. */
interface Scope {
  readonly accountId: string;
  readonly filter: SubjectFilter;
  /** Checks per batch. */
  readonly atOnce: number;
  /** Ends the wait for other reports; there are no batches then. */
  readonly signal: AbortSignal;
}

/** The checks of an account in batches, two reports at a time. Pauses between batches to yield to other work. */
export async function* batchesOf(checkSubjects: SubjectReader, scope: Scope): AsyncIterable<readonly CheckSubject[]> {
  const leave = await lanes.enter(scope.accountId, scope.signal);
  if (leave === null) return;
  try {
    yield* pausedBatches(checkSubjects, scope);
  } finally {
    leave();
  }
}

async function* pausedBatches(
  checkSubjects: SubjectReader,
  { accountId, filter, atOnce }: Scope,
): AsyncIterable<readonly CheckSubject[]> {
  const startedAt = performance.now();
  let after: string | null = null;
  do {
    const pieceAt = performance.now();
    const some: readonly CheckSubject[] = await checkSubjects.after(accountId, filter, after, atOnce);
    if (some.length > 0) yield some;
    after = some.length === atOnce ? (some.at(-1)?.checkId ?? null) : null;
    // Pauses as long as it worked, so that interactive requests get half of the time (docs/decisions/0040).
    const endedAt = performance.now();
    const restMs = endedAt - startedAt < atOnceMs ? 0 : Math.min(endedAt - pieceAt, maxRest);
    await new Promise<void>((resolve) => void (restMs === 0 ? setImmediate(resolve) : setTimeout(resolve, restMs)));
  } while (after !== null);
}

function reportedOf(subject: CheckSubject, sums: readonly RollUp[], spans: readonly TimeSpan[]): ReportedCheck {
  const total = emptyRollUp();
  for (const sum of sums) mergeRollUp(total, sum);
  const periods = spans.map((span, index) => ({ span, rollUp: sums[index] ?? emptyRollUp() }));
  return { ...subject, total, periods };
}
