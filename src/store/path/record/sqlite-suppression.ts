// Reads needed checks in SQLite; the decisions are in suppression.ts.
import { type IdBytes, idBytes } from '../../base/codec.ts';
import type { CheckStatesTable } from '../../base/tables/schema.ts';
import type { Contexts } from '../../checks/sqlite-contexts.ts';
import type { Connection } from '../../engines/sqlite/connection.ts';
import { readState } from './sqlite-check-states.ts';
import {
  type FailureMessageRow,
  type KnownNeeded,
  knownNeeded,
  messageColumns,
  messageJoins,
  messageOf,
} from './suppression.ts';

/**
 * The needed checks of a transaction.
 * @param stateOf finds states that it has not written yet
 */
export function suppressionRowsOf(
  connection: Connection,
  contexts: Pick<Contexts, 'read'>,
  stateOf: (...key: [IdBytes, IdBytes]) => CheckStatesTable | undefined = () => undefined,
): KnownNeeded {
  return knownNeeded((accountId, checkId) => {
    const context = contexts.read(connection, accountId, checkId);
    if (context === null) return null;
    const key: [IdBytes, IdBytes] = [idBytes(accountId), idBytes(checkId)];
    return {
      context,
      state: stateOf(...key) ?? readState(connection, ...key),
      messages: () =>
        connection
          .select<FailureMessageRow>(messages)(...key)
          .map(messageOf),
      hasChannel: () => connection.prepare(channel).get(...key, context.check.groupId) !== undefined,
    };
  });
}

const messages = `SELECT ${messageColumns} FROM notified t ${messageJoins} WHERE t.account_id = ? AND t.check_id = ?`;

const channel = `SELECT 1 FROM subscriptions s
  JOIN alert_channels c ON c.account_id = s.account_id AND c.id = s.alert_channel_id AND c.send_failure = 1
  WHERE s.account_id = ?1 AND (s.check_id = ?2 OR s.group_id = ?3) AND s.activated = 1 LIMIT 1`;
