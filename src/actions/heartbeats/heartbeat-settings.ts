// Converts settings of heartbeat checks: the server creates the token and shows it only to callers who may start
// checks.
import { type Caller, mayDo } from '#domain/accounts/api-key.ts';
import type { JsonObject } from '#domain/json.ts';
import { objectOrNull } from '../masking.ts';

/** Settings of a request with the token: the existing one, or a new one. */
export function mergedHeartbeat(written: JsonObject, present: JsonObject, newToken: () => string): JsonObject {
  const stored = objectOrNull(present['heartbeat']);
  const wanted = objectOrNull(written['heartbeat']);
  return { ...stored, ...wanted, pingToken: stored?.['pingToken'] ?? newToken() };
}

/** Settings in a response. @param pingUrl returns the ping URL of a token */
export function shownHeartbeat(caller: Caller, heartbeat: JsonObject, pingUrl: (token: string) => string): JsonObject {
  const token = heartbeat['pingToken'];
  if (typeof token !== 'string' || !mayDo(caller.role, 'run')) return { ...heartbeat, pingToken: null, pingUrl: null };
  return { ...heartbeat, pingUrl: pingUrl(token) };
}
