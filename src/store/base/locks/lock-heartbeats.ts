// Transactions that change the settings of heartbeats while pings update their rows many times a second.
import type { Kysely } from 'kysely';
import type { Tables } from '../tables/schema.ts';

const asked = new WeakSet<Kysely<Tables>>();

/** Marks a transaction that writes rows that pings update: after a conflict, it is repeated with pings blocked. */
export function noteHeartbeatWriter(tx: Kysely<Tables>): void {
  asked.add(tx);
}

export function writesHeartbeats(tx: Kysely<Tables>): boolean {
  return asked.has(tx);
}
