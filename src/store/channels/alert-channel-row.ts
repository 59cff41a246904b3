import type { AlertChannel, ChannelType } from '#domain/alerts/alert-channel.ts';
import type { JsonObject } from '#domain/json.ts';
import { idText, parsed } from '../base/codec.ts';
import type { AlertChannelsTable } from '../base/tables/schema.ts';
import type { Seal } from '../base/seal.ts';

/** The record of a row; its secrets are opened. */
export function channelOf(row: AlertChannelsTable, seal: Seal): AlertChannel {
  const previous = row.previous_secret;
  return {
    accountId: idText(row.account_id),
    id: row.id,
    type: row.type as ChannelType,
    config: parsed<JsonObject>(row.config),
    secret: row.secret === null ? null : seal.open(row.secret),
    previousSecret: previous === null ? null : { secret: seal.open(previous), until: row.previous_secret_until ?? 0 },
    sendRecovery: row.send_recovery === 1,
    sendFailure: row.send_failure === 1,
    sendDegraded: row.send_degraded === 1,
    sslExpiry: row.ssl_expiry === 1,
    sslExpiryThreshold: row.ssl_expiry_threshold,
    autoSubscribe: row.auto_subscribe === 1,
    exhaustedInARow: row.exhausted_in_a_row,
    failingSince: row.failing_since,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
