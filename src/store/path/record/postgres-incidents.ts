// Incidents that a batch of recording opens and changes in memory, and their bulk writes.
import { idText } from '../../base/codec.ts';
import type { IncidentsTable } from '../../base/tables/incident-tables.ts';
import type { Bulk } from '../../engines/postgres/bulk.ts';
import type { Session } from '../../engines/postgres/session.ts';
import {
  changedIncident,
  type IncidentChange,
  incidentColumns,
  type IncidentRows,
  mergedChange,
} from './record-incident.ts';

/** Rows to write, each once. */
export interface BatchIncidents {
  readonly rows: IncidentRows;
  /** Incidents opened by the batch, in their final state. */
  readonly opened: ReadonlyMap<string, IncidentsTable>;
  /** Changes of incidents that were open before. */
  readonly changes: ReadonlyMap<string, IncidentChange>;
}

export function createBatchIncidents(): BatchIncidents {
  const opened = new Map<string, IncidentsTable>();
  const changes = new Map<string, IncidentChange>();
  return {
    rows: {
      openIncident: (row) => void opened.set(idText(row.id), row),
      changeIncident(change) {
        const key = idText(change.id);
        const row = opened.get(key);
        if (row === undefined) changes.set(key, mergedChange(changes.get(key), change));
        else opened.set(key, changedIncident(row, change));
      },
    },
    opened,
    changes,
  };
}

export function sendIncidents(session: Session, bulk: Bulk, { opened, changes }: BatchIncidents): void {
  bulk.send('incidents', [...opened.values()]);
  if (changes.size === 0) return;
  const all = [...changes.values()];
  session.send(
    `UPDATE incidents SET ${incidentColumns((column) => `c.${column}`)}
     FROM unnest($1::bytea[], $2::bytea[], $3::text[], $4::bigint[], $5::text[], $6::smallint[])
       AS c (account_id, id, kind, ended_at, ended_by, is_reopened)
     WHERE incidents.account_id = c.account_id AND incidents.id = c.id`,
    [
      all.map(({ account_id }) => account_id),
      all.map(({ id }) => id),
      all.map(({ kind }) => kind),
      all.map(({ ended_at }) => ended_at),
      all.map(({ ended_by }) => ended_by),
      all.map(({ is_reopened }) => is_reopened),
    ],
  );
}
