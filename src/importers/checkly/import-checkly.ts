// Checkly: the resources of an account, as its API returns them, to a resource file.
import { type FileResource, type SectionName, sections } from '#contract/projects/resource-file.ts';
import type { JsonObject } from '#domain/json.ts';
import type { ResourceType } from '#domain/projects/resource.ts';
import { exportResources, type SecretRules, titleOf } from '#files/export.ts';
import { type FileSchema, idText, unknownFields } from '#files/from-api.ts';
import { nameOf } from '../check-parts.ts';
import { createDraft, type Imported, nouns, type Source } from '../imported.ts';
import { type Foreign, textOf } from '../values.ts';
import { checkOf, groupOf } from './checks.ts';
import { type Context, createContext, type KnownHere } from './context.ts';
import { channelOf, locationOf, snippetOf, variableOf, windowOf } from './resources.ts';

/** Lists of the API, each complete; absent ones are not imported. */
export type ChecklyAccount = Readonly<Partial<Record<SectionName, readonly Foreign[]>>> & {
  /** What has no counterpart, each with its `kind`. `unreadable` says why a whole list could not be read. */
  readonly others: readonly Foreign[];
};

/** A resource as Tocsin's API would return it; null = not carried over, and the notes say why. */
type Reader = (foreign: Foreign, context: Context, notes: string[]) => JsonObject | null;

const readers: Readonly<Partial<Record<SectionName, Reader>>> = {
  variables: variableOf,
  privateLocations: locationOf,
  snippets: snippetOf,
  alertChannels: channelOf,
  checkGroups: groupOf,
  checks: checkOf,
  maintenanceWindows: windowOf,
};

/** What was read. */
interface Entry {
  readonly source: Source;
  readonly notes: readonly string[];
  readonly resource: JsonObject | null;
}

/** Values that the API does not return become placeholders. Locked ones are returned. */
const secretRules: SecretRules = {
  isSecret: (field, of) => field === 'value' && (of['value'] === null || (of['secret'] === true && of['value'] === '')),
  wordsOf: (resource, logicalId) => ['CHECKLY', 'SECRET', 'key' in resource ? logicalId : titleOf(resource)],
};

/**
 * Imports everything that the lists contain.
 * @param schema the document at `/schema.json`
 * @param here locations and runtimes of the server; null = not known, and none is carried over
 * @param now epoch ms: maintenance windows that have ended are left out
 */
export function importCheckly(
  account: ChecklyAccount,
  schema: FileSchema,
  here: KnownHere | null,
  now: number,
): Imported {
  const draft = createDraft('checkly', (text) => text);
  const entries = readAll(account, createContext(account.alertChannels ?? [], here, now));
  const resources = Object.fromEntries(
    sections.map(({ name }) => [name, (entries[name] ?? []).flatMap(({ resource }) => resource ?? [])]),
  );
  const { file, placeholders } = exportResources(schema, resources, logicalIdOf, secretRules);
  for (const { name, type, keyField } of sections) {
    for (const { source, notes, resource } of entries[name] ?? []) {
      if (resource === null) {
        draft.skip(source, ...notes);
        continue;
      }
      const id = keyField === undefined ? logicalIdOf(type, idText(resource['id'])) : idText(resource[keyField]);
      const secrets = placeholders.filter(({ used }) => used.startsWith(`${name}.${id}.`));
      draft.add(name, id, formOf(file[name]?.[id]), source, [
        ...notes,
        ...secrets.map((secret) => `the API does not return a secret: set the environment variable ${secret.name}`),
        ...leftOut(unknownFields(schema, name, resource)),
      ]);
    }
  }
  for (const other of account.others) {
    const { kind, unreadable, name, header, host } = other;
    const from = textOf(name) || textOf(header) || textOf(host);
    const why = textOf(unreadable) === '' ? reasons[textOf(kind)] : `cannot be read: ${textOf(unreadable)}`;
    draft.skip({ from: nameOf(from, 'unnamed'), kind: textOf(kind) }, why ?? 'it has no counterpart');
  }
  return { ...draft.finish(), secrets: placeholders };
}

/** Why other things are not carried over. */
const reasons: Readonly<Record<string, string>> = {
  dashboard: 'Tocsin has a wall of its own in the web UI',
  'status page': 'status pages are not imported; create them in the web UI',
  'client certificate': 'the API does not return its key: upload it again',
};

/** Reads what was not read yet: a page may repeat what was on the page before it. */
function readAll(account: ChecklyAccount, context: Context): Partial<Record<SectionName, Entry[]>> {
  const found: Partial<Record<SectionName, Entry[]>> = {};
  for (const { name, keyField = 'id' } of sections) {
    const seen = context.ids[name];
    const reader = readers[name];
    found[name] = [];
    for (const foreign of reader === undefined ? [] : (account[name] ?? [])) {
      const id = textOf(foreign[keyField]);
      if (id !== '' && seen.has(id)) continue;
      const notes: string[] = [];
      const resource = id === '' || reader === undefined ? null : reader(foreign, context, notes);
      if (id === '') notes.push(`it has no ${keyField}`);
      if (resource !== null) seen.add(id);
      found[name].push({ source: sourceOf(name, foreign), notes, resource });
    }
  }
  return found;
}

const prefixes: Partial<Record<ResourceType, string>> = {
  snippet: 'snippet',
  'alert-channel': 'channel',
  'check-group': 'group',
  check: 'check',
  'maintenance-window': 'window',
};

function logicalIdOf(type: ResourceType, id: string): string {
  return `${prefixes[type] ?? type}-${id}`;
}

/** A variable may be its value alone. */
function formOf(form: FileResource | string | undefined): FileResource {
  return typeof form === 'string' ? { value: form } : (form ?? {});
}

/** Names of fields that set nothing: they identify something, or describe its state. */
const ignored = new Set([
  'id',
  'order',
  'key',
  'slugName',
  'created_at',
  'updated_at',
  'createdAt',
  'updatedAt',
  'projectBindings',
  'project',
  'logicalId',
  'member',
  'pending',
  'sourceInfo',
  'subscriptions',
  'keys',
  'lastSeen',
  'agentCount',
  'minAgentVersion',
  'runningAgents',
]);

function leftOut(fields: readonly string[]): readonly string[] {
  const named = fields.filter((field) => !ignored.has(field.slice(field.lastIndexOf('.') + 1)));
  return named.length === 0 ? [] : [`left out, because Tocsin has no counterpart: ${named.join(', ').slice(0, 500)}`];
}

function sourceOf(section: SectionName, foreign: Foreign): Source {
  const { key, checkType, type } = foreign;
  const title = textOf(key) || titleOf(foreign as JsonObject);
  const kind = [textOf(checkType) || (section === 'alertChannels' ? textOf(type) : ''), nouns[section]];
  return { from: nameOf(title, 'unnamed'), kind: kind.join(' ').trim().slice(0, 100) };
}
