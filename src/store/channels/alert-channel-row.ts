import type { AlertChannel } from '#domain/alerts/alert-channel.ts';
import type { JsonObject } from '#domain/json.ts';
import type { ActiveHours } from '#domain/alerts/active-hours.ts';
import type { ReportSchedule } from '#domain/results/account-report.ts';
import { idText, parsed, parsedOrNull } from '../base/codec.ts';
import type { AlertChannelsTable } from '../base/tables/schema.ts';
import type { Seal } from '../base/seal.ts';

/** The record of a row, with decrypted secrets. */
export function channelOf(row: AlertChannelsTable, seal: Seal): AlertChannel {
  return {
    accountId: idText(row.account_id),
    id: row.id,
    type: row.type,
    config: parsed<JsonObject>(row.config),
    secrets: row.secrets === null ? {} : parsed<JsonObject>(seal.open(row.secrets)),
    sendRecovery: row.send_recovery === 1,
    sendFailure: row.send_failure === 1,
    sendDegraded: row.send_degraded === 1,
    sslExpiry: row.ssl_expiry === 1,
    sslExpiryThreshold: row.ssl_expiry_threshold,
    autoSubscribe: row.auto_subscribe === 1,
    grouping: row.grouping === 1,
    activeHours: parsedOrNull<ActiveHours>(row.active_hours),
    report: parsedOrNull<ReportSchedule>(row.report),
    exhaustedInARow: row.exhausted_in_a_row,
    failingSince: row.failing_since,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
