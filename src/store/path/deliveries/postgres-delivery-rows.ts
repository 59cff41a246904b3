// Rows of deliveries, and attempts in PostgreSQL, for bulk writes.
import type { Attempt } from '#domain/deliveries/delivery.ts';
import { type IdBytes, idBytes, idText } from '../../base/codec.ts';
import { exchangeText } from '../../channels/delivery-rows.ts';
import { type Bulk, inPairs } from '../../engines/postgres/bulk.ts';
import type { Session } from '../../engines/postgres/session.ts';

/** An attempt's row; the database assigns its position in the log. */
function attemptRow(attempt: Attempt) {
  return {
    account_id: idBytes(attempt.accountId),
    delivery_id: idBytes(attempt.deliveryId),
    number: attempt.number,
    started_at: Math.trunc(attempt.startedAt),
    duration_ms: Math.round(attempt.durationMs),
    status: attempt.response?.status ?? null,
    error_class: attempt.error?.class ?? null,
    error_message: attempt.error?.message ?? null,
    next_attempt_at: attempt.nextAttemptAt,
    exchange: exchangeText(attempt),
  };
}

/** Last position in the logs of deliveries, by the text of their IDs; call it while they are locked. */
export async function lastPositions(session: Session, attempts: readonly Attempt[]): Promise<Map<string, number>> {
  if (attempts.length === 0) return new Map();
  const logged = await session.query<{ id: IdBytes; last: number }>(
    `SELECT delivery_id AS id, max(position) AS last FROM attempts WHERE ${inPairs('(account_id, delivery_id)', 1)}
     GROUP BY delivery_id`,
    [attempts.map(({ accountId }) => idBytes(accountId)), attempts.map(({ deliveryId }) => idBytes(deliveryId))],
  );
  return new Map(logged.map(({ id, last }) => [idText(id), last]));
}

/** Appends attempts to the logs of their deliveries; one attempt per delivery. */
export function sendAttempts(bulk: Bulk, attempts: readonly Attempt[], positions: ReadonlyMap<string, number>): void {
  bulk.send(
    'attempts',
    attempts.map((attempt) => ({ ...attemptRow(attempt), position: (positions.get(attempt.deliveryId) ?? 0) + 1 })),
  );
}
