// The resource file: monitoring as YAML, with the fields of the API's create bodies (docs/files.md).
// Loads no schemas, so that the web UI can use it.
import type { JsonObject } from '#domain/json.ts';
import type { ResourceType } from '#domain/projects/resource.ts';

/** A resource as written in a file. A variable may be its value alone. */
export type FileResource = JsonObject;

/** A parsed file. The keys of each map are logical IDs. */
export interface ResourceFile {
  /** Logical ID of the project that owns the resources. */
  readonly project?: string;
  readonly variables?: Readonly<Record<string, FileResource | string>>;
  readonly privateLocations?: Readonly<Record<string, FileResource>>;
  readonly snippets?: Readonly<Record<string, FileResource>>;
  readonly alertChannels?: Readonly<Record<string, FileResource>>;
  readonly checkGroups?: Readonly<Record<string, FileResource>>;
  readonly checks?: Readonly<Record<string, FileResource>>;
  readonly maintenanceWindows?: Readonly<Record<string, FileResource>>;
}

/** A map of a file. */
export type SectionName = Exclude<keyof ResourceFile, 'project'>;

/** Resources of one type. */
export interface Section {
  readonly name: SectionName;
  /** Type in declarations. */
  readonly type: ResourceType;
  /** In sentences. */
  readonly noun: string;
  /** Field that holds the logical ID, if the key stands for one. */
  readonly keyField?: string;
}

/** In the order of files; later ones refer to earlier ones. */
export const sections: readonly Section[] = [
  { name: 'variables', type: 'variable', noun: 'variable', keyField: 'key' },
  { name: 'privateLocations', type: 'private-location', noun: 'private location', keyField: 'slugName' },
  { name: 'snippets', type: 'snippet', noun: 'snippet' },
  { name: 'alertChannels', type: 'alert-channel', noun: 'alert channel' },
  { name: 'checkGroups', type: 'check-group', noun: 'check group' },
  { name: 'checks', type: 'check', noun: 'check' },
  { name: 'maintenanceWindows', type: 'maintenance-window', noun: 'maintenance window' },
];

/** Fields of files that are another name of a field of the API. */
export const aliases = {
  group: 'groupId',
  groups: 'groupIds',
  checks: 'checkIds',
  alertChannels: 'alertChannelSubscriptions',
} as const satisfies Readonly<Record<string, string>>;

/** Fields of files that name a file, whose text is the value of a field of the API. */
export const fileFields = {
  scriptFile: 'script',
  localSetupScriptFile: 'localSetupScript',
  localTearDownScriptFile: 'localTearDownScript',
} as const satisfies Readonly<Record<string, string>>;

/** The field of the API that a field of files sets. */
export function fieldOf(key: string): string {
  const names: Readonly<Record<string, string>> = { ...aliases, ...fileFields };
  return Object.hasOwn(names, key) ? (names[key] ?? key) : key;
}

/** Fields of the API that refer to resources: in files by logical ID, or by the ID of the API. */
export const references = {
  groupId: 'check-group',
  'groupIds[]': 'check-group',
  'checkIds[]': 'check',
  'dependsOn[]': 'check',
  'alertChannelSubscriptions[].alertChannelId': 'alert-channel',
  'activeHours.otherChannelId': 'alert-channel',
  setupSnippetId: 'snippet',
  tearDownSnippetId: 'snippet',
} as const satisfies Readonly<Record<string, ResourceType>>;

/** Fields of the API that files do not have: the other side of the reference has them. */
export const omittedFields: readonly string[] = ['subscriptions'];
