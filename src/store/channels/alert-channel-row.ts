// Maps alert channels to rows.
import { recordMapping } from '../base/records.ts';
import type { AlertChannel } from '#domain/alerts/alert-channel.ts';
import type { JsonObject } from '#domain/json.ts';
import { idText, json, parsed } from '../base/codec.ts';
import type { AlertChannelsTable } from '../base/tables/schema.ts';
import type { Seal } from '../base/seal.ts';

/** Fields of a channel that an edit writes, without secrets. */
const edited = recordMapping<
  Omit<AlertChannel, 'accountId' | 'id' | 'secrets' | 'exhaustedInARow' | 'failingSince' | 'createdAt' | 'updatedAt'>,
  'alert_channels'
>({
  type: 'plain',
  config: 'json',
  sendRecovery: 'flag',
  sendFailure: 'flag',
  sendDegraded: 'flag',
  sslExpiry: 'flag',
  sslExpiryThreshold: 'plain',
  autoSubscribe: 'flag',
  grouping: 'flag',
  activeHours: 'json',
  report: 'json',
});

/** The columns that an edit writes, with encrypted secrets. */
export function channelColumns(channel: AlertChannel, seal: Seal) {
  const { secrets } = channel;
  return { ...edited.rowOf(channel), secrets: Object.keys(secrets).length === 0 ? null : seal.seal(json(secrets)) };
}

/** The record of a row, with decrypted secrets. */
export function channelOf(row: AlertChannelsTable, seal: Seal): AlertChannel {
  return {
    ...edited.recordOf(row),
    accountId: idText(row.account_id),
    id: row.id,
    secrets: row.secrets === null ? {} : parsed<JsonObject>(seal.open(row.secrets)),
    exhaustedInARow: row.exhausted_in_a_row,
    failingSince: row.failing_since,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
