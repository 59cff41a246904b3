// What a script around a request finds: `request`, `response` and `require` by those names; and what it leaves of them.
import { createRequire } from 'node:module';

/** Characters of what is left, as JSON: less than a line of the report may have. */
const most = 900_000;

/**
 * Lays out what it finds.
 *
 * @param path of the script
 * @returns what it has left, to be told at its end; throws where that cannot be told
 */
export function prepareAround(path, { request, response }) {
  globalThis.require = createRequire(path);
  globalThis.request = structuredClone(request);
  if (response !== null) {
    const { times, ...seen } = structuredClone(response);
    // By either name: scripts of this sort use both.
    globalThis.response = { ...seen, statusCode: seen.status, ...times };
  }
  const environment = { ...process.env };
  return () => {
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
