// Transactions that change the settings of heartbeats, while pings move their rows many times a second.
import type { Kysely } from 'kysely';
import type { Tables } from '../../base/tables/schema.ts';

const asked = new WeakSet<Kysely<Tables>>();

/** The transaction writes rows that pings move: one that loses the race is repeated with pings held back. */
export function noteHeartbeatWriter(tx: Kysely<Tables>): void {
  asked.add(tx);
}

export function writesHeartbeats(tx: Kysely<Tables>): boolean {
  return asked.has(tx);
}
