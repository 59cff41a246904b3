// How far roll-ups are, and from when on results are whole, as the texts that the installation keeps of them.
import { hourMs, hourOf, lateAfterMs } from '#domain/results/roll-up.ts';
import { type IdBytes, idBytes, idText } from '../base/codec.ts';

/** How far roll-ups are: every hour before `hourAt`, and `hourAt` itself of the checks up to `after`. */
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

/** Epoch ms; 0 while nothing was removed. */
export function readResultsFrom(text: string | null): number {
  return Number(text ?? 0);
}

/**
 * Where roll-ups must go back to when it is `now` (epoch ms) again, because the clock was set back: no result that is
 * recorded from now on would say that it is late. null = they are not so far.
 */
export function rewound(progress: Progress | null, now: number): Progress | null {
  const hourAt = hourOf(now - lateAfterMs);
  return progress !== null && progress.hourAt > hourAt ? { hourAt, after: null } : null;
}

/**
 * Where roll-ups must begin when none was made yet and it is a time before the oldest check (`oldestCheckAt`, epoch ms; null =
 * there is none) was made, because the clock was set back. null = with the oldest check, as they would by themselves.
 */
export function begunEarlier(oldestCheckAt: number | null, now: number): Progress | null {
  const hourAt = hourOf(now - lateAfterMs);
  return oldestCheckAt !== null && hourAt < hourOf(oldestCheckAt) ? { hourAt, after: null } : null;
}

/** Up to when the hours of a check are rolled up, epoch ms. */
export function rolledUpTo({ hourAt, after }: Progress, check: CheckKey): number {
  const isBehind = after !== null && keyText(check) <= keyText(after);
  return isBehind ? hourAt + hourMs : hourAt;
}

function keyText({ accountId, checkId }: CheckKey): string {
  return idText(accountId) + idText(checkId);
}
