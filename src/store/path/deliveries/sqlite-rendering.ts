// Rendering of claimed deliveries before their first attempt, in SQLite (docs/decisions/0120).
import type { DeliveryContent, Message, RenderInput } from '#domain/deliveries/delivery.ts';
import { userVariables } from '#domain/deliveries/delivery-variables.ts';
import { idBytes, json, parsed } from '../../base/codec.ts';
import { deliveryStatusCodes } from '../../base/codes.ts';
import { type RenderedDelivery, renderInput, type SettleRules } from '../../channels/delivery-rows.ts';
import { noteEnds } from './channel-outcomes.ts';
import { outcomeEngine } from './sqlite-channel-outcomes.ts';
import { runStatements, type Connection } from '../../engines/sqlite/connection.ts';
import { type Ended, unrenderedEnd } from '../../channels/channel-standing.ts';
import type { Contexts } from '../../checks/sqlite-contexts.ts';

/** Input for rendering these deliveries, in order; null = nothing is stored. */
export function readContents(
  connection: Connection,
  deliveries: readonly Pick<RenderedDelivery, 'accountId' | 'id'>[],
  contexts: Contexts,
): (RenderInput | null)[] {
  const read = connection.prepare(
    `SELECT c.content, a.time_zone FROM delivery_contents c JOIN accounts a ON a.id = c.account_id
     WHERE c.account_id = ? AND c.delivery_id = ?`,
  );
  return deliveries.map(({ accountId, id }) => {
    const row = read.get(idBytes(accountId), idBytes(id));
    if (row === undefined) return null;
    const content = parsed<DeliveryContent>(String(row['content']));
    const { ofAccount, ofGroup } = contexts.variables(connection, accountId, content.groupId);
    return renderInput(
      { ...userVariables(ofAccount, ofGroup), ...content.variables },
      content,
      row['time_zone'] === null ? null : String(row['time_zone']),
    );
  });
}

/** Stores the content of these deliveries, and fails those that could not be rendered; returns the requests. */
export function saveRendered(
  connection: Connection,
  rendered: readonly RenderedDelivery[],
  { owner, now }: SettleRules,
): (Message | null)[] {
  const insert = connection.prepare(
    'INSERT INTO delivery_requests (account_id, delivery_id, request) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  );
  const fail = connection.prepare(
    `UPDATE deliveries SET status = ?, next_attempt_at = NULL, leased_by = NULL, attempt_started_at = NULL, error = ?
     WHERE account_id = ? AND id = ? AND leased_by = ? RETURNING alert_channel_id`,
  );
  const ends: Ended[] = [];
  const requests = rendered.map(({ accountId, id, rendered: one }) => {
    const key = [idBytes(accountId), idBytes(id)] as const;
    if ('request' in one) {
      insert.run(...key, json(one.request));
      return one.request;
    }
    const ended = fail.get(deliveryStatusCodes.encode('failed'), one.error, ...key, owner);
    if (ended !== undefined) {
      ends.push(unrenderedEnd({ accountId, id, rendered: one }, Number(ended['alert_channel_id'])));
    }
    return null;
  });
  runStatements(connection, noteEnds(outcomeEngine, ends, now));
  return requests;
}
