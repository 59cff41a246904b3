// Translates the project that the `checkly` command line sends into declared resources.
import { checkTypes } from '#contract/checks/check.ts';
import type { CliProjectBody, CliResource } from '#contract/vendor/cli-project.ts';
import type { JsonObject, JsonValue } from '#domain/json.ts';
import { type DeclaredResource, type ResourceType, resourceTypes } from '#domain/projects/resource.ts';
import { type DeclaredProject, refOf } from './references.ts';
import { declaredPages, isOfStatusPages, longestIdOf } from './status-pages.ts';

/** What a subscription or an assignment adds to a check or group, by its key. */
type Additions = ReadonlyMap<string, readonly JsonValue[]>;

interface Translating {
  readonly sharedFiles: CliProjectBody['sharedFiles'];
  readonly channels: Additions;
  readonly places: Additions;
  /** IDs of resources that the project only refers to, by key. */
  readonly references: ReadonlyMap<string, string | number>;
}

type Translate = (resource: CliResource, payload: JsonObject, context: Translating) => JsonObject;

/** Types that become a resource of their own. */
const translations: ReadonlyMap<string, Translate> = new Map<string, Translate>([
  ['private-location', (_resource, payload) => payload],
  ['alert-channel', (_resource, payload) => payload],
  ['check-group', groupOf],
  ['check', checkOf],
  ['maintenance-window', (_resource, payload) => payload],
]);

/** Types that are folded into the check or group that they name. */
const folded: ReadonlyMap<string, 'channels' | 'places'> = new Map([
  ['alert-channel-subscription', 'channels'],
  ['private-location-check-assignment', 'places'],
  ['private-location-group-assignment', 'places'],
]);

/** Why known types are refused. */
const missing: ReadonlyMap<string, string> = new Map([
  ['dashboard', 'Tocsin has no dashboards. Declare a status page instead.'],
]);

const keyOf = (type: string, logicalId: string): string => `${type} ${logicalId}`;

/** @param slugOf the slug of a private location by its ID; undefined = unknown */
export function declaredProject(
  { resources, sharedFiles }: CliProjectBody,
  slugOf: (id: string) => string | undefined,
): DeclaredProject {
  const members = resources.filter(({ member }) => member);
  const references = new Map(
    resources.flatMap(({ member, type, logicalId, physicalId }) =>
      member || physicalId === null || physicalId === undefined ? [] : [[keyOf(type, logicalId), physicalId] as const],
    ),
  );
  const { refused: unassigned, ...additions } = additionsOf(members, references, slugOf);
  const context = { sharedFiles, references, ...additions };
  const own = members.filter(({ type }) => !folded.has(type));
  const refused = own.map(refusalOf).filter((sentence) => sentence !== null);
  const translated = own.flatMap((resource): DeclaredResource[] => {
    const { type, logicalId, payload } = resource;
    const translate = translations.get(type);
    if (translate === undefined || !isResourceType(type)) return [];
    return [{ type, logicalId, payload: translate(resource, payload ?? {}, context) }];
  });
  const pages = declaredPages(members, (type, value) => resolvedRef(type, value, references));
  return {
    resources: [...translated, ...pages.resources],
    refused: [...refused, ...unassigned, ...pages.refused, ...tooManyFiles(translated)],
  };
}

/** Most characters of imported files. Each check stores its own, and one transaction writes them all. */
const mostImported = 24_000_000;

/** A sentence if checks import too much: a project sends a file once, however many import it. */
function tooManyFiles(resources: readonly DeclaredResource[]): readonly string[] {
  const length = resources.reduce((sum, { payload }) => sum + importedLength(payload), 0);
  if (length <= mostImported) return [];
  const [have, most] = [length, mostImported].map((each) => Math.ceil(each / 1_000_000));
  return [`The files that checks import have ${have} MB, counted once for each check: at most ${most} MB.`];
}

/** What subscriptions and assignments add to checks and groups, and a sentence for each that adds nothing. */
function additionsOf(
  members: readonly CliResource[],
  references: Translating['references'],
  slugOf: (id: string) => string | undefined,
): Pick<Translating, 'channels' | 'places'> & Pick<DeclaredProject, 'refused'> {
  const slugs = new Map(
    members.flatMap(({ type, logicalId, payload }) =>
      type === 'private-location' ? [[keyOf(type, logicalId), payload?.['slugName'] ?? logicalId] as const] : [],
    ),
  );
  const declared = new Set(members.map(({ type, logicalId }) => keyOf(type, logicalId)));
  const additions = { channels: new Map<string, JsonValue[]>(), places: new Map<string, JsonValue[]>() };
  const refused: string[] = [];
  for (const { type, logicalId, payload } of members) {
    const kind = folded.get(type);
    if (kind === undefined || payload === null) continue;
    const of = ownerOf(payload);
    if (of === null || !declared.has(of)) {
      refused.push(`${type} "${logicalId}": the check or group is not part of the project.`);
      continue;
    }
    const added =
      kind === 'channels' ? subscriptionOf(payload, references) : placeOf(payload, slugs, references, slugOf);
    if (added === null) refused.push(`${type} "${logicalId}": the private location is unknown.`);
    else if (additions[kind].get(of)?.push(added) === undefined) additions[kind].set(of, [added]);
  }
  return { ...additions, refused };
}

function isResourceType(type: string): type is ResourceType {
  return resourceTypes.some((each) => each === type);
}

