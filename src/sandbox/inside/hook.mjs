// Provides `request`, `response` and `require` to scripts around a request, and collects their changes.
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { report } from './report.mjs';

/** Maximum characters of the result as JSON; less than a line of the report. */
const max = 900_000;

/** Maximum characters of a reported secret value. Longer ones are only reported as too long. */
const maxSecret = 65_536;

/**
 * Sets up the globals of a script.
 *
 * @param path of the script
 * @param sees `hides` lists secrets: variables, and lower-case headers and query parameters
 * @returns `leaves` returns the result to report; throws if it cannot be reported. `reveal` reports secret values in
 * it; call it before reporting the end
 */
export function prepareHook(path, { request, response, hides }) {
  const reportSecret = secretReporter();
  const secretsOf = watchEnvironment(hides.variables, reportSecret);
  globalThis.require = createRequire(path);
  globalThis.request = structuredClone(request);
  if (response !== null) {
    const { times, ...seen } = structuredClone(response);
    // Scripts use both names.
    globalThis.response = { ...seen, statusCode: seen.status, ...times };
  }
  const environment = { ...process.env };
  const reveal = () => {
    for (const value of [...secretsOf(), ...credentialsLeft(globalThis.request, request, hides.fields)])
      reportSecret(value);
  };
  const leaves = () => {
    const left = {
      request: response === null ? requestLeft(globalThis.request) : null,
      response: response === null ? null : responseLeft(globalThis.response, response),
      environment: Object.fromEntries(
        Object.entries(process.env).filter(([name, value]) => environment[name] !== value),
      ),
    };
    const { length } = JSON.stringify(left);
    if (length > max)
      throw new Error(`the request or response is too large: ${length} characters as JSON, maximum ${max}`);
    return left;
  };
  return { leaves, reveal };
}

/** Reports each value once, before any output that may contain it. */
function secretReporter() {
  const reported = new Set();
  return (value) => {
    const text = String(value);
    if (text === '' || reported.has(text)) return;
    reported.add(text);
    report({ kind: 'secret', value: text.length > maxSecret ? null : text });
  };
}

/**
 * Reports every value set for a secret variable at once, so that it is known however the script ends.
 *
 * @returns a function that returns the current values
 */
function watchEnvironment(names, emit) {
  const before = new Map(names.map((name) => [name, process.env[name]]));
  const valuesIn = (environment) =>
    names
      .map((name) => environment[name])
      .filter((value, at) => value !== undefined && value !== before.get(names[at]));
  // Without secrets, keep the environment of Node.js.
  if (names.length === 0) return () => [];
  const watched = (environment) => {
    const proxy = new Proxy(environment, {
      set(target, name, value, receiver) {
        // An object that inherits from it, such as `Object.create(process.env)`, gets its own property, as with
        // Node.js.
        const isOwn = receiver === proxy;
        const isSet = Reflect.set(target, name, value, isOwn ? target : receiver);
        if (before.has(name)) emit(isOwn ? target[name] : value);
        return isSet;
      },
      defineProperty(target, name, description) {
        const isDefined = Reflect.defineProperty(target, name, description);
        if (before.has(name)) emit(target[name]);
        return isDefined;
      },
    });
    return proxy;
  };
  let present = watched(process.env);
  // The environment of Node.js can be cloned, but a proxy cannot.
  const clone = globalThis.structuredClone;
  globalThis.structuredClone = function structuredClone(...given) {
    if (given[0] === present) given[0] = { ...present };
    return clone(...given);
  };
  Object.defineProperty(process, 'env', {
    enumerable: true,
    configurable: true,
    get: () => present,
    set(environment) {
      present = watched(Object(environment));
      for (const value of valuesIn(present)) emit(value);
    },
  });
  syncBuiltinESMExports();
  return () => valuesIn(process.env);
}

/** Headers with credentials. */
const credentials = /^(?:(?:proxy-)?authorization|cookie)$/i;

/** Returns values that the script put into credentials or locked values. */
function credentialsLeft(left, came, hidden) {
  const values = (field, isHidden) =>
    Object.entries(valuesLeft(Object(left)[field]) ?? {})
      .filter(([name, value]) => isHidden(name) && JSON.stringify(value) !== JSON.stringify(came[field][name]))
      .flatMap(([, value]) => value);
  const isLocked = (name) => hidden.includes(name.toLowerCase());
  const headers = values('headers', (name) => credentials.test(name) || isLocked(name)).map((value) =>
    String(value).trim(),
  );
  // With and without the scheme.
  return [...headers, ...headers.map((value) => value.replace(/^\S+\s+/, '')), ...values('queryParameters', isLocked)];
}

function requestLeft(left) {
  const { method, url, headers, queryParameters, body } = Object(left);
  return {
    method,
    url,
    headers: valuesLeft(headers),
    queryParameters: valuesLeft(queryParameters),
    body: textOf(body),
  };
}

/** Omit an unchanged body; the reader has it. */
function responseLeft(left, came) {
  const { status, statusCode, statusText, headers, body } = Object(left);
  const text = textOf(body);
  return {
    status: statusCode === came.status ? status : statusCode,
    statusText,
    headers: valuesLeft(headers),
    ...(text !== came.body && { body: text }),
  };
}

/** Removes names without a value. */
function valuesLeft(values) {
  if (typeof values !== 'object' || values === null) return values;
  const entries = Object.entries(values).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(entries.map(([name, value]) => [name, Array.isArray(value) ? value : plain(value)]));
}

/** An object as body is sent as JSON. */
function textOf(body) {
  if (body === undefined || body === null) return '';
  return typeof body === 'object' ? JSON.stringify(body) : plain(body);
}

function plain(value) {
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
}
