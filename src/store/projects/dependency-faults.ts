// Finds what checks and groups of a deployment cannot need: each check is read once, however they need each other.
import { type CheckGroup, neededBy } from '#domain/checks/check-group.ts';
import type { Check } from '#domain/checks/check.ts';
import type { ResourceType } from '#domain/projects/resource.ts';
import { lockAccount } from '../base/database.ts';
import type { Db } from '../base/tables/schema.ts';
import { groupsWith, membersOf, type Node, nodesOf, shownCycle } from '../checks/check-dependencies.ts';
import { danglingFault, type ResourceFault, type ResourceWrite } from './kind.ts';

interface Writes {
  readonly check: readonly ResourceWrite<'check'>[];
  readonly 'check-group': readonly ResourceWrite<'check-group'>[];
}

type Fault = ResourceFault & { readonly type: ResourceType };

/** Checks that are read at a time. */
const readAtOnce = 500;

/**
 * The first fault once everything is written: an unknown check, or a cycle. Locks the account, so that no two writes
 * close a cycle together.
 */
export async function dependencyFault(tx: Db, accountId: string, writes: Writes): Promise<Fault | null> {
  const checks = writes.check.map(({ logicalId, stored, write }) =>
    lister('check', logicalId, write.check, stored?.check),
  );
  const groups = writes['check-group'].map(({ logicalId, stored, write }) =>
    lister('check-group', logicalId, write.group, stored?.group),
  );
  const listing = [...checks, ...groups].filter(({ dependsOn }) => dependsOn.length > 0);
  const grouped = writes.check.some(({ write }) => write.check.groupId !== null);
  if (listing.length === 0 && !grouped) return null;
  await lockAccount(tx, accountId);
  const starts = await startsOf(tx, accountId, writes);
  const nodes = await graphFrom(tx, accountId, starts, new Set(listing.flatMap(({ dependsOn }) => dependsOn)));
  for (const { type, logicalId, dependsOn, before } of listing) {
    const unknown = dependsOn.findIndex((id) => !before.has(id) && !nodes.has(id));
    const fault = unknown === -1 ? null : danglingFault(logicalId, { dangling: `dependsOn[${unknown}]` });
    if (fault !== null) return { ...fault, type };
  }
  const cycle = cycleIn(nodes, starts);
  return cycle === null ? null : cycleFault(cycle, writes);
}

/** What is written with a list, and what its list had before. */
function lister(
  type: ResourceType,
  logicalId: string,
  { dependsOn }: Pick<Check | CheckGroup, 'dependsOn'>,
  present: Pick<Check | CheckGroup, 'dependsOn'> | undefined,
) {
  return { type, logicalId, dependsOn, before: new Set(present?.dependsOn) };
}

/** The written checks, and those in written groups with a list. */
async function startsOf(tx: Db, accountId: string, writes: Writes): Promise<Node[]> {
  const groupIds = new Set(writes.check.flatMap(({ write }) => write.check.groupId ?? []));
  const groups = await groupsWith(tx, accountId, [...groupIds]);
  const written = writes.check.map(({ write: { check } }) => ({
    id: check.id,
    name: check.name,
    dependsOn: check.dependsOn,
    group: check.groupId === null ? null : (groups.get(check.groupId) ?? null),
  }));
  const listing = writes['check-group'].filter(({ write }) => write.group.dependsOn.length > 0);
  const known = new Set(written.map(({ id }) => id));
  const members = await membersOf(
    tx,
    accountId,
    listing.map(({ write }) => write.group.id),
  );
  return [
    ...written,
    ...(await read(
      tx,
      accountId,
      members.filter((id) => !known.has(id)),
    )),
  ];
}

/** Everything that is needed, by ID; what does not exist is left out. @param also IDs that are looked for, too */
async function graphFrom(
  tx: Db,
  accountId: string,
  starts: readonly Node[],
  also: ReadonlySet<string>,
): Promise<ReadonlyMap<string, Node>> {
  const nodes = new Map(starts.map((node) => [node.id, node]));
  let wanted = new Set([...also, ...starts.flatMap((node) => neededBy(node, node.group))]);
  while (wanted.size > 0) {
    const found = await read(
      tx,
      accountId,
      [...wanted].filter((id) => !nodes.has(id)),
    );
    for (const node of found) nodes.set(node.id, node);
    wanted = new Set(found.flatMap((node) => neededBy(node, node.group)));
  }
  return nodes;
}

async function read(tx: Db, accountId: string, ids: readonly string[]): Promise<Node[]> {
  const found: Node[] = [];
  for (let from = 0; from < ids.length; from += readAtOnce)
    found.push(...(await nodesOf(tx, accountId, ids.slice(from, from + readAtOnce), null)));
  return found;
}

/** The checks along the first cycle, beginning and ending with the same one; null = there is none. */
function cycleIn(nodes: ReadonlyMap<string, Node>, starts: readonly Node[]): readonly Node[] | null {
  const done = new Set<string>();
  for (const start of starts) {
    const path = [stepOf(start)];
    const above = new Set([start.id]);
    for (let last = path.at(-1); last !== undefined; last = path.at(-1)) {
      const { node, needs } = last;
      const next = done.has(node.id) ? undefined : nodes.get(needs[last.seen++] ?? '');
      if (next !== undefined && above.has(next.id)) {
        const along = path.map((step) => step.node);
        return [...along.slice(along.findIndex(({ id }) => id === next.id)), next];
      }
      if (next !== undefined && !done.has(next.id)) {
        path.push(stepOf(next));
        above.add(next.id);
      } else if (last.seen >= needs.length || done.has(node.id)) {
        path.pop();
        above.delete(node.id);
        done.add(node.id);
      }
    }
  }
  return null;
}

/** A check on the way, and how many of those that it needs were looked at. */
function stepOf(node: Node): { readonly node: Node; readonly needs: readonly string[]; seen: number } {
  return { node, needs: neededBy(node, node.group), seen: 0 };
}

/** Names the cycle at a check on it that is written, or at a group that leads along it. */
function cycleFault(cycle: readonly Node[], writes: Writes): Fault | null {
  const ids = new Set(cycle.map(({ id }) => id));
  const groupIds = new Set(cycle.map(({ group }) => group?.id));
  const check = writes.check.find(({ physicalId }) => ids.has(physicalId));
  const group = writes['check-group'].find(({ write }) => groupIds.has(write.group.id));
  const shown = shownCycle(cycle.map(({ name }) => name));
  const fault = danglingFault((check ?? group)?.logicalId ?? '', { cycle: shown });
  return fault && { ...fault, type: check === undefined ? 'check-group' : 'check' };
}
