// Alerts as the API reads them.
import { countFound, inAccount, selectRows } from '../base/rows.ts';
import type { Alert, AlertType } from '#domain/alerts/alert.ts';
import type { Suppressor } from '#domain/alerts/suppression.ts';
import type { Acknowledger } from '#domain/alerts/incident.ts';
import { firstIdAt, idBytes, idText, idTextOrNull, parsedOrNull } from '../base/codec.ts';
import type { Database, Page, Slice } from '../base/database.ts';
import type { IncidentsTable } from '../base/tables/incident-tables.ts';
import type { AlertsTable, Db } from '../base/tables/schema.ts';

/** An alert with its facts. Times are epoch ms. */
export interface StoredAlert extends Alert {
  readonly checkName: string;
  readonly checkType: string;
  readonly location: string;
  /** ms with decimals; null without a response. */
  readonly responseTimeMs: number | null;
  readonly error: string | null;
  readonly statusCode: number | null;
  readonly startedAt: number;
  /** null = about a certificate. */
  readonly incidentId: string | null;
  /** Of its incident, epoch ms. */
  readonly acknowledgedAt: number | null;
  readonly acknowledgedBy: Acknowledger | null;
  /** The failing dependency that suppressed this alert; null = none. */
  readonly suppressedBy: Suppressor | null;
}

/** Alerts raised in a time range (epoch ms, inclusive), of one check or of all. */
export interface AlertFilter {
  readonly from: number;
  readonly to: number;
  readonly checkId: string | null;
}

export function createCheckAlerts({ reader }: Database) {
  return {
    /** Newest first. */
    async list(accountId: string, filter: AlertFilter, { limit, offset }: Slice): Promise<Page<StoredAlert>> {
      const { from, to, checkId } = filter;
      const inTime = selectRows(reader, 'alerts', { account_id: idBytes(accountId) })
        .where('id', '>=', firstIdAt(from))
        .where('id', '<', firstIdAt(to + 1));
      const matching = checkId === null ? inTime : inTime.where('check_id', '=', idBytes(checkId));
      const ids = matching.select('id').orderBy('id', 'desc').limit(limit).offset(offset);
      const rows = await alertRows(reader)
        .where('alerts.account_id', '=', idBytes(accountId))
        .where('alerts.id', 'in', ids)
        .orderBy('alerts.id', 'desc')
        .execute();
      const total = await countFound(matching);
      return { rows: rows.map(alertOf), total };
    },
  };
}

/** Alerts with the acknowledgement of their incident. */
export function alertRows(reader: Db) {
  return reader
    .selectFrom('alerts')
    .leftJoin('incidents', inAccount('incidents.id', 'alerts.incident_id'))
    .selectAll('alerts')
    .select(['incidents.acknowledged_at', 'incidents.acknowledged_by']);
}

/** A stored alert. */
export function alertOf(row: AlertsTable & Pick<IncidentsTable, 'acknowledged_at' | 'acknowledged_by'>): StoredAlert {
  return {
    accountId: idText(row.account_id),
    id: idText(row.id),
    checkId: idText(row.check_id),
    resultId: idText(row.result_id),
    alertType: row.alert_type as AlertType,
    createdAt: row.created_at,
    checkName: row.check_name,
    checkType: row.check_type,
    location: row.location,
    responseTimeMs: row.response_us === null ? null : row.response_us / 1000,
    error: row.error,
    statusCode: row.status_code,
    startedAt: row.started_at,
    incidentId: idTextOrNull(row.incident_id),
    acknowledgedAt: row.acknowledged_at,
    acknowledgedBy: parsedOrNull<Acknowledger>(row.acknowledged_by),
    suppressedBy: parsedOrNull<Suppressor>(row.suppressed_by),
  };
}
