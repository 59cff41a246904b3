// Lists run locations, and the addresses from which their checks come.
import type { Caller } from '#domain/accounts/api-key.ts';
import { addressesByLocation, type StaticAddress } from '#domain/locations/static-address.ts';
import type { Store } from '#store/store.ts';
import { requirePermission } from '../accounts/permission.ts';
import type { ShownLocation } from '#domain/accounts/process.ts';

export interface StaticAddressDeps extends Pick<Store, 'processes'> {
  /** As the operator names them. */
  readonly staticAddresses: readonly StaticAddress[];
  /** Location of this process. */
  readonly location: { readonly code: string };
}

export type StaticAddressActions = ReturnType<typeof createStaticAddressActions>;

export function createStaticAddressActions({ staticAddresses, location, processes }: StaticAddressDeps) {
  return {
    /** Addresses of a family by the code of their location: of all locations but the private ones of others. */
    async byLocation(caller: Caller, family: StaticAddress['family']): Promise<ReadonlyMap<string, readonly string[]>> {
      requirePermission(caller, 'read');
      const all = addressesByLocation(staticAddresses, family, location.code);
      const owners = await processes.owners([...all.keys()]);
      return new Map([...all].filter(([code]) => (owners.get(code) ?? caller.accountId) === caller.accountId));
    },
  };
}

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
