// Masks secrets in responses, and replaces masks in requests by the stored values.
import { type Caller, mayDo } from '#domain/accounts/api-key.ts';
import type { EnvironmentVariable } from '#domain/accounts/environment-variable.ts';
import { variableNameProblem } from '#domain/accounts/variable-name.ts';
import { mask, maskAddress, maskUserInfo } from '#domain/deliveries/shown-url.ts';
import type { JsonObject, JsonValue } from '#domain/json.ts';
import { invalidField } from './refusal.ts';

/** A variable in a response. */
export interface ShownVariable extends Omit<EnvironmentVariable, 'value'> {
  /** null = secret. */
  readonly value: string | null;
}

/** A variable in a request: `value` null or the mask keeps the stored value of a secret. */
export type VariableInput = ShownVariable;

/** Variables in responses: secret values are never shown, locked ones only to callers who may change them. */
export function shownVariables(caller: Caller, variables: readonly EnvironmentVariable[]): ShownVariable[] {
  return variables.map(({ key, value, locked, secret }) => {
    const isHidden = locked && !mayDo(caller.role, 'write');
    return { key, value: secret ? null : isHidden ? mask : value, locked, secret };
  });
}

/** Variables for rendering: the mask for values that the caller may not see, nothing for secrets. */
export function visibleVariables(caller: Caller, variables: readonly EnvironmentVariable[]): EnvironmentVariable[] {
  return shownVariables(caller, variables).map((shown) => ({ ...shown, value: shown.value ?? '' }));
}

/**
 * The new value of a variable. Refuses (`invalid`) a missing value, and turning a secret into a plain variable without
 * a new value.
 * @param path path of the value in the input
 */
export function mergedValue(
  input: Pick<VariableInput, 'value' | 'secret'>,
  present: EnvironmentVariable | null,
  path: string,
): string {
  if (input.value !== null && input.value !== mask) return input.value;
  if (present?.secret === true) {
    if (input.secret) return present.value;
    throw invalidField(path, 'is required when a variable stops being secret');
  }
  if (input.value === null) throw invalidField(path, 'is required: a string');
  // Locked values are masked for keys without write permission.
  if (present?.locked === true) return present.value;
  throw invalidField(path, `is required: ${mask} is only the placeholder of a stored value`);
}

/** Bytes of all names and values of the variables of a check or group. */
const ownVariableBytes = 65_536;

/**
 * The new variables of a check or group. Refuses (`invalid`) duplicate keys, and a list that grows beyond 65,536 bytes.
 */
export function mergedVariables(
  inputs: readonly VariableInput[],
  present: readonly EnvironmentVariable[],
): EnvironmentVariable[] {
  const byKey = new Map(present.map((variable) => [variable.key, variable]));
  const seen = new Set<string>();
  const merged = inputs.map((input, index) => {
    const { key, locked, secret } = input;
    if (seen.has(key)) throw invalidField(`environmentVariables[${index}].key`, 'is duplicated');
    seen.add(key);
    if (!byKey.has(key)) requireVariableName(key, `environmentVariables[${index}].key`);
    const value = mergedValue(input, byKey.get(key) ?? null, `environmentVariables[${index}].value`);
    return { key, value, locked, secret };
  });
  const bytes = countBytes(merged);
  if (bytes > ownVariableBytes && bytes > countBytes(present)) {
    const shown = bytes.toLocaleString('en-US');
    throw invalidField('environmentVariables', `must have at most 65,536 bytes of names and values, not ${shown}`);
  }
  return merged;
}

function countBytes(variables: readonly EnvironmentVariable[]): number {
  return variables.reduce((sum, { key, value }) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0);
}

/** Refuses (`invalid`) a name of a new variable that alert templates cannot use. */
export function requireVariableName(name: string, path: string): void {
  const problem = variableNameProblem(name);
  if (problem !== null) throw invalidField(path, problem);
}

/**
 * A request, or a group's request defaults, in a response: the password is masked, and locked headers and query
 * parameters for callers who may not change them.
 */
