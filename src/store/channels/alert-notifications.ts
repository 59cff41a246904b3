// Notifications as the API lists them: deliveries with their alerts.
import { findRows } from '../base/rows.ts';
import type { JsonObject } from '#domain/json.ts';
import { idBytes, idText, parsed } from '../base/codec.ts';
import type { Database } from '../base/database.ts';

/** Additional data for a list of notifications. */
export interface NotificationFacts {
  /** Existing channels, by ID. */
  readonly channels: ReadonlyMap<number, { readonly type: string; readonly config: JsonObject }>;
  /** Types of the checks, by alert id. */
  readonly checkTypes: ReadonlyMap<string, string>;
}

/** Reads the data around deliveries. */
export function createAlertNotifications({ reader }: Database) {
  return {
    async facts(
      accountId: string,
      {
        alertChannelIds,
        alertIds,
      }: { readonly alertChannelIds: readonly number[]; readonly alertIds: readonly string[] },
    ): Promise<NotificationFacts> {
      if (alertChannelIds.length === 0) return { channels: new Map(), checkTypes: new Map() };
      const channels = await findRows(
        reader,
        'alert_channels',
        { account_id: idBytes(accountId), id: alertChannelIds },
        ['id', 'type', 'config'],
      );
      const alerts = await reader
        .selectFrom('alerts')
        .select(['id', 'check_type'])
        .where('account_id', '=', idBytes(accountId))
        // An empty list is invalid SQL; no alert has an ID of zeros.
        .where('id', 'in', [new Uint8Array(16), ...alertIds.map(idBytes)])
        .execute();
      return {
        channels: new Map(channels.map((row) => [row.id, { type: row.type, config: parsed<JsonObject>(row.config) }])),
        checkTypes: new Map(alerts.map((row) => [idText(row.id), row.check_type])),
      };
    },
  };
}
