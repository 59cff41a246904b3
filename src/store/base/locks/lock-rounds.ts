// Transactions that must block the planning rounds of schedules (docs/decisions/0036).
import type { Db } from '../tables/schema.ts';

const asked = new WeakSet<Db>();
const holders = new WeakSet<Db>();

/**
 * Blocks planning of schedules in step until the transaction ends; a transaction that began before a round moved is
 * repeated. One that changes a thousand checks blocks them once.
 */
export async function lockRounds(tx: Db): Promise<void> {
  if (holders.has(tx)) return;
  asked.add(tx);
  // All of them at once, because the change may affect several intervals.
  await tx
    .updateTable('schedule_rounds')
    .set((round) => ({ planned_to: round.ref('planned_to') }))
    .execute();
  holders.add(tx);
}

/** Whether the transaction needed the lock: a repetition should take it from its first statement on. */
export function needsRounds(tx: Db): boolean {
  return asked.has(tx);
}

/** The transaction has blocked the rounds by other means. */
export function noteHolder(tx: Db): void {
  holders.add(tx);
}
