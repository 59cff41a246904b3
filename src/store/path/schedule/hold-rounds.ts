// Transactions that need the rounds of schedules to stand still (docs/decisions/0036).
import type { Kysely } from 'kysely';
import type { Tables } from '../../base/tables/schema.ts';

const asked = new WeakSet<Kysely<Tables>>();
const holders = new WeakSet<Kysely<Tables>>();

/**
 * Nobody plans a schedule in step until the transaction ends; one that began before a round moved is repeated. One that
 * changes a thousand checks holds them once.
 */
export async function holdRounds(tx: Kysely<Tables>): Promise<void> {
  if (holders.has(tx)) return;
  asked.add(tx);
  // All of them at once: what is changed may be of several intervals.
  await tx
    .updateTable('schedule_rounds')
    .set((round) => ({ planned_to: round.ref('planned_to') }))
    .execute();
  holders.add(tx);
}

/** Whether the transaction needed the rounds: repeated, it had better hold them from its first statement on. */
export function hasAskedForRounds(tx: Kysely<Tables>): boolean {
  return asked.has(tx);
}

/** The transaction holds the rounds by other means. */
export function noteHolder(tx: Kysely<Tables>): void {
  holders.add(tx);
}
