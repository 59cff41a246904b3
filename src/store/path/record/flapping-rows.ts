// What is known of the changes of a check: columns of its state, changed with each result and as time passes. Shared by
// all engines (docs/decisions/0138).
import type { FlappingTidings } from '#domain/alerts/notify.ts';
import {
  calm,
  type Flapping,
  flappingDueAt,
  type FlappingEvent,
  flappingStep,
  messageEveryMs,
  mutedAgainMs,
} from '#domain/alerts/flapping.ts';
import type { CheckState, StateStep } from '#domain/checks/check-state.ts';
import { json, parsedOrNull } from '../../base/codec.ts';
import type { CheckStatesTable } from '../../base/tables/schema.ts';

/** Columns of a state about its changes. */
export type FlappingColumns = Pick<CheckStatesTable, 'flapping' | 'flapping_since' | 'flapping_due_at'>;

/** What an event changes, and what channels receive; null = the check does not flap. */
export interface FoldedFlapping {
  readonly columns: FlappingColumns;
  readonly tidings: Omit<FlappingTidings, 'incidentId'> | null;
}

/** A check at the time of an event. */
export interface FlappingMoment {
  readonly row: FlappingColumns | undefined;
  /** What was alerted before. */
  readonly alerted: CheckState['alerted'];
  readonly everyMs: number;
  /** Epoch ms. */
  readonly now: number;
}

/** Folds a result. Most change no alert, and nothing is read of them. */
export function foldChange(moment: FlappingMoment, { state, change }: StateStep): FoldedFlapping {
  const { row, alerted } = moment;
  if (alerted === state.alerted && (row?.flapping_since ?? null) === null) {
    const { flapping = null } = row ?? {};
    return { columns: { flapping, flapping_since: null, flapping_due_at: null }, tidings: null };
  }
  const isRecovered = change?.to === 'passing';
  return fold(moment, { type: 'judged', before: alerted, after: state.alerted, isRecovered }, state.alerted);
}

/** Folds the time that passed without an alert. @param isMuted or deactivated */
export function foldTime(
  moment: FlappingMoment,
  { status, acknowledgedAt }: CheckState,
  isMuted: boolean,
): FoldedFlapping {
  const isSilenced = isMuted && status !== 'passing';
  const isAcknowledged = acknowledgedAt !== null;
  return fold(moment, { type: 'time', alerted: moment.alerted, isSilenced, isAcknowledged }, moment.alerted);
}

function fold(
  { row, alerted, everyMs, now }: FlappingMoment,
  event: FlappingEvent,
  after: CheckState['alerted'],
): FoldedFlapping {
  const before = parsedOrNull<Flapping>(row?.flapping ?? null) ?? calm;
  const { state, message, changes } = flappingStep(before, event, now, everyMs);
  const isWaiting = message === null && event.type === 'time' && event.isSilenced;
  const dueFrom = isWaiting ? now + mutedAgainMs : 0;
  const nextAt = flappingDueAt(state, after, everyMs);
  const columns = {
    flapping: json(state),
    flapping_since: state.since,
    flapping_due_at: nextAt === null ? null : Math.max(nextAt, dueFrom),
  };
  // The last message is about what ends.
  const since = state.since ?? (message === null ? null : before.since);
  const isTimed = event.type === 'time';
  const dueAt = state.notifiedAt + messageEveryMs;
  return { columns, tidings: since === null ? null : { since, message, changes, dueAt, alerted, isTimed } };
}
