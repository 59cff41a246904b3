// Incidents of checks as the API reads them.
import { countFound, findRow, inAccount, selectRows } from '../base/rows.ts';
import type { ExpressionBuilder } from 'kysely';
import type { Acknowledger, Incident, IncidentEnd, IncidentKind } from '#domain/alerts/incident.ts';
import { acknowledgeIncident, unacknowledgeIncident } from './acknowledge-incident.ts';
import { alertOf, alertRows, type StoredAlert } from './check-alerts.ts';
import { firstIdAt, idBytes, idText, idTextOrNull, parsedOrNull } from '../base/codec.ts';
import type { Database, Page, Slice } from '../base/database.ts';
import type { Db, Tables } from '../base/tables/schema.ts';
import type { IncidentsTable } from '../base/tables/incident-tables.ts';

/** Incidents opened in a time range (epoch ms, inclusive); null = unbounded. */
export interface IncidentFilter {
  readonly from: number | null;
  readonly to: number | null;
  readonly checkId: string | null;
  readonly state: 'open' | 'ended' | null;
}

export function createIncidents({ reader, transaction }: Database) {
  return {
    /** Newest first. */
    async list(
      accountId: string,
      { from, to, checkId, state }: IncidentFilter,
      { limit, offset }: Slice,
    ): Promise<Page<Incident>> {
      let matching = selectRows(reader, 'incidents', { account_id: idBytes(accountId) });
      if (from !== null) matching = matching.where('id', '>=', firstIdAt(from));
      if (to !== null) matching = matching.where('id', '<', firstIdAt(to + 1));
      if (checkId !== null) matching = matching.where('check_id', '=', idBytes(checkId));
      if (state !== null) matching = matching.where('ended_at', state === 'open' ? 'is' : 'is not', null);
      // IDs first, which the indexes cover: SQLite would otherwise read all incidents of the account.
      const ids = matching.select('id').orderBy('id', 'desc').limit(limit).offset(offset);
      const rows = await incidentRows(reader, accountId)
        .where('incidents.id', 'in', ids)
        .orderBy('incidents.id', 'desc')
        .execute();
      const total = await countFound(matching);
      return { rows: rows.map(incidentOf), total };
    },
    async find(accountId: string, id: string): Promise<Incident | null> {
      const row = await incidentRows(reader, accountId).where('incidents.id', '=', idBytes(id)).executeTakeFirst();
      return row === undefined ? null : incidentOf(row);
    },
    /** The incident of an alert, if it has one; null = unknown alert. */
    async ofAlert(accountId: string, alertId: string): Promise<{ readonly incidentId: string | null } | null> {
      const key = { account_id: idBytes(accountId), id: idBytes(alertId) };
      const row = await findRow(reader, 'alerts', key, ['incident_id']);
      return row === undefined ? null : { incidentId: idTextOrNull(row.incident_id) };
    },
    /** Acknowledges it and cancels pending reminders. @param at epoch ms */
    acknowledge: (accountId: string, id: string, by: Acknowledger, at: number) =>
      transaction((tx) => acknowledgeIncident(tx, accountId, id, by, at)),
    /** Takes the acknowledgement back. */
    unacknowledge: (accountId: string, id: string) => transaction((tx) => unacknowledgeIncident(tx, accountId, id)),
    /** Its newest alerts, newest first. */
    async alerts(accountId: string, id: string, max: number): Promise<StoredAlert[]> {
      const rows = await alertRows(reader)
        .where('alerts.account_id', '=', idBytes(accountId))
        .where('alerts.incident_id', '=', idBytes(id))
        .orderBy('alerts.id', 'desc')
        .limit(max)
        .execute();
      return rows.map(alertOf);
    },
  };
}

/** Who acknowledged the open incident of a state: a subquery. */
export function acknowledgedBy(row: ExpressionBuilder<Tables, 'check_states'>) {
  return row
    .selectFrom('incidents')
    .select('acknowledged_by')
    .whereRef('incidents.account_id', '=', 'check_states.account_id')
    .whereRef('incidents.id', '=', 'check_states.incident_id');
}

/** Incidents with the error of their first alert. */
function incidentRows(reader: Db, accountId: string) {
  return reader
    .selectFrom('incidents')
    .leftJoin('alerts', inAccount('alerts.id', 'incidents.first_alert_id'))
    .selectAll('incidents')
    .select('alerts.error')
    .where('incidents.account_id', '=', idBytes(accountId));
}

function incidentOf(row: IncidentsTable & { readonly error: string | null }): Incident {
  return {
    accountId: idText(row.account_id),
    id: idText(row.id),
    checkId: idText(row.check_id),
    checkName: row.check_name,
    checkType: row.check_type,
    kind: row.kind as IncidentKind,
    startedAt: row.started_at,
    openedAt: row.opened_at,
    endedAt: row.ended_at,
    endedBy: row.ended_by as IncidentEnd | null,
    acknowledgedAt: row.acknowledged_at,
    acknowledgedBy: parsedOrNull<Acknowledger>(row.acknowledged_by),
    firstAlertId: idText(row.first_alert_id),
    resultId: idText(row.result_id),
    error: row.error,
  };
}
