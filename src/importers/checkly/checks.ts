// Checkly: checks and groups as Tocsin's API would return them.
import { checkTypes } from '#contract/checks/check.ts';
import { aliases, fileFields } from '#contract/projects/resource-file.ts';
import type { JsonObject, JsonValue } from '#domain/json.ts';
import { nameOf } from '../check-parts.ts';
import { type Foreign, isForeign, numberOf, objectOf, objectsOf, textOf } from '../values.ts';
import { type Context, plainObject, without } from './context.ts';
import { variableName } from './resources.ts';

/** Largest limit of a response time, ms. */
const longestResponse = 30_000;

/** Why types are not carried over; others have no counterpart at all. */
const reasons: Readonly<Record<string, string>> = {
  PLAYWRIGHT: 'Tocsin runs no Playwright suites: create a browser check for each test',
  GRPC: 'Tocsin has no gRPC check; a TCP check can watch the port',
  TRACEROUTE: 'Tocsin has no traceroute check; an ICMP check measures latency and packet loss',
  AGENTIC: 'Tocsin has no agentic check; create a browser check',
};

/** Fields of files that the API does not have, and those that mean nothing here. */
const dropped = [
  ...Object.keys(aliases),
  ...Object.keys(fileFields),
  'intent',
  'aiAutoRepairEnabled',
  'triggerIncident',
  'snapshots',
  'playwrightConfig',
  'dependsOn',
  'mutedUntil',
  'mutedUntilRecovery',
];

/** @returns null = not carried over, and the notes say why */
export function checkOf(foreign: Foreign, context: Context, notes: string[]): JsonObject | null {
  const type = textOf(foreign['checkType']);
  const isScripted = ['BROWSER', 'MULTI_STEP'].includes(type);
  if (!checkTypes.includes(type)) {
    notes.push(reasons[type] ?? `Tocsin has no checks of the type ${type.slice(0, 50)}`);
    return null;
  }
  if (isScripted && textOf(foreign['script']).trim() === '') {
    notes.push('the API does not return its script: deploy its project with the checkly command line');
    return null;
  }
  const hasHooks = type === 'API' && (isHooked(foreign) || context.scriptedGroups.has(textOf(foreign['groupId'])));
  if (context.hasNoRuntime && (isScripted || hasHooks)) {
    notes.push('this server has no runtime for its scripts: install one, then repeat the import');
    return null;
  }
  const common = placed(foreign, `check ${textOf(foreign['id'])}`, context, notes);
  const { groupId, ...check } = isScripted ? scriptedOf(common, notes) : common;
  const isGrouped = context.ids.checkGroups.has(textOf(groupId));
  if (groupId !== undefined && !isGrouped) notes.push('its group is not carried over');
  const own = type === 'HEARTBEAT' ? without(check, 'frequency', 'frequencyOffset') : check;
  if (type === 'HEARTBEAT') notes.push('has a new ping URL: point the job to it');
  return {
    ...own,
    checkType: type,
    ...(groupId !== undefined && isGrouped && { groupId }),
    ...requestOf(type, own),
    ...times(own, notes),
    ...hooks(own, context, notes),
  };
}

/** @returns null = not carried over, and the notes say why */
export function groupOf(foreign: Foreign, context: Context, notes: string[]): JsonObject {
  const group = placed(foreign, `group ${textOf(foreign['id'])}`, context, notes);
  const { apiCheckDefaults } = group;
  if (isHooked(foreign)) context.scriptedGroups.add(textOf(foreign['id']));
  return {
    ...group,
    ...(isForeign(apiCheckDefaults) && { apiCheckDefaults: withoutEmptyUser(plainObject(apiCheckDefaults)) }),
    ...hooks(group, context, notes),
  };
}

/** Whether scripts run around requests. */
function isHooked(foreign: Foreign): boolean {
  return ['localSetupScript', 'localTearDownScript', 'setupSnippetId', 'tearDownSnippetId'].some((name) =>
    isSet(foreign[name]),
  );
}

/** What checks and groups have in common: name, channels, locations, runtime and variables. */
function placed(foreign: Foreign, key: string, context: Context, notes: string[]): JsonObject {
  for (const name of dropped) {
    if (isSet(foreign[name])) notes.push(`left out, because Tocsin has no counterpart: ${name}`);
  }
  const { runtimeId, ...resource } = without(plainObject(foreign), ...dropped);
  const isKnown = context.here.runtimes.includes(textOf(runtimeId));
  if (runtimeId !== undefined && !isKnown) {
    notes.push(`uses the runtime of the account: this server does not have ${textOf(runtimeId).slice(0, 50)}`);
  }
  return {
    ...resource,
    name: nameOf(textOf(foreign['name']), key),
    alertChannelSubscriptions: subscriptions(foreign, key, context),
    ...('locations' in resource && { locations: locations(foreign, context, notes) }),
    ...('privateLocations' in resource && { privateLocations: privateLocations(foreign, context, notes) }),
    ...('environmentVariables' in resource && { environmentVariables: variables(resource, notes) }),
    ...(runtimeId !== undefined && isKnown && { runtimeId }),
  };
}

