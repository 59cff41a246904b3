// A roll-up as a row: counts in columns, response times as bytes.
import type { DetailedRollUp, RollUp } from '#domain/roll-up.ts';
import type { IdBytes } from './codec.ts';
import { responsesBytes, responsesOf } from './response-bytes.ts';
import { byStatusBytes, byStatusOf } from './roll-up-details.ts';
import type { RollUpsTable } from './roll-up-tables.ts';

/** Codes of `roll_ups.span`. */
export const spans = { hour: 0, day: 1 } as const;
export type Span = keyof typeof spans;

/** Which check, and when the span begins, epoch ms. */
export interface SpanKey {
  readonly accountId: IdBytes;
  readonly checkId: IdBytes;
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
  } satisfies RollUpsTable;
}

/** What a row holds, without what it is made of. */
export function rollUpOf(row: Omit<RollUpsTable, keyof SpanColumns | 'by_status'>): RollUp {
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

/** What a row holds, and what it is made of as far as that was read. */
export function detailedRollUpOf(
  row: Omit<RollUpsTable, keyof SpanColumns | 'by_status'> & Partial<Pick<RollUpsTable, 'by_status'>>,
): DetailedRollUp {
  const whole = rollUpOf(row);
  return { ...whole, byStatus: byStatusOf(row.by_status ?? null, whole) };
}
