// What a script around a request finds: `request`, `response` and `require` by those names; and what it leaves of them.
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { report } from './report.mjs';

/** Characters of what is left, as JSON: less than a line of the report may have. */
const most = 900_000;

/** Characters of a value that is told as one to be hidden: what is longer is told as such. */
const mostSecret = 65_536;

/**
 * Lays out what it finds.
 *
 * @param path of the script
 * @param sees `hides` names what must not be shown: variables, and in small letters headers and query parameters
 * @returns `leaves` what it has left, to be told at its end; throws where that cannot be told. `reveal` tells what of it is to
 * be hidden: before anything is told of its end
 */
export function prepareAround(path, { request, response, hides }) {
  const tellSecret = secretTeller();
  const secretsOf = watchEnvironment(hides.variables, tellSecret);
  globalThis.require = createRequire(path);
  globalThis.request = structuredClone(request);
  if (response !== null) {
    const { times, ...seen } = structuredClone(response);
    // By either name: scripts of this sort use both.
    globalThis.response = { ...seen, statusCode: seen.status, ...times };
  }
  const environment = { ...process.env };
  const reveal = () => {
    for (const value of [...secretsOf(), ...credentialsLeft(globalThis.request, request, hides.fields)])
      tellSecret(value);
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
    if (length > most) throw new Error(`what it leaves is too large: ${length} characters as JSON, of ${most}`);
    return left;
  };
  return { leaves, reveal };
}

/** Tells each value once: that nobody who reads on knows it later than what was printed of it. */
function secretTeller() {
  const told = new Set();
  return (value) => {
    const text = String(value);
    if (text === '' || told.has(text)) return;
    told.add(text);
    report({ kind: 'secret', value: text.length > mostSecret ? null : text });
  };
}

/**
 * Tells every value that a variable is given whose value must not be shown, at once: whatever ends the script later, and
 * however suddenly, it is known by then.
 *
 * @returns the values that they have now
 */
function watchEnvironment(names, tell) {
  const before = new Map(names.map((name) => [name, process.env[name]]));
  const valuesIn = (environment) =>
    names
      .map((name) => environment[name])
      .filter((value, at) => value !== undefined && value !== before.get(names[at]));
  // Who has nothing to hide keeps the environment that Node.js has made.
  if (names.length === 0) return () => [];
  const watched = (environment) => {
    const proxy = new Proxy(environment, {
      set(target, name, value, receiver) {
        // What inherits from it, as `Object.create(process.env)`, gets a variable of its own, as it does from that of Node.js.
        const isOwn = receiver === proxy;
        const isSet = Reflect.set(target, name, value, isOwn ? target : receiver);
        if (before.has(name)) tell(isOwn ? target[name] : value);
        return isSet;
      },
      defineProperty(target, name, description) {
        const isDefined = Reflect.defineProperty(target, name, description);
        if (before.has(name)) tell(target[name]);
        return isDefined;
      },
    });
    return proxy;
  };
  let present = watched(process.env);
  // That of Node.js can be cloned, and what watches it cannot.
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
      for (const value of valuesIn(present)) tell(value);
    },
  });
  syncBuiltinESMExports();
  return () => valuesIn(process.env);
}

/** Headers that hold who one is. */
const credentials = /^(?:(?:proxy-)?authorization|cookie)$/i;

/** What it has put where credentials are, or where what is there is hidden. */
function credentialsLeft(left, came, hidden) {
  const values = (field, isHidden) =>
    Object.entries(valuesLeft(Object(left)[field]) ?? {})
      .filter(([name, value]) => isHidden(name) && JSON.stringify(value) !== JSON.stringify(came[field][name]))
      .flatMap(([, value]) => value);
  const isLocked = (name) => hidden.includes(name.toLowerCase());
  const headers = values('headers', (name) => credentials.test(name) || isLocked(name)).map((value) =>
    String(value).trim(),
  );
  // With its scheme and without.
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

/** What is as it came is left out: whoever reads has it. */
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

/** Names that are set to nothing are taken away. */
function valuesLeft(values) {
  if (typeof values !== 'object' || values === null) return values;
  const entries = Object.entries(values).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(entries.map(([name, value]) => [name, Array.isArray(value) ? value : plain(value)]));
}

/** An object in the place of a body is meant as JSON. */
function textOf(body) {
  if (body === undefined || body === null) return '';
  return typeof body === 'object' ? JSON.stringify(body) : plain(body);
}

function plain(value) {
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
}