/** Whether a field sets something. */
function isSet(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).some(isSet);
  return value !== undefined && value !== null && value !== '' && value !== false;
}

/** Both sides list subscriptions: the check or group, and the channel. */
function subscriptions(foreign: Foreign, key: string, { ids, subscribed }: Context): readonly JsonObject[] {
  const own = objectsOf(foreign['alertChannelSubscriptions']).filter(({ activated }) => activated !== false);
  const channels = new Map([
    ...(subscribed.get(key) ?? []).map((id) => [textOf(id), id] as const),
    ...own.map(({ alertChannelId: id }) => [textOf(id), id as JsonValue] as const),
  ]);
  return [...channels]
    .filter(([id]) => ids.alertChannels.has(id))
    .map(([, alertChannelId]) => ({ alertChannelId, activated: true }));
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(textOf).filter((text) => text !== '') : [];
}

function locations({ locations: listed }: Foreign, { here }: Context, notes: string[]): readonly string[] {
  const [known, unknown] = parted(textsOf(listed), (code) => here.locations.includes(code));
  if (unknown.length > 0) {
    const others = known.length === 0 ? 'at the first location of this server' : `only at ${known.join(', ')}`;
    notes.push(`runs ${others}: it has no ${unknown.join(', ').slice(0, 300)}`);
  }
  return known;
}

function privateLocations({ privateLocations: listed }: Foreign, { ids }: Context, notes: string[]): readonly string[] {
  const slugs = textsOf(listed).map((slug) => slug.toLowerCase());
  const [known, unknown] = parted(slugs, (slug) => ids.privateLocations.has(slug));
  if (unknown.length > 0)
    notes.push(`private locations that are not carried over: ${unknown.join(', ').slice(0, 300)}`);
  return known;
}

function parted(all: readonly string[], test: (each: string) => boolean): readonly [string[], string[]] {
  return [all.filter(test), all.filter((each) => !test(each))];
}

function variables({ environmentVariables: listed }: JsonObject, notes: string[]): readonly JsonObject[] {
  const all = objectsOf(listed);
  const wrong = all.filter(({ key }) => !variableName.test(textOf(key)));
  if (wrong.length > 0) {
    notes.push(
      `variables with names that are not valid: ${wrong
        .map(({ key }) => textOf(key))
        .join(', ')
        .slice(0, 300)}`,
    );
  }
  return all.filter((each) => !wrong.includes(each)).map((each) => ({ value: null, ...plainObject(each) }));
}

/** A script whose imports are missing would fail: it arrives deactivated. */
function scriptedOf(check: JsonObject, notes: string[]): JsonObject {
  const script = textOf(check['script']);
  const dependencies = objectsOf(check['dependencies']).filter(({ path, content }) => textOf(path) && textOf(content));
  const isMissing = dependencies.length === 0 && /(?:\bfrom|\bimport|\brequire\()\s*['"]\.{1,2}\//.test(script);
  const hasSnippet = /\{\{>/.test(script);
  if (isMissing)
    notes.push('deactivated: the API does not return the files that its script imports; deploy its project');
  if (hasSnippet) notes.push('deactivated: its script contains a snippet; put its text there, then activate it');
  return {
    ...without(check, 'dependencies'),
    ...(dependencies.length > 0 && {
      dependencies: dependencies.map(({ path, content }) => ({ path: textOf(path), content: textOf(content) })),
    }),
    ...((isMissing || hasSnippet) && { activated: false }),
  };
}

function requestOf(type: string, { request }: JsonObject): JsonObject {
  if (!isForeign(request)) return {};
  const plainRequest = plainObject(request);
  if (type === 'TCP') {
    const { url, ...tcp } = plainRequest;
    return { request: { ...tcp, hostname: textOf(tcp['hostname']) || textOf(url) } };
  }
  if (type !== 'API') return { request: plainRequest };
  return {
    request: withoutEmptyUser({ ...plainRequest, method: textOf(plainRequest['method']).toUpperCase() || 'GET' }),
  };
}

/** Checks without authentication may have an empty user. */
function withoutEmptyUser(request: JsonObject): JsonObject {
  const { username, password } = objectOf(request['basicAuth']);
  return textOf(username) === '' && textOf(password) === '' ? without(request, 'basicAuth') : request;
}

function times(check: JsonObject, notes: string[]): JsonObject {
  return Object.fromEntries(
    ['degradedResponseTime', 'maxResponseTime'].flatMap((name) => {
      const given = numberOf(check[name]);
      if (given === null || given <= longestResponse) return [];
      notes.push(`${name} is ${longestResponse} ms instead of ${given} ms`);
      return [[name, longestResponse] as const];
    }),
  );
}

/** References to snippets that are carried over. A check that lost one arrives deactivated. */
function hooks(resource: JsonObject, { ids }: Context, notes: string[]): JsonObject {
  const lost = ['setupSnippetId', 'tearDownSnippetId'].filter((name) => {
    const id = textOf(resource[name]);
    return id !== '' && !ids.snippets.has(id);
  });
  if (lost.length === 0) return {};
  notes.push('deactivated: its snippet is not carried over');
  return { ...Object.fromEntries(lost.map((name) => [name, null])), activated: false };
}
