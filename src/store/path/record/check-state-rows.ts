// Maps the state of a check to its row, and applies a result to it.
import { type CheckState, type CheckStatus, newCheckState } from '#domain/checks/check-state.ts';
import { type Recovery, recoveryAfter, type Suppressor } from '#domain/alerts/suppression.ts';
import type { EndedAttempt } from '#domain/results/recording.ts';
import { stateCertificate } from '#domain/results/certificate-expiry.ts';
import type { Finding, Reason } from '#domain/results/result.ts';
import { type IdBytes, idTime, json, parsed, parsedOrNull } from '../../base/codec.ts';
import { outcomeCodes, reasonCodes } from '../../base/codes.ts';
import type { CheckStatesTable } from '../../base/tables/schema.ts';
import type { FlappingColumns } from './flapping-rows.ts';
import type { IncidentColumns } from './record-incident.ts';

/** The state of a row; a check without one is new. */
export function stateOf(row: CheckStatesTable | undefined): CheckState {
  if (row === undefined) return newCheckState;
  return {
    status: row.status as CheckStatus | null,
    since: row.since,
    position: row.position_at === null ? null : { at: row.position_at, startedAt: row.position_started_at ?? 0 },
    failedInARow: row.failed_in_a_row,
    degradedInARow: row.degraded_in_a_row,
    failingSince: row.failing_since,
    alerted: row.alerted as CheckState['alerted'],
    acknowledgedAt: row.acknowledged_at,
    byLocation: parsedOrNull<CheckState['byLocation']>(row.by_location) ?? {},
  };
}

/** The check that suppresses the alert of a row; null = none. */
export function suppressorOfRow(row: Pick<CheckStatesTable, 'suppressed_by'> | undefined): Suppressor | null {
  return parsedOrNull<Suppressor>(row?.suppressed_by ?? null);
}

/** What a result changes of a state. */
export interface StateColumns {
  readonly state: CheckState;
  readonly incident: IncidentColumns;
  readonly suppressedBy: Suppressor | null;
  readonly flapping: FlappingColumns;
}

/** The row after a result: the state, and the parts of the result that the status shows. Times are epoch ms. */
export function stateRow(
  before: CheckStatesTable | undefined,
  ids: { readonly accountId: IdBytes; readonly checkId: IdBytes; readonly resultId: IdBytes },
  { state, incident, suppressedBy, flapping }: StateColumns,
  { finding, outcome, run }: EndedAttempt,
  now: number,
): CheckStatesTable {
  const responseUs = finding.responseTimeMs === null ? null : Math.round(finding.responseTimeMs * 1000);
  const last = before?.last_result_id ?? null;
  // IDs start with the time of their slot: a late older result is not shown as the last one.
  const recovery = recoveryOf(before, state, now);
  const isNewest = last === null || idTime(ids.resultId) >= idTime(last);
  return {
    account_id: ids.accountId,
    check_id: ids.checkId,
    status: state.status,
    since: state.since,
    position_at: state.position?.at ?? null,
    position_started_at: state.position?.startedAt ?? null,
    failed_in_a_row: state.failedInARow,
    degraded_in_a_row: state.degradedInARow,
    failing_since: state.failingSince,
    alerted: state.alerted,
    suppressed_by: suppressedBy === null ? null : json(suppressedBy),
    recovered_at: recovery.recoveredAt,
    failed_from: recovery.failedFrom,
    passed_at: hasRecovered(before, state) ? now : (before?.passed_at ?? null),
    incident_id: incident.incident_id,
    incident_started_at: incident.incident_started_at,
    acknowledged_at: incident.acknowledged_at,
    ...flapping,
    by_location: isEmpty(state.byLocation) ? null : json(state.byLocation),
    last_result_id: isNewest ? ids.resultId : last,
    last_outcome: isNewest ? outcomeCodes.encode(outcome) : (before?.last_outcome ?? null),
    last_reason: isNewest ? codeOf(finding.reason) : (before?.last_reason ?? null),
    last_location: isNewest ? run.location : (before?.last_location ?? null),
    last_response_us: isNewest ? responseUs : (before?.last_response_us ?? null),
    longest_response_us: extreme(Math.max, before?.longest_response_us ?? null, responseUs),
    shortest_response_us: extreme(Math.min, before?.shortest_response_us ?? null, responseUs),
    certificate_valid_to: finding.certificate?.validTo ?? before?.certificate_valid_to ?? null,
    certificate: certificateOf(finding) ?? before?.certificate ?? null,
    created_at: before?.created_at ?? now,
    updated_at: now,
    revision: (before?.revision ?? 0) + 1,
  };
}

function certificateOf({ certificate, startedAt }: Finding): string | null {
  return certificate === null ? null : json(stateCertificate(certificate, startedAt));
}

function hasRecovered(before: CheckStatesTable | undefined, { status }: CheckState): boolean {
  return status === 'passing' && (before?.status === 'failing' || before?.status === 'degraded');
}

/** The recovery that dependents wait after. */
function recoveryOf(before: CheckStatesTable | undefined, { status }: CheckState, now: number): Recovery {
  const previous = { recoveredAt: before?.recovered_at ?? null, failedFrom: before?.failed_from ?? null };
  if (before?.status !== 'failing' || status === 'failing') return previous;
  return recoveryAfter(previous, stateOf(before), { status }, suppressorOfRow(before) !== null, now);
}

/**
 * `by_location` of a row whose position is after `now` (epoch ms), moved back to it. Keeps the results of the
 * locations: otherwise a check that still fails elsewhere would appear to pass.
 */
export function locationsAt(row: CheckStatesTable, now: number): string | null {
  const found = Object.entries(parsed<CheckState['byLocation']>(row.by_location ?? '{}')).map(
    ([code, { status, at, startedAt }]) => [
      code,
      { status, at: Math.min(at, now), startedAt: Math.min(startedAt, now) },
    ],
  );
  return found.length === 0 ? null : json(Object.fromEntries(found));
}

function codeOf(reason: Reason | null): number | null {
  return reason === null ? null : reasonCodes.encode(reason);
}

function extreme(of: (a: number, b: number) => number, a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : of(a, b);
}

function isEmpty(record: object): boolean {
  for (const _ in record) return false;
  return true;
}
