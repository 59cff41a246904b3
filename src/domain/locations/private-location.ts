// Private locations: run locations of one account (docs/decisions/0154).

/** A location at which only the checks of its account run. */
export interface PrivateLocation {
  readonly accountId: string;
  /** A UUID. */
  readonly id: string;
  readonly name: string;
  /** Value of `TOCSIN_LOCATION` of the processes that serve it; unique in the installation. */
  readonly slugName: string;
  /** Label for clients. */
  readonly icon: string;
  /** Epoch ms. */
  readonly createdAt: number;
  readonly updatedAt: number | null;
}

/** A key of a private location, without its text. */
export interface PrivateLocationKey {
  /** A UUID. */
  readonly id: string;
  readonly locationId: string;
  /** Its first characters. */
  readonly prefix: string;
  /** Epoch ms. */
  readonly createdAt: number;
}

/** Most keys of a private location. */
export const mostKeys = 20;

/** Code of the location of a process that names none. */
const defaultCode = 'local';
const region = /^(af|ap|ca|cn|eu|il|me|mx|sa|us)(-gov)?(-(north|south|east|west|central)+)?-\d+$/;

/** Why a text cannot be a slug; null = it can. */
export function slugFault(slug: string): string | null {
  if (!/^[a-z0-9-]{1,30}$/.test(slug)) return 'must have 1 to 30 lower-case letters, digits and hyphens';
  if (slug === defaultCode) return `must not be ${defaultCode}, the code of processes without TOCSIN_LOCATION`;
  return region.test(slug) ? 'must not look like a region, such as eu-west-1' : null;
}
