// The available run locations (decisions: Checks, `locations`).
import type { Caller } from '#domain/accounts/api-key.ts';
import { requirePermission } from '../accounts/permission.ts';

/** A run location. */
export interface Location {
  readonly code: string;
  /** Display name. */
  readonly name: string;
}

export interface LocationActions {
  list(caller: Caller): readonly Location[];
}

/** @param served this server's own location first */
export function createLocationActions(served: () => readonly Location[]): LocationActions {
  return {
    list(caller) {
      requirePermission(caller, 'read');
      return served();
    },
  };
}
