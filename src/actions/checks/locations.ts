// The run locations (decisions: Checks, `locations`).
import type { Caller } from '#domain/accounts/api-key.ts';
import type { ShownLocation } from '#domain/accounts/process.ts';
import { requirePermission } from '../accounts/permission.ts';

export type LocationActions = ReturnType<typeof createLocationActions>;

/** @param locations the available ones, this server's own first; then those without a runner */
export function createLocationActions(locations: () => readonly ShownLocation[]) {
  return {
    list(caller: Caller): readonly ShownLocation[] {
      requirePermission(caller, 'read');
      return locations();
    },
  };
}
