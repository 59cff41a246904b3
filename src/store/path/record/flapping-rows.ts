// What is known of the changes of a check: columns of its state, changed with each result and as time passes. Shared by
// all engines (docs/decisions/0138).
import {
  calm,
  type Flapping,
  type FlappingMoment,
  foldChange,
  type FoldedFlapping,
  foldTime,
} from '#domain/alerts/flapping.ts';
import type { CheckState, StateStep } from '#domain/checks/check-state.ts';
import { json, parsedOrNull } from '../../base/codec.ts';
import type { CheckStatesTable } from '../../base/tables/schema.ts';

/** Columns of a state about its changes. */
export type FlappingColumns = Pick<CheckStatesTable, 'flapping' | 'flapping_since' | 'flapping_due_at'>;

/** What an event changes, and what channels receive. */
export interface ChangedFlapping extends Pick<FoldedFlapping, 'tidings'> {
  readonly columns: FlappingColumns;
}

/** A check at the time of an event, with its row. */
export interface FlappingRowMoment extends FlappingMoment {
  readonly row: FlappingColumns | undefined;
}

/** Folds a result. Most change no alert, and nothing is read of them. */
export function changeFlapping(moment: FlappingRowMoment, step: StateStep): ChangedFlapping {
  const { row, alerted } = moment;
  if (alerted === step.state.alerted && (row?.flapping_since ?? null) === null) {
    const { flapping = null } = row ?? {};
    return { columns: { flapping, flapping_since: null, flapping_due_at: null }, tidings: null };
  }
  return columnsOf(foldChange(flappingOf(row), moment, step));
}

/** Folds the time that passed without an alert. @param isMuted or deactivated */
export function passFlapping(moment: FlappingRowMoment, state: CheckState, isMuted: boolean): ChangedFlapping {
  return columnsOf(foldTime(flappingOf(moment.row), moment, state, isMuted));
}

function flappingOf(row: FlappingColumns | undefined): Flapping {
  return parsedOrNull<Flapping>(row?.flapping ?? null) ?? calm;
}

function columnsOf({ state, dueAt, tidings }: FoldedFlapping): ChangedFlapping {
  return { columns: { flapping: json(state), flapping_since: state.since, flapping_due_at: dueAt }, tidings };
}
