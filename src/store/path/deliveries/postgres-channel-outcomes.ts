// Records what the ends of deliveries mean for their channels, in PostgreSQL; the rules are in channel-outcomes.ts.
import { idBytes } from '../../base/codec.ts';
import { inPairs } from '../../engines/postgres/bulk.ts';
import { type OutcomeEngine, receivingColumns } from './channel-outcomes.ts';

/** Locks channels in the order of their keys. */
export const outcomeEngine: OutcomeEngine = {
  locking: 'FOR NO KEY UPDATE',
  clear: (channels) => [
    {
      text: `UPDATE alert_channels SET ${receivingColumns}
        WHERE (account_id, id) IN (
          SELECT account_id, id FROM alert_channels WHERE ${inPairs('(account_id, id)', 1, 'bigint')}
            AND exhausted_in_a_row > 0 ORDER BY account_id, id FOR NO KEY UPDATE)`,
      values: [
        channels.map(({ accountId }) => idBytes(accountId)),
        channels.map(({ alertChannelId }) => alertChannelId),
      ],
    },
  ],
};
