// Route of run locations (reference §4.2).
import type { LocationActions } from '#actions/checks/locations.ts';
import { type Route, route } from '../route.ts';
import { isoTextOrNull } from '../wire.ts';

export function locationRoutes(actions: LocationActions): Route[] {
  return [
    route('listLocations', ({ caller }) =>
      actions.list(caller).map(({ code, name, silentSince }) => ({
        region: code,
        name,
        silentSince: isoTextOrNull(silentSince),
      })),
    ),
  ];
}
