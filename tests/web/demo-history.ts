// Results of the last day for the checks of the demo data, so that charts, bars and availability have something to show.
import type { Outcome } from '#domain/results/result.ts';
import { idBytes } from '#store/base/codec.ts';
import { countChange, insertRow, putResult } from '../support/store/rows.ts';
import type { FileService } from '../support/service/service.ts';
import { until } from '../support/until.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const everyMs = 10 * minuteMs;
/** Covers all hours of the overview, and a few of the chart before it. */
const hours = 30;

/** How a check did, by minutes before now. */
interface Course {
  readonly checkId: string;
  /** Usual response time, ms. */
  readonly usualMs: number;
  readonly outcomeAt: (minutesAgo: number) => Outcome;
  /** When its present state began. */
  readonly minutesInState: number;
}

/** Courses by the name of a check; others have none. */
const courses: Readonly<Record<string, Omit<Course, 'checkId'>>> = {
  'Cart API': { usualMs: 84, outcomeAt: () => 'passed', minutesInState: hours * 60 },
  Checkout: {
    usualMs: 132,
    outcomeAt: (ago) => (ago <= 12 || (ago > 400 && ago < 460) ? 'failed' : 'passed'),
    minutesInState: 12,
  },
  Search: { usualMs: 310, outcomeAt: (ago) => (ago <= 170 ? 'degraded' : 'passed'), minutesInState: 170 },
  'Marketing site': {
    usualMs: 46,
    outcomeAt: (ago) => (ago > 980 && ago < 1000 ? 'failed' : 'passed'),
    minutesInState: 980,
  },
};

/** Adds the results and waits until they are rolled up. */
export async function addHistory(service: FileService): Promise<void> {
  const { id: accountId } = await service.must('GET', '/v1/accounts/me');
  const checks = Object.values(await service.must('GET', '/v1/checks?limit=100')) as { id: string; name: string }[];
  const now = Date.now();
  service.rows((raw) => {
    raw.exec('BEGIN IMMEDIATE');
    for (const { id: checkId, name } of checks) {
      const course = courses[name];
      if (course !== undefined) putCourse(raw, String(accountId), { checkId, ...course }, now);
    }
    countChange(raw, String(accountId));
    raw.exec('COMMIT');
  });
  await until(
    'the history to be rolled up',
    async () => {
      const { rows } = (await service.must('GET', '/v1/overview?search=cart')) as unknown as {
        rows: readonly { buckets: readonly { passed: number }[] }[];
      };
      return rows[0]?.buckets.every(({ passed }) => passed > 0);
    },
    { withinMs: 90_000 },
  );
}

type Raw = Parameters<Parameters<FileService['rows']>[0]>[0];

function putCourse(raw: Raw, accountId: string, course: Course, now: number): void {
  const { checkId, usualMs, outcomeAt, minutesInState } = course;
  const ids = { account_id: idBytes(accountId), check_id: idBytes(checkId) };
  const from = Math.floor((now - hours * hourMs) / hourMs) * hourMs;
  raw
    .prepare('UPDATE checks SET created_at = ? WHERE account_id = ? AND id = ?')
    .run(from, ids.account_id, ids.check_id);
  raw
    .prepare('UPDATE check_states SET since = ?, revision = revision + 1 WHERE account_id = ? AND check_id = ?')
    .run(now - minutesInState * minuteMs, ids.account_id, ids.check_id);
  for (let at = from; at < now - everyMs; at += everyMs) {
    const outcome = outcomeAt((now - at) / minuteMs);
    // Slower by day, with a little noise that is the same in every picture.
    const wave = 1 + 0.25 * Math.sin((at / hourMs / 24) * 2 * Math.PI) + 0.1 * Math.sin(at / 7_000_003);
    const slow = outcome === 'degraded' ? 11 : 1;
    putResult(raw, accountId, checkId, at, {
      outcome,
      responseUs: outcome === 'failed' ? null : Math.round(usualMs * wave * slow * 1000),
      intervalMs: everyMs,
      ...(outcome === 'failed' && {
        reason: 'status' as const,
        message: 'expected a status below 400, got 503 Service Unavailable',
      }),
      ...(outcome === 'degraded' && {
        reason: 'slow' as const,
        message: 'answered after 3410 ms; more than 3000 ms is degraded',
      }),
    });
  }
  for (let at = from; at + hourMs <= now; at += hourMs)
    insertRow(raw, 'late_hours', { ...ids, start_at: at, touched: 1 });
}
