// Changes incidents in the transaction of the result. Results that neither open nor end one write none.
import type { Statement } from '../../engines/statements.ts';
import type { CheckState } from '#domain/checks/check-state.ts';
import { incidentStep } from '#domain/alerts/incident.ts';
import type { Check } from '#domain/checks/check.ts';
import { newId } from '#lib/id.ts';
import { flag, type Flag, type IdBytes, idBytes, idText } from '../../base/codec.ts';
import type { IncidentsTable } from '../../base/tables/incident-tables.ts';
import type { CheckStatesTable } from '../../base/tables/schema.ts';

/** A change of an incident; null = the column is not changed. */
export interface IncidentChange extends Pick<IncidentsTable, 'account_id' | 'id' | 'ended_at' | 'ended_by'> {
  readonly kind: 'failing' | null;
  /** 1 = the acknowledgement ends. */
  readonly is_reopened: Flag;
}

/** Rows of incidents that recording writes. */
export interface IncidentRows {
  openIncident(row: IncidentsTable): void;
  changeIncident(change: IncidentChange): void;
}

/** The incident of a check's alerts. */
export interface AlertedIncident {
  readonly id: string;
  /** Epoch ms. */
  readonly startedAt: number;
  /** ID for the alert that opens it; null = it was open before. */
  readonly firstAlertId: string | null;
}

/** Columns of a state about its incident. */
export type IncidentColumns = Pick<CheckStatesTable, 'incident_id' | 'incident_started_at' | 'acknowledged_at'>;

/** A change of the state of a check. */
export interface StateChange {
  /** Of the previous state. */
  readonly row: CheckStatesTable | undefined;
  readonly before: CheckState;
  readonly after: CheckState;
  readonly check: Pick<Check, 'accountId' | 'id' | 'name' | 'checkType'>;
  readonly resultId: IdBytes;
}

/**
 * Opens, changes or ends the incident of a check, if its state requires it.
 * @returns the incident of the alerts of this change, even if it ends now; null = none
 */
export function recordIncident(
  rows: IncidentRows,
  { row, before, after, check, resultId }: StateChange,
  now: number,
): { readonly incident: AlertedIncident | null; readonly columns: IncidentColumns } {
  const step = incidentStep(before, after);
  if (step === 'opens') {
    const incident = { id: newId(), startedAt: after.since ?? now, firstAlertId: newId() };
    rows.openIncident({
      account_id: idBytes(check.accountId),
      id: idBytes(incident.id),
      check_id: idBytes(check.id),
      check_name: check.name,
      check_type: check.checkType,
      kind: after.alerted ?? 'failing',
      started_at: incident.startedAt,
      opened_at: now,
      ended_at: null,
      ended_by: null,
      acknowledged_at: null,
      acknowledged_by: null,
      first_alert_id: idBytes(incident.firstAlertId),
      result_id: resultId,
    });
    return { incident, columns: columnsOf(idBytes(incident.id), incident.startedAt, after) };
  }
  const id = row?.incident_id ?? null;
  if (row === undefined || id === null) return { incident: null, columns: noIncident };
  const isEnded = step === 'ends';
  const isReopened = before.acknowledgedAt !== null && after.acknowledgedAt === null && !isEnded;
  if (step !== null || isReopened) {
    rows.changeIncident({
      account_id: row.account_id,
      id,
      kind: step === 'escalates' ? 'failing' : null,
      ended_at: isEnded ? now : null,
      ended_by: isEnded ? 'recovery' : null,
      is_reopened: flag(isReopened),
    });
  }
  const startedAt = row.incident_started_at ?? now;
  const incident = { id: idText(id), startedAt, firstAlertId: null };
  return { incident, columns: isEnded ? noIncident : columnsOf(id, startedAt, after) };
}

const noIncident: IncidentColumns = { incident_id: null, incident_started_at: null, acknowledged_at: null };

function columnsOf(id: IdBytes, startedAt: number, { acknowledgedAt }: CheckState): IncidentColumns {
  return { incident_id: id, incident_started_at: startedAt, acknowledged_at: acknowledgedAt };
}

/** Combines two consecutive changes. */
export function mergedChange(first: IncidentChange | undefined, second: IncidentChange): IncidentChange {
  if (first === undefined) return second;
  return {
    ...second,
    kind: second.kind ?? first.kind,
    ended_at: second.ended_at ?? first.ended_at,
    ended_by: second.ended_by ?? first.ended_by,
    is_reopened: flag(first.is_reopened === 1 || second.is_reopened === 1),
  };
}

/** The row after a change. */
export function changedIncident(row: IncidentsTable, change: IncidentChange): IncidentsTable {
  return {
    ...row,
    kind: change.kind ?? row.kind,
    ended_at: change.ended_at ?? row.ended_at,
    ended_by: change.ended_by ?? row.ended_by,
    // It was opened in this transaction, so it cannot be acknowledged.
  };
}

/** The statement of a change. */
export function incidentChanged({ account_id, id, kind, ended_at, ended_by, is_reopened }: IncidentChange): Statement {
  return {
    text: `UPDATE incidents SET kind = coalesce($3, kind), ended_at = coalesce($4, ended_at),
        ended_by = coalesce($5, ended_by), acknowledged_at = CASE WHEN $6 = 1 THEN NULL ELSE acknowledged_at END,
        acknowledged_by = CASE WHEN $6 = 1 THEN NULL ELSE acknowledged_by END
      WHERE account_id = $1 AND id = $2`,
    values: [account_id, id, kind, ended_at, ended_by, is_reopened],
  };
}
