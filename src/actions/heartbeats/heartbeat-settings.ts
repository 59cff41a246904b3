// The settings of heartbeat checks on their way in and out: the token is the server's, and shown to who may start checks.
import { type Caller, mayDo } from '#domain/accounts/api-key.ts';
import type { JsonObject } from '#domain/json.ts';
import { objectOrNull } from '../masking.ts';

/** What a write means: the token stays what it is, and is made when there is none. */
export function heartbeatMeant(written: JsonObject, present: JsonObject, newToken: () => string): JsonObject {
  const stored = objectOrNull(present['heartbeat']);
  const wanted = objectOrNull(written['heartbeat']);
  return { ...stored, ...wanted, pingToken: stored?.['pingToken'] ?? newToken() };
}

/** As a caller may see it. @param pingUrl where a token is pinged */
export function shownHeartbeat(caller: Caller, heartbeat: JsonObject, pingUrl: (token: string) => string): JsonObject {
  const token = heartbeat['pingToken'];
  if (typeof token !== 'string' || !mayDo(caller.role, 'run')) return { ...heartbeat, pingToken: null, pingUrl: null };
  return { ...heartbeat, pingUrl: pingUrl(token) };
}