export function shownRequest(caller: Caller, request: JsonObject): JsonObject {
  const auth = objectOrNull(request['basicAuth']);
  const password = auth?.['password'];
  const shown = mayDo(caller.role, 'write') ? request : withoutSecrets(request);
  return auth === null || typeof password !== 'string' || password === ''
    ? shown
    : { ...shown, basicAuth: { ...auth, password: mask } };
}

/** A request with masks replaced by stored values. Refuses (`invalid`) a mask without a stored value. */
export function mergedRequest(request: JsonObject, present: JsonObject | null, path: string): JsonObject {
  return mergedPassword(mergedMasks(request, present, path), present, path);
}

/**
 * A request or channel configuration with stored values in place of masked headers, query parameters and URL
 * credentials. Refuses (`invalid`) a mask without a stored value.
 */
export function mergedMasks(written: JsonObject, present: JsonObject | null, path: string): JsonObject {
  const merged: Record<string, JsonValue> = { ...written };
  for (const name of ['headers', 'queryParameters']) {
    const pairs = written[name];
    if (!Array.isArray(pairs)) continue;
    const stored = present?.[name];
    const left = Array.isArray(stored) ? [...(stored as readonly JsonValue[])] : [];
    merged[name] = (pairs as readonly JsonValue[]).map((pair, index) => {
      const at = left.findIndex((each) => isSameKey(each, pair, name));
      const [known] = at < 0 ? [] : left.splice(at, 1);
      const fields = objectOrNull(pair);
      if (fields?.['value'] !== mask) return pair;
      const value = objectOrNull(known)?.['value'];
      if (typeof value === 'string') return { ...fields, value };
      const message = `is required: ${mask} is only the placeholder of a stored value`;
      throw invalidField(`${path}.${name}[${index}].value`, message);
    });
  }
  const { url } = written;
  const stored = present?.['url'];
  if (typeof url === 'string' && url.includes(mask)) {
    const isShown = typeof stored === 'string' && [maskUserInfo(stored), maskAddress(stored)].includes(url);
    if (!isShown) throw invalidField(`${path}.url`, `has ${mask}, which is only the placeholder of what is stored`);
    merged['url'] = stored;
  }
  return merged;
}

function isSameKey(one: JsonValue, other: JsonValue, name: string): boolean {
  const [a, b] = [objectOrNull(one)?.['key'], objectOrNull(other)?.['key']];
  if (typeof a !== 'string' || typeof b !== 'string') return false;
  return name === 'headers' ? a.toLowerCase() === b.toLowerCase() : a === b;
}

function mergedPassword(request: JsonObject, present: JsonObject | null, path: string): JsonObject {
  const auth = objectOrNull(request['basicAuth']);
  if (auth === null || auth['password'] !== mask) return request;
  const password = objectOrNull(present?.['basicAuth'])?.['password'];
  if (typeof password !== 'string') {
    throw invalidField(
      `${path}.basicAuth.password`,
      `is required: ${mask} is only the placeholder of a stored password`,
    );
  }
  return { ...request, basicAuth: { ...auth, password } };
}

/** Masks the values of locked headers and query parameters. */
export function withoutLocked(request: JsonObject): JsonObject {
  const shown: Record<string, JsonValue> = { ...request };
  for (const name of ['headers', 'queryParameters']) {
    const pairs = request[name];
    if (Array.isArray(pairs)) shown[name] = (pairs as readonly JsonValue[]).map((pair) => withoutLockedValue(pair));
  }
  return shown;
}

/** Also masks the credentials in the URL. */
function withoutSecrets(request: JsonObject): JsonObject {
  const shown = withoutLocked(request);
  const { url } = shown;
  return typeof url === 'string' ? { ...shown, url: maskUserInfo(url) } : shown;
}

function withoutLockedValue(pair: JsonValue): JsonValue {
  const fields = objectOrNull(pair);
  return fields?.['locked'] === true ? { ...fields, value: mask } : pair;
}

/** The value if it is an object. */
export function objectOrNull(value: JsonValue | undefined): JsonObject | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;
}
