// How checks of a type are presented, by the show part of their kind.
import type { CheckShow } from '#checks/show.ts';
import * as shows from '#checks/shows.ts';
import type { AnswerOf } from '#contract/operations.ts';

type Check = AnswerOf<'getCheck'>;

/** All kinds, by label. */
export const checkShows: readonly CheckShow[] = Object.values(shows).toSorted((one, other) =>
  one.label.localeCompare(other.label),
);

const byType = new Map(checkShows.map((show) => [show.type, show]));

/** The show part of a check type. */
export function showOf(type: string): CheckShow {
  return byType.get(type) ?? { type, label: type, evidence: () => ({ sections: [], comparable: [] }) };
}

/** Whether checks of a type wait for pings, and so cannot be started. */
export function isCalled(type: string): boolean {
  return showOf(type).called !== undefined;
}

/** Label of a result's time. */
export function timeLabel(type: string): string {
  return showOf(type).timeLabel ?? 'Response time';
}

/** Minutes between runs or expected pings, and of grace for pings. */
export function scheduleOf(check: Check): { readonly interval: number; readonly grace: number } {
  const { frequency, frequencyOffset, checkType } = check;
  const interval = frequency === 0 ? (frequencyOffset ?? 60) / 60 : frequency;
  return showOf(checkType).called?.schedule(check) ?? { interval, grace: 0 };
}
