// Progress of roll-ups, and from when on results are complete, as stored facts.
import { hourMs, hourOf, lateAfterMs } from '#domain/results/roll-up.ts';
import { type IdBytes, idBytes, idText } from '../base/codec.ts';

/** Progress of roll-ups: every hour before `hourAt`, and `hourAt` itself for the checks up to `after`. */
export interface Progress {
  readonly hourAt: number;
  readonly after: CheckKey | null;
}

export interface CheckKey {
  readonly accountId: IdBytes;
  readonly checkId: IdBytes;
}

/** `<epoch ms>` or `<epoch ms>/<account>/<check>`. */
export function writtenProgress({ hourAt, after }: Progress): string {
  return after === null ? String(hourAt) : `${hourAt}/${idText(after.accountId)}/${idText(after.checkId)}`;
}

export function readProgress(text: string | null): Progress | null {
  if (text === null) return null;
  const [hourAt, accountId, checkId] = text.split('/');
  const after =
    accountId === undefined || checkId === undefined
      ? null
      : { accountId: idBytes(accountId), checkId: idBytes(checkId) };
  return { hourAt: Number(hourAt), after };
}

/** Epoch ms; 0 while nothing was deleted. */
export function readResultsFrom(text: string | null): number {
  return Number(text ?? 0);
}

/**
 * Where roll-ups must restart when the clock was set back to `now` (epoch ms): new results would not be marked as late.
 * null = they are not that far.
 */
export function rewound(progress: Progress | null, now: number): Progress | null {
  const hourAt = hourOf(now - lateAfterMs);
  return progress !== null && progress.hourAt > hourAt ? { hourAt, after: null } : null;
}

/**
 * Where roll-ups must start if there are none yet and the clock was set back to a time before the oldest check was
 * created (`oldestCheckAt`, epoch ms; null = no check). null = at the oldest check, as usual.
 */
export function begunEarlier(oldestCheckAt: number | null, now: number): Progress | null {
  const hourAt = hourOf(now - lateAfterMs);
  return oldestCheckAt !== null && hourAt < hourOf(oldestCheckAt) ? { hourAt, after: null } : null;
}

/** Until when the hours of a check are rolled up, epoch ms. */
export function rolledUpTo({ hourAt, after }: Progress, check: CheckKey): number {
  const isBehind = after !== null && keyText(check) <= keyText(after);
  return isBehind ? hourAt + hourMs : hourAt;
}

function keyText({ accountId, checkId }: CheckKey): string {
  return idText(accountId) + idText(checkId);
}
