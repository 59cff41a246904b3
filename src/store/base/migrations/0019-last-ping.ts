// The last ping of each heartbeat, which messages name (docs/heartbeats.md).
import type { Dialect } from '../dialect.ts';

/** Null until the next ping. */
export function lastPing({ types }: Dialect): string[] {
  return [`ALTER TABLE heartbeats ADD COLUMN pinged_at ${types.instant}`];
}
