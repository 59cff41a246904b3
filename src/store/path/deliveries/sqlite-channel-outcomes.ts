// Clears the failures of channels that receive, in SQLite; the rules are in channel-outcomes.ts.
import { idBytes } from '../../base/codec.ts';
import { type OutcomeEngine, receivingColumns } from './channel-outcomes.ts';

/** One statement for each channel. */
export const outcomeEngine: OutcomeEngine = {
  locking: '',
  clear: (channels) =>
    channels.map(({ accountId, alertChannelId }) => ({
      text: `UPDATE alert_channels SET ${receivingColumns} WHERE account_id = $1 AND id = $2 AND exhausted_in_a_row > 0`,
      values: [idBytes(accountId), alertChannelId],
    })),
};
