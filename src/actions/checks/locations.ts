// The run locations (decisions: Checks, `locations`).
import type { Caller } from '#domain/accounts/api-key.ts';
import type { ShownLocation } from '#domain/accounts/process.ts';
import { requirePermission } from '../accounts/permission.ts';

export interface LocationActions {
  list(caller: Caller): readonly ShownLocation[];
}

/** @param locations the available ones, this server's own first; then those without a runner */
export function createLocationActions(locations: () => readonly ShownLocation[]): LocationActions {
  return {
    list(caller) {
      requirePermission(caller, 'read');
      return locations();
    },
  };
}
