// What assertions say about values that do not exist, and how older assertions keep their meaning
// (docs/decisions/0140).
import type { JsonObject, JsonValue } from '../json.ts';

/** Comparisons that older assertions passed if the value did not exist. */
const negated: ReadonlySet<JsonValue | undefined> = new Set([
  'NOT_EQUALS',
  'NOT_HAS_KEY',
  'NOT_HAS_VALUE',
  'NOT_CONTAINS',
]);

/** Comparisons that hold if the value does not exist. */
const ofNothing: ReadonlySet<string> = new Set(['IS_EMPTY', 'IS_NULL']);

/** Whether a comparison holds for a value that does not exist. */
export function holdsForNothing(comparison: string): boolean {
  return ofNothing.has(comparison);
}

/** Whether a comparison of an older assertion passes for a value that does not exist. */
export function isNegated(comparison: string): boolean {
  return negated.has(comparison);
}

/** The parts of a stored assertion that decide this. */
interface Asserted {
  readonly source: string;
  readonly comparison: string;
  readonly property: string;
  readonly regex: string | null;
  /** Absent = it was saved by an older version, and passes. */
  readonly passesIfAbsent?: boolean | undefined;
}

/** Whether an assertion passes if its value does not exist, and the value may be missing. */
export function passesIfAbsent({ source, comparison, property, regex, passesIfAbsent: passes }: Asserted): boolean {
  if (!negated.has(comparison) || passes === false) return false;
  const hasPattern = regex !== null && regex !== '';
  if (source === 'HEADERS') return hasPattern || (property !== '' && comparison !== 'NOT_HAS_KEY');
  if (source.startsWith('JSON_')) return !isAlwaysThere(property.trim());
  if (source.startsWith('TEXT_') || source === 'RESPONSE_DATA') return hasPattern || property !== '';
  return source === 'LATENCY' || source === 'CERTIFICATE' || source === 'CONNECTION';
}

/** Whether a JSON path has a value in every document, or fails without a match anyway. */
function isAlwaysThere(path: string): boolean {
  return path === '' || path === '$' || /^(?:any|count)\(|[*?]|\.\./.test(path);
}

/** A written request, or group defaults: assertions that it leaves unchanged keep their meaning, others are new. */
export function requestWithMeaning(request: JsonObject, present: JsonObject | null): JsonObject {
  const { assertions } = request;
  if (!Array.isArray(assertions)) return request;
  const older = itemsOf(present?.['assertions']).filter((each) => each['passesIfAbsent'] !== false);
  const keys = new Set(older.map(keyOf));
  return {
    ...request,
    assertions: itemsOf(assertions).map(({ passesIfAbsent: wanted, ...assertion }) => {
      if (!negated.has(assertion['comparison'])) return assertion;
      const isOlder = wanted !== false && keys.has(keyOf(assertion));
      return isOlder ? assertion : { ...assertion, passesIfAbsent: false };
    }),
  };
}

/** The same for the settings of a check, wherever its kind has assertions. */
export function settingsWithMeaning(settings: JsonObject, present: JsonObject): JsonObject {
  return eachRequest(settings, (request, name) =>
    requestWithMeaning(request, name === null ? present : objectIn(present[name])),
  );
}

/** A request in a response: `passesIfAbsent` is true or not included. */
export function requestWithShownMeaning(request: JsonObject): JsonObject {
  const { assertions } = request;
  if (!Array.isArray(assertions)) return request;
  return {
    ...request,
    assertions: itemsOf(assertions).map((assertion) => {
      const { passesIfAbsent: _stored, ...shown } = assertion;
      return passesIfAbsent(assertedOf(assertion)) ? { ...shown, passesIfAbsent: true } : shown;
    }),
  };
}

/** The same for the settings of a check. */
export function settingsWithShownMeaning(settings: JsonObject): JsonObject {
  return eachRequest(settings, requestWithShownMeaning);
}

/** A request whose assertions all fail if their value does not exist, except those that test for absence. */
export function upgradedRequest(request: JsonObject): JsonObject {
  return requestWithMeaning(request, null);
}

/** The same for the settings of a check. */
export function upgradedSettings(settings: JsonObject): JsonObject {
  return eachRequest(settings, upgradedRequest);
}

function eachRequest(settings: JsonObject, map: (request: JsonObject, name: string | null) => JsonObject): JsonObject {
  const own = map(settings, null);
  const parts = Object.entries(own).map(([name, value]) => {
    const part = objectIn(value);
    return [name, part === null ? value : map(part, name)] as const;
  });
  return Object.fromEntries(parts);
}

function assertedOf(assertion: JsonObject): Asserted {
  const { source, comparison, property, regex, passesIfAbsent: passes } = assertion;
  const text = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');
  const asserted = { source: text(source), comparison: text(comparison), property: text(property), regex: text(regex) };
  return passes === false ? { ...asserted, passesIfAbsent: false } : asserted;
}

function keyOf({ source, comparison, property = '', target = '', regex = null }: JsonObject): string {
  return JSON.stringify([source, comparison, property, target, regex ?? '']);
}

function itemsOf(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]).map(objectIn).filter((item) => item !== null) : [];
}

function objectIn(value: JsonValue | undefined): JsonObject | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;
}
