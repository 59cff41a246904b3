// Transactions that change the settings of heartbeats while pings update their rows many times a second.
import type { Db } from '../tables/schema.ts';

const asked = new WeakSet<Db>();

/** Marks a transaction that writes rows that pings update: after a conflict, it is repeated with pings blocked. */
export function noteHeartbeatWriter(tx: Db): void {
  asked.add(tx);
}

export function writesHeartbeats(tx: Db): boolean {
  return asked.has(tx);
}
