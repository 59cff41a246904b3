// Reports that the watchdog is not called (docs/decisions/0135).
import type { WatchdogState } from '#domain/accounts/watchdog.ts';
import type { Notice } from './notices.ts';

/** After this time without a call, nobody is in charge of it, ms. */
const forgottenAfterMs = 300_000;
const action = 'See GET /health/ready of each process, its log, and docs/operating.md#watch-tocsin.';

/** @param isConfigured whether this process knows the URL */
export function watchdogNotices(state: WatchdogState | null, isConfigured: boolean, now: number): Notice[] {
  if (state === null) return [];
  if (now - state.dueAt > forgottenAfterMs) {
    return isConfigured ? [withheld(state.dueAt, ['no process with the role upkeep is running'])] : [];
  }
  if (state.withheldSince !== null) return [withheld(state.withheldSince, state.reasons)];
  if (state.failingSince === null) return [];
  const message = `The watchdog could not be called: ${state.error ?? 'unknown'}.`;
  return [{ ...common('watchdog-failed', state.failingSince), message, action }];
}

function withheld(since: number, reasons: readonly string[]): Notice {
  const message = `The watchdog is not called because Tocsin does not work: ${reasons.join('; ')}.`;
  return { ...common('watchdog-withheld', since), message, action };
}

function common(kind: string, since: number): Pick<Notice, 'id' | 'kind' | 'since' | 'subject'> {
  return { id: kind, kind, since, subject: 'Tocsin' };
}
