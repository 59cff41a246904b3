// Tells whoever reads file descriptor 3 what happens, a JSON object a line, and says of a page that did not load why.
import { writeSync } from 'node:fs';

/** Found by every copy of this module in the process. */
const key = Symbol.for('tocsin.failures');
/** Connections of the browser that were not made, by `host:port`. */
const failures = (globalThis[key] ??= new Map());
/** So many are remembered. */
const mostFailures = 1000;

/** What the browser says of a connection that its proxy did not make, and what it would say without one. */
const said = 'net::ERR_SOCKS_CONNECTION_FAILED';
const unproxied = {
  ECONNREFUSED: 'net::ERR_CONNECTION_REFUSED',
  ETIMEDOUT: 'net::ERR_CONNECTION_TIMED_OUT',
  ENOTFOUND: 'net::ERR_NAME_NOT_RESOLVED',
  EAI_AGAIN: 'net::ERR_NAME_NOT_RESOLVED',
  EHOSTUNREACH: 'net::ERR_ADDRESS_UNREACHABLE',
  ENETUNREACH: 'net::ERR_ADDRESS_UNREACHABLE',
};

/** A connection of the browser was not made; what the policy refuses is told at once, whatever page asked for it. */
export function noteFailure({ place, code, message }) {
  if (failures.size >= mostFailures) failures.clear();
  failures.set(place.toLowerCase(), { code, message });
  if (code.startsWith('EGRESS')) report({ kind: 'page', sort: 'error', level: 'error', text: message, url: place });
}

export function report(event) {
  const shown = (_key, value) =>
    typeof value === 'string' && value.includes(said) ? explained(value, event.url) : value;
  let left = Buffer.from(`${JSON.stringify(event, shown)}\n`);
  while (left.length > 0) {
    try {
      left = left.subarray(writeSync(3, left));
    } catch (error) {
      // Who reads is behind: again, until there is room.
      if (error.code !== 'EAGAIN') throw error;
    }
  }
}

function explained(text, url) {
  return text.replace(/net::ERR_SOCKS_CONNECTION_FAILED(?: at (\S+))?/g, (whole, at) => {
    const failure = failures.get(placeOf(at ?? url));
    if (failure === undefined) return whole;
    const { code, message } = failure;
    return unproxied[code] === undefined ? `${whole} (${message})` : whole.replace(said, unproxied[code]);
  });
}

function placeOf(url) {
  try {
    const { protocol, hostname, port } = new URL(url);
    const usual = protocol === 'https:' || protocol === 'wss:' ? 443 : 80;
    return `${hostname.replace(/^\[|\]$/g, '')}:${port === '' ? usual : port}`;
  } catch {
    return '';
  }
}
