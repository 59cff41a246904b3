// Rendering of claimed deliveries before their first attempt, in PostgreSQL (docs/decisions/0120).
import type { DeliveryContent, Message, RenderInput } from '#domain/deliveries/delivery.ts';
import { userVariables } from '#domain/deliveries/delivery-variables.ts';
import { type IdBytes, idBytes, idText, json, parsed } from '../../base/codec.ts';
import { deliveryStatusCodes } from '../../base/codes.ts';
import { type RenderedDelivery, renderInput, type SettleRules } from '../../channels/delivery-rows.ts';
import { noteEnds } from './channel-outcomes.ts';
import { outcomeEngine } from './postgres-channel-outcomes.ts';
import { runStatements } from '../../engines/postgres/statements.ts';
import { unrenderedEnd } from '../../channels/channel-standing.ts';
import { type Bulk, inPairs } from '../../engines/postgres/bulk.ts';
import type { Contexts } from '../../checks/postgres-contexts.ts';
import type { Session } from '../../engines/postgres/session.ts';

type OwnedId = Pick<RenderedDelivery, 'accountId' | 'id'>;

function keysOf(deliveries: readonly OwnedId[]): [IdBytes[], IdBytes[]] {
  return [deliveries.map(({ accountId }) => idBytes(accountId)), deliveries.map(({ id }) => idBytes(id))];
}

/** Input for rendering these deliveries, in order; null = nothing is stored. */
export async function readContents(
  session: Session,
  deliveries: readonly OwnedId[],
  contexts: Contexts,
): Promise<(RenderInput | null)[]> {
  const rows = await session.query<{ id: IdBytes; content: string; time_zone: string | null }>(
    `SELECT c.delivery_id AS id, c.content, a.time_zone FROM delivery_contents c JOIN accounts a ON a.id = c.account_id
     WHERE ${inPairs('(c.account_id, c.delivery_id)', 1)}`,
    keysOf(deliveries),
  );
  const byId = new Map(
    rows.map((row) => [idText(row.id), { content: parsed<DeliveryContent>(row.content), timeZone: row.time_zone }]),
  );
  const contents = deliveries.map(({ accountId, id }) => ({
    accountId,
    ...(byId.get(id) ?? { content: null, timeZone: null }),
  }));
  const users = await contexts.variables(
    session,
    contents.map(({ accountId, content }) => ({ accountId, groupId: content?.groupId ?? null })),
  );
  return contents.map(({ content, timeZone }, index) => {
    const { ofAccount, ofGroup } = users[index] ?? { ofAccount: [], ofGroup: [] };
    if (content === null) return null;
    return renderInput({ ...userVariables(ofAccount, ofGroup), ...content.variables }, content, timeZone);
  });
}

/** Stores the content of these deliveries, and fails those that could not be rendered; returns the requests. */
export async function saveRendered(
  session: Session,
  bulk: Bulk,
  rendered: readonly RenderedDelivery[],
  { owner, now }: SettleRules,
): Promise<(Message | null)[]> {
  const requests = rendered.flatMap(({ accountId, id, rendered: one }) =>
    'request' in one ? [{ account_id: idBytes(accountId), delivery_id: idBytes(id), request: json(one.request) }] : [],
  );
  bulk.send('delivery_requests', requests, 'ON CONFLICT DO NOTHING');
  const failed = rendered.flatMap((one) => ('error' in one.rendered ? [{ ...one, error: one.rendered.error }] : []));
  if (failed.length > 0) {
    const ended = await session.query<{ id: IdBytes; alert_channel_id: number }>(
      `UPDATE deliveries d SET status = $5, next_attempt_at = NULL, leased_by = NULL, attempt_started_at = NULL,
         error = f.error
       FROM unnest($1::bytea[], $2::bytea[], $3::text[]) AS f (account_id, id, error)
       WHERE d.account_id = f.account_id AND d.id = f.id AND d.leased_by IS NOT DISTINCT FROM $4
       RETURNING d.id, d.alert_channel_id`,
      [
        ...keysOf(failed),
        failed.map(({ error }) => error.replaceAll('\0', '\ufffd')),
        owner,
        deliveryStatusCodes.encode('failed'),
      ],
    );
    const channelOf = new Map(ended.map((row) => [idText(row.id), row.alert_channel_id]));
    const ends = failed.flatMap((one) => {
      const channel = channelOf.get(one.id);
      return channel === undefined ? [] : unrenderedEnd(one, channel);
    });
    await runStatements(session, noteEnds(outcomeEngine, ends, now));
  }
  const stored = await session.query<{ id: IdBytes; request: string }>(
    `SELECT delivery_id AS id, request FROM delivery_requests WHERE ${inPairs('(account_id, delivery_id)', 1)}`,
    keysOf(rendered),
  );
  // Another process may have rendered it since the lease expired: every attempt must send the same bytes.
  const requestOf = new Map(stored.map(({ id, request }) => [idText(id), parsed<Message>(request)]));
  return rendered.map(({ id }) => requestOf.get(id) ?? null);
}
