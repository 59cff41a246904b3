// Plans a deployment: validates what is declared, compares it with what is stored, and says what becomes of each resource.
import { isDeepStrictEqual } from 'node:util';
import { setImmediate as breathe } from 'node:timers/promises';
import type { Caller } from '#domain/accounts/api-key.ts';
import { fieldChanges, type FieldChange, formOf } from '#domain/accounts/audit-entry.ts';
import type { DiffEntry, Project } from '#domain/projects/deployment.ts';
import { type OwnedResource, type ResourceType, resourceTypes, retiredMs, nounOf } from '#domain/projects/resource.ts';
import type { DeploymentPlan } from '#store/projects/apply.ts';
import type { ResourceRemoval, ResourceWrite } from '#store/projects/kind.ts';
import type { PresentResources } from '#store/projects/projects.ts';
import { Refusal } from '../refusal.ts';
import type { Drafted, Identity } from './draft-records.ts';
import type { Drafts } from './drafts.ts';
import type { ResourceInput, Undeclared } from './inputs.ts';

/** What the project owns, the rows of it, and the IDs of what it declares. */
export interface Identified {
  readonly project: Project;
  readonly owned: readonly OwnedResource[];
  readonly present: PresentResources;
  readonly idOf: (type: ResourceType, logicalId: string) => string | undefined;
}

interface Planning {
  readonly drafts: Drafts;
  readonly undeclared: Undeclared;
  /** Epoch ms. */
  readonly now: number;
  readonly changeId: string;
  readonly onProgress: (done: number, total: number) => Promise<void>;
}

/** Most problems of one answer. */
const maxProblems = 100;
/** How long a plan works before others go on, ms. */
const sliceMs = 8;

/** @throws {Refusal} `invalid` with the problems of all resources, by path */
export async function planDeployment(
  caller: Caller,
  inputs: readonly ResourceInput[],
  identified: Identified,
  planning: Planning,
): Promise<DeploymentPlan> {
  const { project } = identified;
  const planned = await draftAll(caller, inputs, identified, planning);
  const rest = undeclaredOf(inputs, identified, planning);
  return {
    project,
    projectId: project.id,
    // Each list holds those of its type.
    writes: {
      ...planned.writes,
      check: [...planned.writes.check, ...rest.stopped],
    } as unknown as DeploymentPlan['writes'],
    owned: [...planned.owned, ...rest.owned],
    removed: rest.removed as unknown as DeploymentPlan['removed'],
    diff: [...planned.diff, ...rest.diff],
    changeId: planning.changeId,
  };
}

/** Drafts what is declared, in the order in which types refer to each other. */
async function draftAll(
  caller: Caller,
  inputs: readonly ResourceInput[],
  { owned, present, idOf }: Identified,
  { drafts, onProgress }: Planning,
) {
  const before = new Map(owned.map((one) => [keyOf(one), one]));
  const writes = emptyLists<ResourceWrite>();
  const diff: DiffEntry[] = [];
  const ownedAfter: OwnedResource[] = [];
  const problems: Record<string, string> = {};
  const ordered = resourceTypes.flatMap((type) => [...inputs.entries()].filter(([, each]) => each.type === type));
  let pausedAt = performance.now();
  for (const [done, [index, each]] of ordered.entries()) {
    if (performance.now() - pausedAt > sliceMs) {
      await onProgress(done, ordered.length);
      await breathe();
      pausedAt = performance.now();
    }
    const { type, logicalId, isSubscribing } = each;
    const physicalId = idOf(type, logicalId);
    if (physicalId === undefined) throw new Error(`${type} ${logicalId} has no ID`);
    const stored = present[type].get(physicalId) ?? null;
    const wasSubscribing = before.get(keyOf(each))?.isSubscribing ?? false;
    const identity = { physicalId, stored, isSubscribing, wasSubscribing };
    const drafted = await draftOf(caller, each, identity, drafts, (path, message) => {
      problems[`resources[${index}].payload${path === '' ? '' : `.${path}`}`] ??= message;
    });
    if (Object.keys(problems).length >= maxProblems) break;
    if (drafted === null) continue;
    ownedAfter.push({ type, logicalId, physicalId, isSubscribing, retiredAt: null });
    const changes = changesOf(drafted);
    if (stored !== null && changes === null) continue;
    writes[type].push({ logicalId, physicalId, stored, write: drafted.write });
    const action = stored === null ? 'CREATE' : 'UPDATE';
    diff.push({ type, logicalId, physicalId, name: drafted.name, action, changes: changes ?? [] });
  }
  refuseAll(problems, inputs);
  return { writes, diff, owned: ownedAfter };
}

