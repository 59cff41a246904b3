// Maps roll-ups to rows: counts in columns, response times as bytes.
import type { CheckKey } from '../roll-ups/roll-up-progress.ts';
import type { DetailedRollUp } from '#domain/results/detailed-roll-up.ts';
import type { RollUp } from '#domain/results/roll-up.ts';
import { phaseBytes, phasesOf } from './phase-bytes.ts';
import { responsesBytes, responsesOf } from '../base/response-bytes.ts';

import type { RollUpsTable } from '../base/tables/roll-up-tables.ts';
import { byStatusBytes, byStatusOf } from '../base/status-bytes.ts';

/** Codes of `roll_ups.span`. */
export const spans = { hour: 0, day: 1 } as const;
export type Span = keyof typeof spans;

/** The check, and the start of the time range, epoch ms. */
export interface SpanKey extends CheckKey {
  readonly startAt: number;
}

type SpanColumns = Pick<RollUpsTable, 'account_id' | 'check_id' | 'span' | 'start_at' | 'location'>;

export function rollUpRow(
  span: Span,
  { accountId, checkId, startAt }: SpanKey,
  location: string,
  rollUp: DetailedRollUp,
) {
  return {
    account_id: accountId,
    check_id: checkId,
    span: spans[span],
    start_at: startAt,
    location,
    passed: rollUp.passed,
    degraded: rollUp.degraded,
    failed: rollUp.failed,
    unknown: rollUp.unknown,
    missed: rollUp.missed,
    retries: rollUp.retries,
    known_ms: rollUp.knownMs,
    down_ms: rollUp.downMs,
    unknown_ms: rollUp.unknownMs,
    responses: responsesBytes(rollUp.responses),
    failed_responses: responsesBytes(rollUp.failedResponses),
    by_status: byStatusBytes(rollUp),
    phases: phaseBytes(rollUp.phases),
    final_results: rollUp.finalResults,
  } satisfies RollUpsTable;
}

/** Columns of parts and phases. */
export type PartColumn = 'by_status' | 'phases' | 'final_results';

/** Contents of a row without parts and phases. */
export function rollUpOf(row: Omit<RollUpsTable, keyof SpanColumns | PartColumn>): RollUp {
  const { passed, degraded, failed, unknown, missed, retries } = row;
  return {
    passed,
    degraded,
    failed,
    unknown,
    missed,
    retries,
    knownMs: row.known_ms,
    downMs: row.down_ms,
    unknownMs: row.unknown_ms,
    responses: responsesOf(row.responses),
    failedResponses: responsesOf(row.failed_responses),
  };
}

/** Contents of a row, with parts and phases as far as they were read. */
export function detailedRollUpOf(
  row: Omit<RollUpsTable, keyof SpanColumns | PartColumn> & Partial<Pick<RollUpsTable, PartColumn>>,
): DetailedRollUp {
  const whole = rollUpOf(row);
  const { by_status: byStatus = null, phases = null, final_results: finalResults = null } = row;
  // Without a response there are no phases, whatever version wrote it.
  const hasNone = row.responses === null && row.failed_responses === null;
  return {
    ...whole,
    byStatus: byStatusOf(byStatus, whole),
    phases: hasNone ? new Map() : phasesOf(phases),
    finalResults,
  };
}
