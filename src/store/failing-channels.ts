// Channels that do not receive any more, as notices and metrics read them.
import { idBytes, parsed } from './codec.ts';
import type { Database } from './database.ts';

/** A channel whose last five deliveries were all in vain. */
export interface FailingChannel {
  readonly alertChannelId: number;
  readonly name: string;
  /** Epoch ms. */
  readonly failingSince: number;
  readonly exhaustedInARow: number;
}

export interface FailingChannels {
  /** Failing for the longest first. */
  list(accountId: string): Promise<FailingChannel[]>;
}

export function createFailingChannels({ reader }: Database): FailingChannels {
  return {
    async list(accountId) {
      const rows = await reader
        .selectFrom('alert_channels')
        .select(['id', 'config', 'failing_since', 'exhausted_in_a_row'])
        .where('account_id', '=', idBytes(accountId))
        .where('failing_since', 'is not', null)
        .orderBy('failing_since')
        .orderBy('id')
        .execute();
      return rows.map((row) => ({
        alertChannelId: row.id,
        name: parsed<{ name?: string }>(row.config).name ?? `alert channel ${row.id}`,
        failingSince: row.failing_since ?? 0,
        exhaustedInARow: row.exhausted_in_a_row,
      }));
    },
  };
}
