// Writes reports to file descriptor 3, one JSON object per line. Replaces unspecific proxy errors of pages.
import { writeSync } from 'node:fs';

/** Shared by all copies of this module in the process. */
const key = Symbol.for('tocsin.failures');
/** Failed browser connections by `host:port`. */
const failures = (globalThis[key] ??= new Map());
/** Maximum remembered failures. */
const maxFailures = 1000;

/** The browser's message for a failed proxy connection, and messages without a proxy. */
const said = 'net::ERR_SOCKS_CONNECTION_FAILED';
const unproxied = {
  ECONNREFUSED: 'net::ERR_CONNECTION_REFUSED',
  ETIMEDOUT: 'net::ERR_CONNECTION_TIMED_OUT',
  ENOTFOUND: 'net::ERR_NAME_NOT_RESOLVED',
  EAI_AGAIN: 'net::ERR_NAME_NOT_RESOLVED',
  EHOSTUNREACH: 'net::ERR_ADDRESS_UNREACHABLE',
  ENETUNREACH: 'net::ERR_ADDRESS_UNREACHABLE',
};

/** Records a failed browser connection. Connections refused by the egress policy are reported at once. */
export function noteFailure({ place, code, message }) {
  if (failures.size >= maxFailures) failures.clear();
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
      // The reader is behind; retry until there is room.
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
