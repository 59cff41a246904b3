// Turns the resources of an account into a resource file, with placeholders for secrets.
import { type ResourceFile, type SectionName, sections } from '#contract/projects/resource-file.ts';
import { hasSecretUrl, mask } from '#domain/deliveries/shown-url.ts';
import type { JsonObject, JsonValue } from '#domain/json.ts';
import type { ResourceType } from '#domain/projects/resource.ts';
import { type FileSchema, fileForm, idText } from './from-api.ts';
import { escaped } from './placeholders.ts';

/** Resources as the API returns them, by section. */
export type ExportedResources = Readonly<Partial<Record<SectionName, readonly JsonObject[]>>>;

/** A file and what it does not contain. */
export interface Export {
  readonly file: ResourceFile;
  /** Names of the environment variables that it needs, with where. */
  readonly placeholders: readonly { readonly name: string; readonly used: string }[];
}

/** Which values become placeholders, beside masked ones, and what their names begin with. */
export interface SecretRules {
  readonly isSecret: (field: string, of: JsonObject) => boolean;
  readonly wordsOf: (resource: JsonObject, logicalId: string) => readonly string[];
}

/** Whatever the web UI hides. */
const hidden: SecretRules = {
  isSecret: (field, of) =>
    (field === 'value' && (of['secret'] === true || of['locked'] === true)) || (field === 'url' && hasSecretUrl(of)),
  wordsOf: (_resource, logicalId) => [logicalId],
};

/**
 * Exports resources under their logical IDs, in the order of these.
 * @param ownedAs the logical ID that a project has for a resource; undefined = it is derived from its name
 */
export function exportResources(
  schema: FileSchema,
  resources: ExportedResources,
  ownedAs: (type: ResourceType, id: string) => string | undefined,
  rules: SecretRules = hidden,
): Export {
  const names = new Map<string, string>();
  for (const { name, type, keyField } of sections) {
    const taken = new Set<string>();
    for (const resource of oldestFirst(resources[name] ?? [])) {
      const id = idOf(resource, keyField);
      const wanted = keyField === undefined ? (ownedAs(type, id) ?? slugOf(titleOf(resource))) : id;
      const unique = uniqueName(wanted, taken, '-');
      taken.add(unique);
      names.set(`${type} ${id}`, unique);
    }
  }
  const secrets = createSecrets(rules);
  const subscribesItself = resources.alertChannels?.some((channel) => channel['autoSubscribe'] === true) ?? false;
  const maps = sections.map(({ name, type, keyField }) => {
    const entries = (resources[name] ?? []).map((resource): [string, JsonValue] => {
      const logicalId = names.get(`${type} ${idOf(resource, keyField)}`) ?? '';
      const safe = secrets.replaced(
        withPassword(resource),
        rules.wordsOf(resource, logicalId),
        `${name}.${logicalId}`,
      ) as JsonObject;
      const form = fileForm(schema, name, safe, (of, id) => names.get(`${of} ${id}`));
      // Without a list, a new check or group is subscribed to the channels that subscribe themselves.
      const { alertChannelSubscriptions: listed } = resource;
      const isUnheard = subscribesItself && Array.isArray(listed) && listed.length === 0;
      return [logicalId, valueAlone(keyField, isUnheard ? { ...form, alertChannels: [] } : form)];
    });
    return [name, Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))];
  });
  return { file: Object.fromEntries(maps) as ResourceFile, placeholders: secrets.placeholders };
}

/** A password that the API does not return is a secret of the file. */
function withPassword(resource: JsonObject): JsonObject {
  return resource['hasPassword'] === true ? { ...resource, password: mask } : resource;
}

/** The oldest of several with the same name gets the name, so that it stays. */
function oldestFirst(resources: readonly JsonObject[]): readonly JsonObject[] {
  const at = ({ created_at: text }: JsonObject): string => (typeof text === 'string' ? text : '');
  return resources.toSorted((a, b) => at(a).localeCompare(at(b)));
}

function idOf(resource: JsonObject, keyField = 'id'): string {
  return idText(resource[keyField]);
}

/** A variable that is neither secret nor locked is its value. */
function valueAlone(keyField: string | undefined, form: JsonObject): JsonValue {
  const { value } = form;
  return keyField !== undefined && value !== undefined && Object.keys(form).length === 1 ? value : form;
}

/** What people call a resource. */
export function titleOf({ name, type, config }: JsonObject): string {
  const settings = (config ?? {}) as JsonObject;
  const titles = [name, settings['name'], settings['address'], type];
  return titles.find((title): title is string => typeof title === 'string' && title !== '') ?? '';
}

/** `Home page (German)` → `home-page-german`. */
function slugOf(title: string): string {
  const slug = title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .slice(0, 100)
    .replace(/^-|-$/g, '');
  return slug === '' ? 'unnamed' : slug;
}

function uniqueName(wanted: string, taken: ReadonlySet<string>, joint: string): string {
  if (!taken.has(wanted)) return wanted;
  for (let number = 2; ; number++) {
    const name = `${wanted}${joint}${number}`;
    if (!taken.has(name)) return name;
  }
}

/** Replaces secrets by placeholders, and lists these. */
function createSecrets({ isSecret }: SecretRules) {
  const placeholders: { readonly name: string; readonly used: string }[] = [];
  const taken = new Set<string>();
  const placeholder = (words: readonly string[], used: string): string => {
    const text = words
      .join('_')
      .replace(/(?<=[a-z])(?=[A-Z])/g, '_')
      .toUpperCase()
      .replace(/[^A-Z0-9]+/g, '_');
    const name = uniqueName(/^[A-Z]/.test(text) ? text : `SECRET_${text}`, taken, '_');
    taken.add(name);
    placeholders.push({ name, used });
    return `\${env:${name}}`;
  };
  const replaced = (value: JsonValue, words: readonly string[], path: string): JsonValue => {
    if (typeof value === 'string') {
      if (!value.includes(mask)) return escaped(value);
      return value.split(mask).map(escaped).join(placeholder(words, path));
    }
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) {
      return (value as readonly JsonValue[]).map((each, index) => replaced(each, words, `${path}[${index}]`));
    }
    const object = value as JsonObject;
    const key = typeof object['key'] === 'string' && !words.includes(object['key']) ? [object['key']] : [];
    return Object.fromEntries(
      Object.entries(object).map(([name, each]) => {
        const at = `${path}.${name}`;
        if (isSecret(name, object)) return [name, placeholder([...words, ...(name === 'url' ? ['url'] : key)], at)];
        return [name, replaced(each, name === 'value' ? [...words, ...key] : [...words, ...own(name)], at)];
      }),
    );
  };
  return { placeholders, replaced };
}

/** Names of fields that say nothing about their content. */
function own(name: string): readonly string[] {
  return ['config', 'request', 'value', 'environmentVariables', 'headers', 'queryParameters'].includes(name)
    ? []
    : [name];
}
