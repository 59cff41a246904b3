// Results of the last day for the checks of the demo data, so that charts, bars and availability have something to show.
import type { Outcome } from '#domain/results/result.ts';
import { derivedId } from '#lib/id.ts';
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
  readonly name: string;
  /** Usual response time, ms. */
  readonly usualMs: number;
  readonly outcomeAt: (minutesAgo: number) => Outcome;
  /** When its present state began. */
  readonly minutesInState: number;
  /** An incident that is over, by minutes before now. */
  readonly resolved?: { readonly fromMinutes: number; readonly toMinutes: number };
  /** How many days its certificate is valid. */
  readonly certificateDays?: number;
}

/** Courses by the name of a check; others have none. */
const courses: Readonly<Record<string, Omit<Course, 'checkId' | 'name'>>> = {
  'Cart API': { usualMs: 68, outcomeAt: () => 'passed', minutesInState: hours * 60, certificateDays: 9 },
  Checkout: {
    usualMs: 112,
    outcomeAt: (ago) => (ago <= 12 || (ago > 400 && ago < 460) ? 'failed' : 'passed'),
    minutesInState: 12,
    resolved: { fromMinutes: 460, toMinutes: 400 },
  },
  Search: {
    usualMs: 64,
    outcomeAt: (ago) => (ago <= 170 ? 'degraded' : 'passed'),
    minutesInState: 170,
    certificateDays: 61,
  },
  'Card payments': { usualMs: 71, outcomeAt: () => 'passed', minutesInState: hours * 60 },
  Refunds: {
    usualMs: 118,
    outcomeAt: (ago) => (ago <= 48 ? 'failed' : 'passed'),
    minutesInState: 48,
    certificateDays: -12,
  },
  'Marketing site': {
    usualMs: 66,
    outcomeAt: (ago) => (ago > 980 && ago < 1000 ? 'failed' : 'passed'),
    minutesInState: 980,
    resolved: { fromMinutes: 1000, toMinutes: 980 },
  },
  Blog: { usualMs: 75, outcomeAt: () => 'passed', minutesInState: hours * 60 },
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
      if (course !== undefined) putCourse(raw, String(accountId), { checkId, name, ...course }, now);
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
    { withinMs: 240_000 },
  );
}

type Raw = Parameters<Parameters<FileService['rows']>[0]>[0];

function putCourse(raw: Raw, accountId: string, course: Course, now: number): void {
  const { checkId, usualMs, outcomeAt, minutesInState, resolved, certificateDays } = course;
  const ids = { account_id: idBytes(accountId), check_id: idBytes(checkId) };
  const from = Math.floor((now - hours * hourMs) / hourMs) * hourMs;
  raw
    .prepare('UPDATE checks SET created_at = ? WHERE account_id = ? AND id = ?')
    .run(from, ids.account_id, ids.check_id);
  raw
    .prepare('UPDATE check_states SET since = ?, revision = revision + 1 WHERE account_id = ? AND check_id = ?')
    .run(now - minutesInState * minuteMs, ids.account_id, ids.check_id);
  raw
    .prepare('UPDATE incidents SET started_at = ?, opened_at = ? WHERE account_id = ? AND check_id = ?')
    .run(now - minutesInState * minuteMs, now - minutesInState * minuteMs, ids.account_id, ids.check_id);
  if (resolved !== undefined) putResolved(raw, accountId, course, resolved, now);
  if (certificateDays !== undefined) {
    const domain = `${course.name.toLowerCase().replaceAll(' ', '-')}.example`;
    raw
      .prepare(
        'UPDATE check_states SET certificate_valid_to = ?, certificate = ? WHERE account_id = ? AND check_id = ?',
      )
      .run(
        now + (certificateDays + 0.5) * 24 * hourMs,
        JSON.stringify({ domain, issuer: 'Example CA R11', seenAt: now }),
        ids.account_id,
        ids.check_id,
      );
  }
  for (let at = from; at < now - everyMs; at += everyMs) {
    const outcome = outcomeAt((now - at) / minuteMs);
    // Slower by day, with a little noise that is the same in every picture.
    const wave = 1 + 0.25 * Math.sin((at / hourMs / 24) * 2 * Math.PI) + 0.1 * Math.sin(at / 7_000_003);
    const slow = outcome === 'degraded' ? 5 : 1;
    const responseMs = usualMs * wave * slow;
    putResult(raw, accountId, checkId, at, {
      outcome,
      responseUs: Math.round(responseMs * 1000),
      details: detailsOf(outcome === 'failed' ? 503 : 200, responseMs),
      intervalMs: everyMs,
      ...(outcome === 'failed' && {
        reason: 'status' as const,
        message: unavailable,
      }),
      ...(outcome === 'degraded' && {
        reason: 'slow' as const,
        message: `answered after ${Math.round(responseMs)} ms, degraded above 250 ms`,
      }),
    });
  }
  for (let at = from; at + hourMs <= now; at += hourMs)
    insertRow(raw, 'late_hours', { ...ids, start_at: at, touched: 1 });
}

const unavailable = 'expected a status below 400, got 503 Service Unavailable';

/** Status, address, phases in µs and sizes, as the probe stores them. */
function detailsOf(status: number, responseMs: number): (number | string)[] {
  const [dns, tcp, download] = [900, 2400, 1100];
  const firstByte = Math.max(1000, Math.round(responseMs * 1000) - dns - tcp - download);
  return [status, '127.0.0.1', dns, tcp, 0, firstByte, download, 180, 32];
}

/** An incident that is over, with its alert. */
function putResolved(
  raw: Raw,
  accountId: string,
  { checkId, name }: Course,
  { fromMinutes, toMinutes }: NonNullable<Course['resolved']>,
  now: number,
): void {
  const [from, to] = [now - fromMinutes * minuteMs, now - toMinutes * minuteMs];
  const [incidentId, alertId, resultId] = [
    derivedId(from, 'incident'),
    derivedId(from, 'alert'),
    derivedId(from, 'run'),
  ];
  const about = { account_id: idBytes(accountId), check_id: idBytes(checkId), check_name: name, check_type: 'API' };
  insertRow(raw, 'incidents', {
    ...about,
    id: idBytes(incidentId),
    kind: 'failing',
    started_at: from,
    opened_at: from,
    ended_at: to,
    ended_by: 'recovery',
    first_alert_id: idBytes(alertId),
    result_id: idBytes(resultId),
  });
  insertRow(raw, 'alerts', {
    ...about,
    id: idBytes(alertId),
    result_id: idBytes(resultId),
    alert_type: 'ALERT_FAILURE',
    location: 'local',
    response_us: 120_000,
    error: unavailable,
    status_code: 503,
    started_at: from,
    created_at: from,
    incident_id: idBytes(incidentId),
  });
  raw
    .prepare(
      `INSERT INTO account_counts (account_id, hour, alerts) VALUES (?, ?, 1)
       ON CONFLICT (account_id, hour) DO UPDATE SET alerts = account_counts.alerts + 1`,
    )
    .run(idBytes(accountId), Math.floor(from / hourMs));
}
