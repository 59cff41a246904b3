// Addresses from which checks reach their targets, as the operator names them.

/** An address or network, and the run location whose checks come from it. */
export interface StaticAddress {
  /** Code of the location; null = that of the process which serves the API. */
  readonly location: string | null;
  readonly family: 4 | 6;
  /** An IPv4 address, or an IPv6 network such as `2001:db8::/56`. */
  readonly text: string;
}

/** Addresses of one family by location, each once, in the order of the setting. */
export function addressesByLocation(
  all: readonly StaticAddress[],
  family: StaticAddress['family'],
  ownLocation: string,
): ReadonlyMap<string, readonly string[]> {
  const located = all.filter((one) => one.family === family);
  const grouped = Map.groupBy(located, ({ location }) => location ?? ownLocation);
  return new Map([...grouped].map(([location, some]) => [location, [...new Set(some.map(({ text }) => text))]]));
}
