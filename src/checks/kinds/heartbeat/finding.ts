// What a ping that is judged, and one that did not come, look like as findings.
import type { DeafSpan, Heartbeat, JudgedPing, Overdue } from '#domain/checks/heartbeat.ts';
import { bareFinding, type Finding } from '#domain/results/result.ts';

/** The finding of a ping. Its response time is how long the job took, where it told its start. */
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
 * The finding of a deadline that is over.
 *
 * @param timerAt from when the ping was expected, epoch ms; a later ping may have restarted the timer since
 */
export function overdueFinding(heartbeat: Heartbeat, overdue: Overdue, timerAt: number | null): Finding {
  const { excuse } = overdue;
  if (excuse === 'maintenance') {
    const message = 'no ping was expected: a maintenance window pauses the check';
    return bareFinding(overdue.at, { verdict: 'unknown', reason: 'maintenance', message });
  }
  if (excuse !== null) {
    const message = `not judged: Tocsin could not receive pings ${spokenGap(excuse)}; one more period is allowed from then`;
    return bareFinding(overdue.at, { verdict: 'unknown', reason: 'downtime', message });
  }
  const { periodMs, graceMs, pingedAt } = heartbeat;
  const grace = graceMs === 0 ? '' : `, ${spoken(graceMs)} grace`;
  const lastAt = timerAt === null ? pingedAt : Math.min(timerAt, pingedAt ?? timerAt);
  const since = lastAt === null ? '' : ` since ${clockTime(lastAt, overdue.at)}`;
  const message = `no ping${since}; expected every ${spoken(periodMs)}${grace}`;
  return {
    ...bareFinding(overdue.at, { verdict: 'failed', reason: 'no-ping', message }),
    details: missingDetails,
  };
}

/** `from … to …`, and how long of it where pings could be received in between. */
function spokenGap({ from, to, ms }: DeafSpan): string {
  const end = new Date(to).toISOString();
  if (from === 0) return `up to ${end}`;
  const sum = ms < to - from ? `for ${Math.ceil(ms / 1000)} s in total ` : '';
  return `${sum}from ${new Date(from).toISOString()} to ${end}`;
}

/** The UTC time of day to the second, after the date unless that is the day of `now`. Both are epoch ms. */
function clockTime(at: number, now: number): string {
  const [date = '', time = ''] = new Date(at).toISOString().slice(0, 19).split('T');
  return new Date(now).toISOString().startsWith(date) ? time : `${date} ${time}`;
}

const units = [
  ['day', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
] as const;

/** A span in the largest unit of which it is a whole number: `90 min`. */
function spoken(ms: number): string {
  const [unit, unitMs] = units.find(([, each]) => ms % each === 0) ?? ['s', 1000];
  const amount = ms / unitMs;
  return `${amount} ${unit}${unit === 'day' && amount !== 1 ? 's' : ''}`;
}
