// What the readers of an account of Checkly share: what they have read, and what this server has.
import { type SectionName, sections } from '#contract/projects/resource-file.ts';
import type { JsonObject, JsonValue } from '#domain/json.ts';
import { type Foreign, isForeign, objectsOf, textOf } from '../values.ts';

/** Locations and runtimes that this server has. */
export interface KnownHere {
  readonly locations: readonly string[];
  readonly runtimes: readonly string[];
}

export interface Context {
  /** IDs that were read and are carried over. */
  readonly ids: Readonly<Record<SectionName, Set<string>>>;
  /** IDs of the channels that a check or group is subscribed to, by `check ID` or `group ID`. */
  readonly subscribed: ReadonlyMap<string, readonly JsonValue[]>;
  readonly here: KnownHere;
  /** Whether this server cannot run scripts. false = it can, or it is not known. */
  readonly hasNoRuntime: boolean;
  /** IDs of groups whose scripts run around the requests of their checks. */
  readonly scriptedGroups: Set<string>;
  /** Epoch ms. */
  readonly now: number;
}

export function createContext(channels: readonly Foreign[], here: KnownHere | null, now: number): Context {
  const subscribed = new Map<string, JsonValue[]>();
  for (const { id, subscriptions } of channels) {
    for (const { checkId, groupId, activated } of objectsOf(subscriptions)) {
      const key = textOf(checkId) === '' ? `group ${textOf(groupId)}` : `check ${textOf(checkId)}`;
      if (activated !== false) subscribed.set(key, [...(subscribed.get(key) ?? []), id as JsonValue]);
    }
  }
  const ids = Object.fromEntries(sections.map(({ name }) => [name, new Set<string>()])) as unknown as Context['ids'];
  return {
    ids,
    subscribed,
    here: here ?? { locations: [], runtimes: [] },
    hasNoRuntime: here !== null && here.runtimes.length === 0,
    scriptedGroups: new Set(),
    now,
  };
}

/** Fields for which null has a meaning of its own. */
const withNull = new Set(['retryStrategy', 'degradedResponseTime', 'maxResponseTime', 'value']);

/** The value without fields that are null, which are at their defaults. */
export function plain(value: unknown): JsonValue {
  if (Array.isArray(value)) return value.map(plain);
  if (!isForeign(value)) return (value ?? null) as JsonValue;
  const set = Object.entries(value).filter(([name, each]) => each !== null || withNull.has(name));
  return Object.fromEntries(set.map(([name, each]) => [name, plain(each)]));
}

/** The same, of an object. */
export function plainObject(value: Foreign): JsonObject {
  return plain(value) as JsonObject;
}

/** The object without some fields. */
export function without(object: JsonObject, ...names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
}
