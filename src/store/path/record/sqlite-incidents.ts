// Rows of incidents in SQLite.
import type { Connection } from '../../engines/sqlite/connection.ts';
import { insertRow } from '../../engines/sqlite/many-rows.ts';
import { incidentColumns, type IncidentRows } from './record-incident.ts';

export function incidentRowsOf(connection: Connection): IncidentRows {
  return {
    openIncident: (row) => void insertRow(connection, 'incidents', row),
    changeIncident: ({ account_id, id, kind, ended_at, ended_by, is_reopened }) =>
      void connection
        .prepare(`UPDATE incidents SET ${change} WHERE account_id = ?5 AND id = ?6`)
        .run(kind, ended_at, ended_by, is_reopened, account_id, id),
  };
}

const places: Readonly<Record<string, string>> = { kind: '?1', ended_at: '?2', ended_by: '?3', is_reopened: '?4' };
const change = incidentColumns((column) => places[column] ?? '');
