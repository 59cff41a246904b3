// How far roll-ups are, and from when on results are whole, as the texts that the installation keeps of them.
import { hourOf, lateAfterMs } from '#domain/roll-up.ts';
import { idBytes, idText } from './codec.ts';
import type { Progress } from './roll-ups.ts';

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
