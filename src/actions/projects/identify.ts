// Gives the resources of a declaration their IDs: those that the project owns, and new ones.
import type { Caller } from '#domain/accounts/api-key.ts';
import {
  type DeclaredResource,
  mostOwnedBytes,
  type OwnedResource,
  type ResourceType,
  resourceTypes,
} from '#domain/projects/resource.ts';
import { invalidField, Refusal } from '../refusal.ts';
import type { Store } from '#store/store.ts';
import type { Declaration } from './inputs.ts';
import { type Identified, keyOf } from './plan.ts';

interface IdentifyDeps extends Pick<Store, 'projects'> {
  readonly newId: () => string;
}

/** Finds what the project owns, and gives IDs to what is new. */
export async function identify(
  { accountId }: Caller,
  { logicalId, name, repoUrl, source, resources, isDryRun }: Declaration,
  deps: IdentifyDeps,
): Promise<Identified> {
  const { projects, newId } = deps;
  const stored = await projects.find(accountId, logicalId);
  const given = { name: name ?? logicalId, repoUrl, source };
  const times = { createdAt: projects.now(), updatedAt: null };
  const project = stored === null ? { accountId, id: newId(), logicalId, ...given, ...times } : { ...stored, ...given };
  const owned = stored === null ? [] : await projects.owned(accountId, stored.id);
  const wanted = idLists(owned, resources);
  requireReadable(await projects.bytes(accountId, wanted));
  const present = await projects.present(accountId, wanted);
  const ids = new Map<string, string>();
  for (const one of owned) if (present[one.type].has(one.physicalId)) ids.set(keyOf(one), one.physicalId);
  for (const type of resourceTypes) {
    const added = resources.filter((each) => each.type === type && !ids.has(keyOf(each)));
    if (type === 'variable') await adopt(accountId, logicalId, added, resources, ids, deps);
    else {
      const first = await projects.reserve(accountId, type, added.length, isDryRun);
      for (const [index, each] of added.entries()) ids.set(keyOf(each), first === 0 ? newId() : String(first + index));
    }
  }
  return { project, owned, present, idOf: (type, id) => ids.get(keyOf({ type, logicalId: id })) };
}

/** Refuses `limit` what is too large to be compared in memory. */
function requireReadable(bytes: number): void {
  if (bytes <= mostOwnedBytes) return;
  const [own, most] = [bytes, mostOwnedBytes].map((size) => Math.ceil(size / 1_048_576));
  const message = `The checks, groups and channels of the project take ${own} MB; at most ${most} MB can be deployed. Delete some of them first, or split the project.`;
  throw new Refusal('limit', message);
}

/** A variable is known by its key: one that exists becomes part of the project. */
async function adopt(
  accountId: string,
  project: string,
  added: readonly DeclaredResource[],
  resources: readonly DeclaredResource[],
  ids: Map<string, string>,
  { projects }: IdentifyDeps,
): Promise<void> {
  for (const each of added) {
    const key = each.logicalId;
    const owner = await projects.ownerOf(accountId, 'variable', key);
    if (owner !== null && owner !== project) {
      const path = `resources[${resources.indexOf(each)}].payload.key`;
      throw invalidField(path, `is a variable of the project "${owner}"`);
    }
    ids.set(keyOf(each), key);
  }
}

function idLists(
  owned: readonly OwnedResource[],
  resources: readonly DeclaredResource[],
): Readonly<Record<ResourceType, readonly string[]>> {
  const lists = Object.fromEntries(
    resourceTypes.map((type) => [type, owned.filter((one) => one.type === type).map(({ physicalId }) => physicalId)]),
  ) as unknown as Record<ResourceType, string[]>;
  const keys = resources.filter(({ type }) => type === 'variable').map((each) => each.logicalId);
  return { ...lists, variable: [...new Set([...lists.variable, ...keys])] };
}
