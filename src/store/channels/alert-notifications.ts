// Notifications as the API lists them: deliveries with their alerts.
import { findRows } from '../base/rows.ts';
import type { JsonObject } from '#domain/json.ts';
import { idBytes, idText, parsed } from '../base/codec.ts';
import type { Database } from '../base/database.ts';

/** Reads the data around deliveries. */
export function createAlertNotifications({ reader }: Database) {
  return {
    async facts(
      accountId: string,
      {
        alertChannelIds,
        alertIds,
      }: { readonly alertChannelIds: readonly number[]; readonly alertIds: readonly string[] },
    ) {
      const account_id = idBytes(accountId);
      const channelKey = { account_id, id: alertChannelIds };
      const channels = await findRows(reader, 'alert_channels', channelKey, ['id', 'type', 'config']);
      const alerts = await findRows(reader, 'alerts', { account_id, id: alertIds.map(idBytes) }, ['id', 'check_type']);
      return {
        channels: new Map(channels.map((row) => [row.id, { type: row.type, config: parsed<JsonObject>(row.config) }])),
        checkTypes: new Map(alerts.map((row) => [idText(row.id), row.check_type])),
      };
    },
  };
}
