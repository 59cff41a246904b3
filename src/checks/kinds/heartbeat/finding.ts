// Findings for received and missed pings.
import { zonedText } from '#domain/accounts/time-zone.ts';
import type { ReceptionGap, Heartbeat, JudgedPing, Overdue } from '#domain/checks/heartbeat.ts';
import { bareFinding, type Finding } from '#domain/results/result.ts';

/** The finding of a ping. If the job reported its start, the response time is its duration. */
export function pingFinding(ping: JudgedPing): Finding {
  const { signal, exitCode, state, method, source, userAgent, at, isFailure, tookMs, note } = ping;
  const said = signal === 'exit' ? `the job ended with exit code ${exitCode}` : 'the job reported a failure';
  return {
    ...bareFinding(at, {
      verdict: isFailure ? 'failed' : 'passed',
      reason: isFailure ? 'job-failed' : null,
      message: isFailure ? said + (note === null ? '' : `: ${note}`) : null,
    }),
    responseTimeMs: tookMs,
    details: { signal, exitCode, state, method, source, userAgent },
  };
}

const missingDetails = { signal: 'missing', state: 'FAILING' } as const;

/**
 * The finding of a missed deadline.
 *
 * @param timerAt start of the expected period, epoch ms; a later ping may have restarted the timer
 * @param timeZone IANA name, in which times are written
 */
export function overdueFinding(
  heartbeat: Heartbeat,
  overdue: Overdue,
  timerAt: number | null,
  timeZone: string,
): Finding {
  const { excuse } = overdue;
  if (excuse === 'maintenance') {
    const message = 'no ping was expected: a maintenance window pauses the check';
    return bareFinding(overdue.at, { verdict: 'unknown', reason: 'maintenance', message });
  }
  if (excuse !== null) {
    const message = `inconclusive: Tocsin could not receive pings ${spokenGap(excuse, timeZone)}; the deadline is extended by one period`;
    return bareFinding(overdue.at, { verdict: 'unknown', reason: 'downtime', message });
  }
  const { periodMs, graceMs, pingedAt } = heartbeat;
  const grace = graceMs === 0 ? '' : `, ${spoken(graceMs)} grace`;
  const lastAt = timerAt === null ? pingedAt : Math.min(timerAt, pingedAt ?? timerAt);
  const since = lastAt === null ? '' : ` since ${clockTime(lastAt, overdue.at, timeZone)}`;
  const message = `no ping${since}; expected every ${spoken(periodMs)}${grace}`;
  return {
    ...bareFinding(overdue.at, { verdict: 'failed', reason: 'no-ping', message }),
    details: missingDetails,
  };
}

/** Formats a gap as `from … to …`, with the total downtime if pings could be received in between. */
function spokenGap({ from, to, ms }: ReceptionGap, timeZone: string): string {
  const end = zonedText(to, timeZone);
  if (from === 0) return `up to ${end}`;
  const sum = ms < to - from ? `for ${Math.ceil(ms / 1000)} s in total ` : '';
  return `${sum}from ${zonedText(from, timeZone)} to ${end}`;
}

/** `02:41:17 CET`, with the date unless it is that of `now`. Both are epoch ms. */
function clockTime(at: number, now: number, timeZone: string): string {
  const [text, today] = [zonedText(at, timeZone), zonedText(now, timeZone).slice(0, dateLength)];
  return text.startsWith(today) ? text.slice(dateLength + 1) : text;
}

const dateLength = 'YYYY-MM-DD'.length;

const units = [
  ['day', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
] as const;

/** Formats a duration in its largest whole unit, such as `90 min`. */
function spoken(ms: number): string {
  const [unit, unitMs] = units.find(([, each]) => ms % each === 0) ?? ['s', 1000];
  const amount = ms / unitMs;
  return `${amount} ${unit}${unit === 'day' && amount !== 1 ? 's' : ''}`;
}
