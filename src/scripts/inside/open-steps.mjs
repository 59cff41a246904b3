// Tells what a script is at: where a limit ends it, nothing else is known of where it was.
import { subscribe } from 'node:diagnostics_channel';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const inside = dirname(fileURLToPath(import.meta.url));

/** What is open for less is not told: most of what a script does ends at once. */
const afterMs = 500;

/**
 * @param tell takes what is to be reported, an object each
 * @returns `begin` takes a key of what begins, with what it is and where it stands; `end` takes the key; `place` = where the last
 * one stands that is open
 */
export function createOpenSteps(tell) {
  const open = new Map();
  // Of what has no place of its own the place of what it is a part of.
  const placeOf = (steps) => steps.findLast(({ location }) => location)?.location;
  let told;
  const look = () => {
    const now = performance.now();
    const lasting = [...open.values()].filter(({ since }) => now - since >= afterMs);
    const last = lasting.at(-1);
    if (last === told) return;
    told = last;
    tell({ kind: 'open', what: last?.what, location: placeOf(lasting) });
  };
  setInterval(look, afterMs).unref();
  return {
    begin: (key, what, location) => void open.set(key, { what, location, since: performance.now() }),
    end: (key) => void open.delete(key),
    place: () => placeOf([...open.values()]),
  };
}

/** Requests that a program makes, without their query: there may be anything in it. */
export function followRequests({ begin, end }) {
  subscribe('http.client.request.start', ({ request }) => {
    begin(request, `${request.method} ${request.protocol}//${request.getHeader('host')}${pathOf(request.path)}`);
    request.once('close', () => end(request));
  });
  subscribe('undici:request:create', ({ request }) =>
    begin(request, `${request.method} ${request.origin}${pathOf(request.path)}`),
  );
  for (const last of ['trailers', 'error']) subscribe(`undici:request:${last}`, ({ request }) => end(request));
}

function pathOf(path) {
  return String(path).replace(/[?#].*/s, '');
}

/** What a program asks of its browser. @param browserType of Playwright */
export function followCalls(browserType, { begin, end }) {
  // Playwright's own runner listens there; where there is no such thing nothing is told.
  browserType._instrumentation?.addListener?.({
    onApiCallBegin(call) {
      const place = call.frames?.find(({ file }) => !file.startsWith(inside));
      // What we ask of it is nothing that the script is at.
      if (place !== undefined) begin(call, call.apiName ?? call.title ?? '', place);
    },
    onApiCallEnd: (call) => end(call),
  });
}
