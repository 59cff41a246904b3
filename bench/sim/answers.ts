// Responses of simulated targets and receivers.
import type { SendOutcome } from '#domain/deliveries/delivery.ts';
import type { Finding } from '#domain/results/result.ts';

/** Finding about a target at `now`, epoch ms. */
export function findingOf(isDown: boolean, now: number): Finding {
  return {
    verdict: isDown ? 'failed' : 'passed',
    reason: isDown ? 'status' : null,
    message: isDown ? 'status 503' : null,
    startedAt: now,
    stoppedAt: now + 12,
    responseTimeMs: 12,
    loopDelayMs: 0,
    details: { status: isDown ? 503 : 200 },
    exchange: null,
    certificate: null,
  };
}

/** Outcome of an attempt with that start, epoch ms. */
export function outcomeOf(startedAt: number, status: number): SendOutcome {
  const error = status > 399 ? ({ class: 'status', message: `answered ${status}` } as const) : null;
  return { startedAt, durationMs: 5, headers: [], response: { status, headers: {}, body: '' }, error };
}
