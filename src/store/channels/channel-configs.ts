// Configurations of all channels, for compiling their templates and reporting invalid ones.
import { sql } from 'kysely';
import type { JsonObject } from '#domain/json.ts';
import { idBytes, idText, parsed } from '../base/codec.ts';
import type { Database } from '../base/database.ts';

/** Identifies a channel. */
export interface ChannelPlace {
  readonly accountId: string;
  readonly id: number;
}

/** A channel's configuration. */
export interface ChannelConfig extends ChannelPlace {
  readonly type: string;
  readonly config: JsonObject;
  /** When it was last written, epoch ms. */
  readonly writtenAt: number;
}

export function createChannelConfigs({ reader }: Database) {
  const writtenAt = sql<number>`coalesce(updated_at, created_at)`;
  const columns = () =>
    reader.selectFrom('alert_channels').select(['account_id', 'id', 'type', 'config', 'created_at', 'updated_at']);
  const configOf = (row: Awaited<ReturnType<ReturnType<typeof columns>['execute']>>[number]): ChannelConfig => ({
    accountId: idText(row.account_id),
    id: row.id,
    type: row.type,
    config: parsed<JsonObject>(row.config),
    writtenAt: row.updated_at ?? row.created_at,
  });
  return {
    /** The next ones, ordered by account and ID; null = from the start. */
    async after(place: ChannelPlace | null, limit: number): Promise<ChannelConfig[]> {
      let query = columns().orderBy('account_id').orderBy('id').limit(limit);
      if (place !== null) {
        const account = idBytes(place.accountId);
        query = query.where((eb) =>
          eb.or([eb('account_id', '>', account), eb.and([eb('account_id', '=', account), eb('id', '>', place.id)])]),
        );
      }
      return (await query.execute()).map(configOf);
    },
    /** Written at or after a time (epoch ms), oldest first. */
    async writtenSince(at: number, limit: number): Promise<ChannelConfig[]> {
      const query = columns().where(writtenAt, '>=', at).orderBy(writtenAt).limit(limit);
      return (await query.execute()).map(configOf);
    },
  };
}