/** Why a construct is not deployed; null = it is. */
function refusalOf({ type, logicalId, payload }: CliResource): string | null {
  if (!isOfStatusPages(type) && !(translations.has(type) && isResourceType(type)))
    return `${type} "${logicalId}": ${missing.get(type) ?? `Tocsin has no resources of the type ${type}.`}`;
  const longest = longestIdOf(type);
  if (logicalId.length > longest)
    return `${type} "${logicalId.slice(0, 50)}…": the logical ID has more than ${longest} characters.`;
  if (type !== 'check') return null;
  const checkType = payload?.['checkType'];
  if (typeof checkType === 'string' && !checkTypes.includes(checkType))
    return `check "${logicalId}": Tocsin has no checks of the type ${checkType}.`;
  if (payload?.['aiAutoRepairEnabled'] === true) return `check "${logicalId}": Tocsin does not repair scripts.`;
  if (hookFiles.some((name) => isFilled(payload?.[name])))
    return `check "${logicalId}": setup and teardown scripts cannot import files. Put the code into the script.`;
  return null;
}

const hookFiles = ['setupScriptDependencies', 'tearDownScriptDependencies'];

function isFilled(value: JsonValue | undefined): boolean {
  return Array.isArray(value) && value.length > 0;
}

/** The check or group that a subscription or an assignment names; null = none. */
function ownerOf({ checkId, groupId }: JsonObject): string | null {
  const [check, group] = [refOf(checkId), refOf(groupId)];
  if (check !== null) return keyOf('check', check);
  return group === null ? null : keyOf('check-group', group);
}

/** A reference, or the ID of what the project only refers to. */
function resolvedRef(type: string, value: JsonValue, references: Translating['references']): JsonValue {
  const ref = refOf(value);
  return (ref === null ? undefined : references.get(keyOf(type, ref))) ?? value;
}

function subscriptionOf(
  { alertChannelId = null, activated = true }: JsonObject,
  references: Translating['references'],
): JsonObject {
  return { alertChannelId: resolvedRef('alert-channel', alertChannelId, references), activated };
}

function placeOf(
  { privateLocationId = null }: JsonObject,
  slugs: ReadonlyMap<string, JsonValue>,
  references: Translating['references'],
  slugOf: (id: string) => string | undefined,
): JsonValue {
  const key = keyOf('private-location', refOf(privateLocationId) ?? '');
  return slugs.get(key) ?? slugOf(String(references.get(key))) ?? null;
}

/** The last subscription of a channel counts. */
function subscriptionsOf(key: string, { channels }: Translating): JsonObject {
  const byChannel = new Map(
    (channels.get(key) ?? []).map((one) => [JSON.stringify((one as JsonObject)['alertChannelId']), one] as const),
  );
  return { alertChannelSubscriptions: [...byChannel.values()] };
}

function placesOf(key: string, { places }: Translating): JsonObject {
  const listed = places.get(key);
  return listed === undefined ? {} : { privateLocations: [...new Set(listed)] };
}

function checkOf(resource: CliResource, payload: JsonObject, context: Translating): JsonObject {
  const key = keyOf('check', resource.logicalId);
  // Neither the goal of a check nor automatic repair exists here.
  const { intent: _intent, aiAutoRepairEnabled: _repair, ...rest } = withFiles(payload, context.sharedFiles);
  const groupId = resolvedRef('check-group', rest['groupId'] ?? null, context.references);
  return { ...rest, groupId, ...triggerOf(rest, context), ...subscriptionsOf(key, context), ...placesOf(key, context) };
}

/** The incident that its failure opens, of a service of the project or another one. */
function triggerOf({ triggerIncident = null }: JsonObject, { references }: Translating): JsonObject {
  if (triggerIncident === null || typeof triggerIncident !== 'object' || Array.isArray(triggerIncident)) return {};
  const { serviceId = null, ...trigger } = triggerIncident as JsonObject;
  return { triggerIncident: { ...trigger, serviceId: resolvedRef('status-page-service', serviceId, references) } };
}

/** What a group of the first version has unless it says otherwise; the second version leaves these to its checks. */
const firstVersion = {
  runParallel: false,
  alertSettings: { escalationType: 'RUN_BASED', runBasedEscalation: { failedRunThreshold: 1 } },
};

function groupOf({ logicalId }: CliResource, { v, ...payload }: JsonObject, context: Translating): JsonObject {
  const key = keyOf('check-group', logicalId);
  const own = v === 2 ? payload : { ...firstVersion, ...payload };
  return { ...own, ...subscriptionsOf(key, context), ...placesOf(key, context) };
}

/** Where setup and teardown scripts came from, which is not stored. */
const ofHooks = /^(setup|tearDown)Script(Path|Dependencies)$/;

/** A check with its files in place of their positions in the list of all files. */
function withFiles(payload: JsonObject, sharedFiles: CliProjectBody['sharedFiles']): JsonObject {
  const { dependencies, snapshots, ...others } = payload;
  const rest = Object.fromEntries(Object.entries(others).filter(([name]) => !ofHooks.test(name)));
  const files = Array.isArray(dependencies)
    ? dependencies.flatMap((position) => {
        const file = typeof position === 'number' ? sharedFiles[position] : undefined;
        return file === undefined ? [] : [{ path: file.path, content: file.content }];
      })
    : [];
  return {
    ...rest,
    ...(files.length > 0 && { dependencies: files }),
    // Of a check without pictures to compare with, the list is empty.
    ...(Array.isArray(snapshots) && snapshots.length > 0 && { snapshots }),
  };
}

/** Characters of the files that a check imports. */
function importedLength({ dependencies }: JsonObject): number {
  const files = Array.isArray(dependencies) ? (dependencies as readonly JsonObject[]) : [];
  return files.reduce((sum, { content }) => sum + (typeof content === 'string' ? content.length : 0), 0);
}
