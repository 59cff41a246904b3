// Notifications as the API lists them: deliveries with the alert that they tell of.
import type { JsonObject } from '#domain/json.ts';
import { idBytes, idText, parsed } from '../base/codec.ts';
import type { Database } from '../base/database.ts';

/** What a list of notifications says of each delivery beyond the delivery itself. */
export interface NotificationFacts {
  /** Channels that still exist, by id. */
  readonly channels: ReadonlyMap<number, { readonly type: string; readonly config: JsonObject }>;
  /** Types of the checks, by alert id. */
  readonly checkTypes: ReadonlyMap<string, string>;
}

/** What stands around deliveries. */
export interface AlertNotifications {
  facts(
    accountId: string,
    of: { readonly alertChannelIds: readonly number[]; readonly alertIds: readonly string[] },
  ): Promise<NotificationFacts>;
}

export function createAlertNotifications({ reader }: Database): AlertNotifications {
  return {
    async facts(accountId, { alertChannelIds, alertIds }) {
      if (alertChannelIds.length === 0) return { channels: new Map(), checkTypes: new Map() };
      const channels = await reader
        .selectFrom('alert_channels')
        .select(['id', 'type', 'config'])
        .where('account_id', '=', idBytes(accountId))
        .where('id', 'in', alertChannelIds)
        .execute();
      const alerts = await reader
        .selectFrom('alerts')
        .select(['id', 'check_type'])
        .where('account_id', '=', idBytes(accountId))
        // Never an empty list, which is no SQL: no alert has the id of zeros.
        .where('id', 'in', [new Uint8Array(16), ...alertIds.map(idBytes)])
        .execute();
      return {
        channels: new Map(channels.map((row) => [row.id, { type: row.type, config: parsed<JsonObject>(row.config) }])),
        checkTypes: new Map(alerts.map((row) => [idText(row.id), row.check_type])),
      };
    },
  };
}