/** What becomes of the resources that the project owns and no longer declares. */
function undeclaredOf(
  inputs: readonly ResourceInput[],
  { owned, present, idOf }: Identified,
  { undeclared, now }: Planning,
) {
  const removed = emptyLists<ResourceRemoval>();
  const stopped: ResourceWrite<'check'>[] = [];
  const diff: DiffEntry[] = [];
  const kept: OwnedResource[] = [];
  const declared = new Set(inputs.map(keyOf));
  for (const one of owned) {
    const { type, logicalId, physicalId, retiredAt } = one;
    const isDeclared = declared.has(keyOf(one));
    // A variable with another key is another one.
    if (isDeclared && idOf(type, logicalId) === physicalId) continue;
    const stored = present[type].get(physicalId);
    if (stored === undefined) continue;
    const entry = { type, logicalId, physicalId, name: nameOf(stored), changes: [] };
    if (undeclared === 'keep') {
      if (!isDeclared) kept.push(one);
    } else if (undeclared === 'detach') diff.push({ ...entry, action: 'DETACH' });
    // A window that stays would go on silencing alerts.
    else if (undeclared === 'delete' || type === 'maintenance-window' || now - (retiredAt ?? now) >= retiredMs) {
      removed[type].push({ physicalId, stored });
      diff.push({ ...entry, action: 'DELETE' });
    } else {
      kept.push({ ...one, retiredAt: retiredAt ?? now });
      const check = 'check' in stored && stored.check.activated ? stored : null;
      if (check === null) continue;
      const write = { check: { ...check.check, activated: false }, subscriptions: null, isAutoAssigned: false };
      stopped.push({ logicalId, physicalId, stored: check, write });
      diff.push({ ...entry, action: 'UPDATE', changes: [{ path: 'activated', from: true, to: false }] });
    }
  }
  return { removed, diff, owned: kept, stopped };
}

function emptyLists<Item>(): Record<ResourceType, Item[]> {
  return Object.fromEntries(resourceTypes.map((type) => [type, [] as Item[]])) as unknown as Record<
    ResourceType,
    Item[]
  >;
}

/** Tells resources apart. */
export function keyOf({ type, logicalId }: Pick<OwnedResource, 'type' | 'logicalId'>): string {
  return `${type} ${logicalId}`;
}

async function draftOf(
  caller: Caller,
  { type, input }: ResourceInput,
  identity: Identity<ResourceType>,
  drafts: Drafts,
  onProblem: (path: string, message: string) => void,
): Promise<Drafted<ResourceType> | null> {
  try {
    // The input is of the same type as the draft.
    return await drafts[type](caller, input as never, identity as never);
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'invalid') throw error;
    const attributes = Object.entries(error.attributes ?? {});
    if (attributes.length === 0) onProblem('', error.message);
    for (const [path, message] of attributes) onProblem(path, String(message));
    return null;
  }
}

/** The fields that differ; null = nothing does. */
function changesOf({ declared, stored, changedSecret }: Drafted<ResourceType>): readonly FieldChange[] | null {
  if (stored === null || (isDeepStrictEqual(declared, stored) && changedSecret === null)) return null;
  const { fields } = fieldChanges(
    formOf(stored, () => null),
    formOf(declared, () => null),
  );
  // A difference between nothing and empty means nothing.
  if (changedSecret !== null) return [...fields, { path: changedSecret, isSecret: true }];
  return fields.length === 0 ? null : fields;
}

type Named = Pick<OwnedResource, 'type' | 'logicalId'>;

/** `check "home": request.url` for `resources[3].payload.request.url`. */
export function namedPath(path: string, resources: readonly Named[]): string {
  const [, index = '', field = ''] = /^resources\[(\d+)\](?:\.payload)?\.?(.*)$/.exec(path) ?? [];
  const resource = index === '' ? undefined : resources[Number(index)];
  return resource === undefined ? path : `${nounOf(resource.type)} "${resource.logicalId}": ${field}`.trimEnd();
}

function refuseAll(problems: Readonly<Record<string, string>>, resources: readonly Named[]): void {
  const paths = Object.keys(problems);
  if (paths.length === 0) return;
  const shown = paths.slice(0, 3).map((path) => `${namedPath(path, resources)} ${problems[path]}`);
  const least = paths.length >= maxProblems ? 'at least ' : '';
  const more = paths.length > 3 ? `; and ${least}${paths.length - 3} more` : '';
  throw new Refusal('invalid', `${shown.join('; ')}${more}.`, { attributes: problems });
}

/** The name of a record or of the one that it wraps; of a variable its key. */
function nameOf(stored: object): string | null {
  const { name, key } = { name: undefined, key: undefined, ...stored } as { name?: unknown; key?: unknown };
  const own = name ?? key;
  if (typeof own === 'string') return own;
  const wrapped: unknown = Object.values(stored).find(
    (each) => typeof each === 'object' && each !== null && 'name' in each,
  );
  return wrapped === undefined ? null : nameOf(wrapped as object);
}
