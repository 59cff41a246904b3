// The resource file: monitoring as YAML, with the fields of the API's create bodies (docs/files.md).
// Loads no schemas, so that the web UI can use it.
import type { JsonObject } from '#domain/json.ts';
import type { ResourceType } from '#domain/projects/resource.ts';

/** A resource as written in a file. A variable may be its value alone. */
export type FileResource = JsonObject;

/** Resources of one type, in the order of files; later ones refer to earlier ones. */
const all = [
  { name: 'variables', type: 'variable', noun: 'variable', keyField: 'key' },
  { name: 'privateLocations', type: 'private-location', noun: 'private location', keyField: 'slugName' },
  { name: 'snippets', type: 'snippet', noun: 'snippet' },
  { name: 'alertChannels', type: 'alert-channel', noun: 'alert channel' },
  { name: 'checkGroups', type: 'check-group', noun: 'check group' },
  { name: 'checks', type: 'check', noun: 'check' },
  { name: 'maintenanceWindows', type: 'maintenance-window', noun: 'maintenance window' },
  { name: 'statusServices', type: 'status-service', noun: 'service of status pages' },
  { name: 'statusPages', type: 'status-page', noun: 'status page' },
] as const satisfies readonly {
  readonly name: string;
  readonly type: ResourceType;
  readonly noun: string;
  readonly keyField?: string;
}[];

/** IDs of the operations that create, read and list the resources of a type. */
export const resourceOperations = {
  variable: ['createVariable', 'getVariable', 'listVariables'],
  'private-location': ['createPrivateLocation', 'getPrivateLocation', 'listPrivateLocations'],
  snippet: ['createSnippet', 'getSnippet', 'listSnippets'],
  'alert-channel': ['createAlertChannel', 'getAlertChannel', 'listAlertChannels'],
  'check-group': ['createCheckGroupV2', 'getCheckGroup', 'listCheckGroups'],
  check: ['createCheck', 'getCheck', 'listChecks'],
  'maintenance-window': ['createMaintenanceWindow', 'getMaintenanceWindow', 'listMaintenanceWindows'],
  'status-service': ['createStatusService', 'getStatusService', 'listStatusServices'],
  'status-page': ['createStatusPage', 'getStatusPage', 'listStatusPages'],
} as const satisfies Readonly<Record<ResourceType, readonly [create: string, get: string, list: string]>>;

/** A map of a file. */
export type SectionName = (typeof all)[number]['name'];

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

export const sections: readonly Section[] = all;

/** A parsed file. The keys of each map are logical IDs. */
export type ResourceFile = {
  /** Logical ID of the project that owns the resources. */
  readonly project?: string;
} & {
  readonly [Name in SectionName]?: Readonly<
    Record<string, Name extends 'variables' ? FileResource | string : FileResource>
  >;
};

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

/** Fields of files that name an image, whose data URL is the value of a field of the API. */
export const imageFields = {
  logoFile: 'logo',
  faviconFile: 'favicon',
} as const satisfies Readonly<Record<string, string>>;

/** The field of the API that a field of files sets. */
export function fieldOf(key: string): string {
  const names: Readonly<Record<string, string>> = { ...aliases, ...fileFields, ...imageFields };
  return Object.hasOwn(names, key) ? (names[key] ?? key) : key;
}

/** Fields of the API that refer to resources: in files by logical ID, or by the ID of the API. */
export const references = {
  groupId: 'check-group',
  'groupIds[]': 'check-group',
  'checkIds[]': 'check',
  'dependsOn[]': 'check',
  'alertChannelSubscriptions[].alertChannelId': 'alert-channel',
  'alertChannelIds[]': 'alert-channel',
  'activeHours.otherChannelId': 'alert-channel',
  setupSnippetId: 'snippet',
  tearDownSnippetId: 'snippet',
  'cards[].services[]': 'status-service',
  'triggerIncident.serviceId': 'status-service',
} as const satisfies Readonly<Record<string, ResourceType>>;

/** Fields of the API that files do not have: the other side of the reference has them, or the server sets them. */
export const omittedFields: readonly string[] = ['subscriptions', 'cards[].id'];
