// Which channels hear that another one fails (docs/decisions/0026).
import { type ActiveHours, activeFrom } from './active-hours.ts';

/** A channel that could send the report. */
export interface ReportCandidate {
  readonly id: number;
  /** To the check of the lost alert, or its group. */
  readonly isSubscribed: boolean;
  readonly isFailing: boolean;
  /** null = always. */
  readonly activeHours: ActiveHours | null;
}

/** Maximum number of channels of a choice; the first by ID. */
const maxRecipients = 20;

/**
 * The IDs of the channels to use, best choice first: those of the same check, of those that receive and are active now.
 * Only if none of them can send it, channels that are worse in one of these respects: a late or doubtful report is
 * better than none.
 *
 * @param candidates by ID
 * @param now epoch ms
 */
export function reportRecipients(
  candidates: readonly ReportCandidate[],
  failingChannelId: number,
  now: number,
): readonly (readonly number[])[] {
  const failing = new Set([failingChannelId, ...candidates.flatMap(({ id, isFailing }) => (isFailing ? id : []))]);
  /** Outside of its hours a channel sends through another one, unless that is failing. */
  const isReached = ({ activeHours }: ReportCandidate): boolean => {
    if (activeHours === null || activeFrom(activeHours, now) <= now) return true;
    return activeHours.otherChannelId !== null && !failing.has(activeHours.otherChannelId);
  };
  const receiving = candidates.filter(({ isFailing }) => !isFailing);
  const reached = receiving.filter(isReached);
  const choices = [reached.filter(({ isSubscribed }) => isSubscribed), reached, receiving, candidates];
  const better = new Set<number>();
  return choices
    .map((choice) => {
      const ids = choice.flatMap(({ id }) => (better.has(id) ? [] : id)).slice(0, maxRecipients);
      for (const id of ids) better.add(id);
      return ids;
    })
    .filter((ids) => ids.length > 0);
}
