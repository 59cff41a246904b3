// What a ping that is judged, and one that did not come, look like as findings.
import type { Heartbeat, JudgedPing, Overdue } from '#domain/heartbeat.ts';
import { bareFinding, type Finding } from '#domain/result.ts';

/** The finding of a ping. Its response time is how long the job took, where it told its start. */
export function pingFinding(ping: JudgedPing): Finding {
  const { signal, exitCode, state, method, source, userAgent, at, isFailure, tookMs, note } = ping;
  const said = signal === 'exit' ? `the job ended with exit code ${exitCode}` : 'the job says that it failed';
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
 * @param timerAt from when it was expected, epoch ms
 */
export function overdueFinding(heartbeat: Heartbeat, overdue: Overdue, timerAt: number | null): Finding {
  const { excuse } = overdue;
  if (excuse === 'maintenance') {
    const message = 'not expected: its checks are not run in this maintenance window';
    return bareFinding(overdue.at, { verdict: 'unknown', reason: 'maintenance', message });
  }
  if (excuse !== null) {
    const [from, to] = [excuse.from, excuse.to].map((at) => new Date(at).toISOString());
    const gap = excuse.from === 0 ? `up to ${to}` : `from ${from} to ${to}`;
    const message = `not judged: Tocsin could not receive pings ${gap}; there is one more period from then`;
    return bareFinding(overdue.at, { verdict: 'unknown', reason: 'downtime', message });
  }
  const { periodMs, graceMs } = heartbeat;
  const grace = graceMs === 0 ? '' : ` and ${spoken(graceMs)} of grace`;
  const since = timerAt === null ? '' : ` since ${new Date(timerAt).toISOString()}`;
  const message = `no ping came within ${spoken(periodMs)}${grace}${since}`;
  return {
    ...bareFinding(overdue.at, { verdict: 'failed', reason: 'no-ping', message }),
    details: missingDetails,
  };
}

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const;

/** A span in the largest unit of which it is a whole number: `90 minutes`. */
function spoken(ms: number): string {
  const [unit, unitMs] = units.find(([, each]) => ms % each === 0) ?? ['second', 1000];
  const amount = ms / unitMs;
  return `${amount} ${unit}${amount === 1 ? '' : 's'}`;
}
