// Resources that a project declares, each under a logical ID of its own.
import type { JsonObject, JsonValue } from '../json.ts';

/** Types of resources, in the order in which they are written: later ones refer to earlier ones. */
export const resourceTypes = [
  'variable',
  'private-location',
  'snippet',
  'alert-channel',
  'check-group',
  'check',
  'maintenance-window',
  'status-service',
  'status-page',
] as const;
export type ResourceType = (typeof resourceTypes)[number];

/** One resource as files or code declare it. */
export interface DeclaredResource {
  readonly type: ResourceType;
  /** Unique among the resources of its type in the project. */
  readonly logicalId: string;
  /** Body of the create operation of its type; `{ref: logicalId}` where it names another resource of the project. */
  readonly payload: JsonObject;
}

/** Which row a project owns under a logical ID. */
export interface OwnedResource extends Omit<DeclaredResource, 'payload'> {
  /** ID of the row: a UUID, a number as text, or the key of a variable. */
  readonly physicalId: string;
  /** Whether the declaration listed its alert channels; otherwise they are not managed. */
  readonly isSubscribing: boolean;
  /** Since when it is no longer declared, although it is kept for a while, epoch ms; null = it is declared. */
  readonly retiredAt: number | null;
}

/** A resource of any project, with its project. */
export interface ProjectResource extends Omit<OwnedResource, 'isSubscribing'> {
  readonly project: string;
  readonly source: ProjectSource;
}

/** What deploys a project: our files, a folder that the service watches, or the command line of another service. */
export const projectSources = ['files', 'folder', 'cli'] as const;
export type ProjectSource = (typeof projectSources)[number];

/** How long a folder keeps what is no longer in it, ms: a wrong folder erases no history. */
export const retiredMs = 7 * 86_400_000;

/** Most resources of a deployment. */
export const mostResources = 20_000;
/** Most stored bytes of what a project owns: a deployment reads all of it. */
export const mostOwnedBytes = 96 * 1_048_576;
/** Most projects of an account. */
export const mostProjects = 200;
/** Longest logical ID, in characters. */
export const longestLogicalId = 255;

/** The types that a reference in a field may mean. */
const referenceTypes: Readonly<Record<string, ResourceType>> = {
  groupId: 'check-group',
  groupIds: 'check-group',
  alertChannelId: 'alert-channel',
  alertChannelIds: 'alert-channel',
  otherChannelId: 'alert-channel',
  dependsOn: 'check',
  checkId: 'check',
  checkIds: 'check',
  setupSnippetId: 'snippet',
  tearDownSnippetId: 'snippet',
  services: 'status-service',
  serviceId: 'status-service',
};

/** Types whose IDs are numbers in the API. */
const numbered: ReadonlySet<ResourceType> = new Set(['snippet', 'alert-channel', 'check-group', 'maintenance-window']);

/** Finds the physical ID of a resource; undefined = the project does not declare it. */
export type Resolve = (type: ResourceType, logicalId: string) => string | undefined;

/** A reference that names no resource of the project. */
export interface DanglingReference {
  readonly path: string;
  readonly message: string;
}

/** The payload with physical IDs in place of its references, and the references that name nothing. */
export function resolved(
  payload: JsonObject,
  resolve: Resolve,
): { readonly payload: JsonObject; readonly dangling: readonly DanglingReference[] } {
  const dangling: DanglingReference[] = [];
  const replace = (value: JsonValue, field: string, path: string): JsonValue => {
    if (Array.isArray(value)) {
      return (value as readonly JsonValue[]).map((each, index) => replace(each, field, `${path}[${index}]`));
    }
    if (typeof value !== 'object' || value === null) return value;
    const object = value as JsonObject;
    const type = referenceTypes[field];
    const { ref } = object;
    if (type !== undefined && typeof ref === 'string' && Object.keys(object).length === 1) {
      const found = resolve(type, ref);
      if (found === undefined) {
        dangling.push({ path, message: `names the ${nounOf(type)} "${ref}", which the project does not declare` });
        return value;
      }
      return numbered.has(type) ? Number(found) : found;
    }
    return Object.fromEntries(
      Object.entries(object).map(([name, each]) => [name, replace(each, name, path === '' ? name : `${path}.${name}`)]),
    );
  };
  return { payload: replace(payload, '', '') as JsonObject, dangling };
}

/** What messages call a type. */
export function nounOf(type: ResourceType): string {
  return type.replaceAll('-', ' ');
}
