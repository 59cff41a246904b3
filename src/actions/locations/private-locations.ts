// Actions on private locations and their keys (reference §4.7; docs/decisions/0154).
import type { Caller } from '#domain/accounts/api-key.ts';
import { isAlive } from '#domain/accounts/process.ts';
import type { ResourceUsers } from '#domain/accounts/account.ts';
import {
  mostKeys,
  type PrivateLocation,
  type PrivateLocationKey,
  slugFault,
} from '#domain/locations/private-location.ts';
import type { LocationWrite, NewKey } from '#store/locations/private-locations.ts';
import type { Store } from '#store/store.ts';
import { tokenHash, keyPrefix, newLocationKeyText } from '../accounts/key-text.ts';
import { requirePermission } from '../accounts/permission.ts';
import { invalidField, notFound, Refusal } from '../refusal.ts';
import { refuseUsed, searchUses } from '../resource-uses.ts';

/** A private location with its keys and the processes that serve it. */
export interface ShownPrivateLocation extends PrivateLocation {
  readonly keys: readonly ShownLocationKey[];
  /** Last heartbeat of a process that serves it, epoch ms; null = none in the last 30 days. */
  readonly lastSeenAt: number | null;
  /** Host names of the processes that serve it now. */
  readonly hosts: readonly string[];
}

/** A key; its text only right after its creation. */
export interface ShownLocationKey extends PrivateLocationKey {
  readonly text?: string;
}

export interface PrivateLocationDeps extends Pick<Store, 'privateLocations' | 'processes'> {
  readonly newId: () => string;
  /** Epoch ms. */
  readonly now: () => number;
}

export type PrivateLocationActions = ReturnType<typeof createPrivateLocationActions>;

/** IDs of other accounts are refused like unknown IDs: `not-found`. */
export function createPrivateLocationActions(deps: PrivateLocationDeps) {
  const { privateLocations, newId } = deps;
  const required = async ({ accountId }: Caller, id: string): Promise<PrivateLocation> => {
    const found = await privateLocations.find(accountId, id);
    if (found === null) throw unknown(id);
    return found;
  };
  const shown = async (caller: Caller, location: PrivateLocation): Promise<ShownPrivateLocation> => {
    const [one] = await allShown(caller, [location], deps);
    if (one === undefined) throw unknown(location.id);
    return one;
  };
  return {
    /** Ordered by slug. */
    async list(caller: Caller): Promise<ShownPrivateLocation[]> {
      requirePermission(caller, 'read');
      return allShown(caller, await privateLocations.all(caller.accountId), deps);
    },
    async find(caller: Caller, id: string): Promise<ShownPrivateLocation> {
      requirePermission(caller, 'read');
      return shown(caller, await required(caller, id));
    },
    /** The checks and groups that name it. */
    async uses(caller: Caller, id: string, signal: AbortSignal): Promise<ResourceUsers> {
      requirePermission(caller, 'read');
      const { slugName } = await required(caller, id);
      return searchUses(caller.accountId, signal, () => privateLocations.uses(caller.accountId, slugName));
    },
    /** Creates it with a first key, whose text is returned only here. */
    async create(caller: Caller, write: LocationWrite): Promise<ShownPrivateLocation> {
      requirePermission(caller, 'write');
      requireSlug(write.slugName);
      const id = newId();
      const text = newLocationKeyText();
      const added = await privateLocations.add(caller.accountId, id, write, newKey(newId(), id, text));
      if (added === null) throw invalidField('slugName', slugInUse);
      const created = await shown(caller, added);
      return { ...created, keys: created.keys.map((key) => ({ ...key, text })) };
    },
    /** Keeps fields that are not given. */
    async change(caller: Caller, id: string, write: Partial<LocationWrite>): Promise<ShownPrivateLocation> {
      requirePermission(caller, 'write');
      const present = await required(caller, id);
      if (write.slugName !== undefined && write.slugName !== present.slugName)
        throw invalidField('slugName', slugIsFixed(present.slugName));
      const changed = await privateLocations.change(caller.accountId, id, { ...present, ...write });
      if (changed === null) throw unknown(id);
      return shown(caller, changed);
    },
    /** Refused (`conflict`) while checks or groups name it. */
    async remove(caller: Caller, id: string): Promise<void> {
      requirePermission(caller, 'write');
      const { slugName } = await required(caller, id);
      const users = await privateLocations.remove(caller.accountId, id);
      if (users === null) throw unknown(id);
      refuseUsed(`Private location ${slugName}`, users);
    },
    ...keyActions(deps),
  };
}

function keyActions({ privateLocations, newId }: PrivateLocationDeps) {
  return {
    async createKey(caller: Caller, id: string): Promise<ShownLocationKey> {
      requirePermission(caller, 'write');
      const text = newLocationKeyText();
      const added = await privateLocations.addKey(caller.accountId, newKey(newId(), id, text));
      if (added === 'unknown') throw unknown(id);
      if (added === 'full')
        throw new Refusal('conflict', `A private location has at most ${mostKeys} keys. Delete one.`);
      return { ...added, text };
    },
    async removeKey(caller: Caller, id: string, keyId: string): Promise<void> {
      requirePermission(caller, 'write');
      if (!(await privateLocations.removeKey(caller.accountId, id, keyId)))
        throw notFound('key of a private location', keyId);
    },
  };
}

/** Refuses (`invalid`) a text that cannot be a slug. */
export function requireSlug(slug: string): void {
  const fault = slugFault(slug);
  if (fault !== null) throw invalidField('slugName', fault);
}

/** Why a slug cannot be used. */
export const slugInUse = 'is in use in this installation, by a private location or a process. Choose another slug';

/** Why a slug cannot be changed. */
export function slugIsFixed(slug: string): string {
  return `cannot be changed from ${slug}, which checks, results and processes refer to. Create another private location`;
}

function unknown(id: string): Refusal {
  return notFound('private location', id);
}

function newKey(id: string, locationId: string, text: string): NewKey {
  return { id, locationId, hash: tokenHash(text), prefix: keyPrefix(text) };
}

async function allShown(
  { accountId }: Caller,
  locations: readonly PrivateLocation[],
  { privateLocations, processes, now }: PrivateLocationDeps,
): Promise<ShownPrivateLocation[]> {
  const [keys, all, known] = await Promise.all([
    privateLocations.keys(accountId),
    processes.list(),
    processes.locations(),
  ]);
  const at = now();
  const runners = all.filter((one) => one.roles.includes('runner') && isAlive(one, at));
  return locations.map((location) => {
    const own = known.find(({ code, ownerId }) => code === location.slugName && ownerId === accountId);
    const serving = own === undefined ? [] : runners.filter((one) => one.location.code === own.code);
    return {
      ...location,
      keys: keys.filter(({ locationId }) => locationId === location.id),
      lastSeenAt: own?.seenAt ?? null,
      hosts: serving.map(({ host }) => host),
    };
  });
}
