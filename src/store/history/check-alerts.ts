// Alerts as the API reads them.
import type { Alert, AlertType } from '#domain/alerts/alert.ts';
import { firstIdAt, idBytes, idText } from '../base/codec.ts';
import type { Database } from '../base/database.ts';
import type { AlertsTable } from '../base/tables/schema.ts';

/** An alert with what it told of. Instants are epoch ms. */
export interface StoredAlert extends Alert {
  readonly checkName: string;
  readonly checkType: string;
  readonly location: string;
  /** ms with decimals; null when there was no answer. */
  readonly responseTimeMs: number | null;
  readonly error: string | null;
  readonly statusCode: number | null;
  readonly startedAt: number;
}

/** Alerts raised in a span of time (epoch ms, both ends included), of one check or of all. */
export interface AlertFilter {
  readonly from: number;
  readonly to: number;
  readonly checkId: string | null;
}

export interface CheckAlerts {
  /** Newest first. */
  list(
    accountId: string,
    filter: AlertFilter,
    page: { limit: number; offset: number },
  ): Promise<{ rows: StoredAlert[]; total: number }>;
}

export function createCheckAlerts({ reader }: Database): CheckAlerts {
  return {
    async list(accountId, { from, to, checkId }, { limit, offset }) {
      const inTime = reader
        .selectFrom('alerts')
        .where('account_id', '=', idBytes(accountId))
        .where('id', '>=', firstIdAt(from))
        .where('id', '<', firstIdAt(to + 1));
      const matching = checkId === null ? inTime : inTime.where('check_id', '=', idBytes(checkId));
      const rows = await matching.selectAll().orderBy('id', 'desc').limit(limit).offset(offset).execute();
      const { total } = await matching.select((row) => row.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
      return { rows: rows.map(alertOf), total };
    },
  };
}

function alertOf(row: AlertsTable): StoredAlert {
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
  };
}
