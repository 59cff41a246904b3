// Tells what a script is at: where a limit ends it, nothing else is known of where it was.
import { subscribe } from 'node:diagnostics_channel';
import { errorMonitor } from 'node:events';

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
    tell({ kind: 'open', what: last?.what, category: last?.category, location: placeOf(lasting) });
  };
  setInterval(look, afterMs).unref();
  return {
    begin: (key, what, location, category) =>
      void open.set(key, { what, location, category, since: performance.now() }),
    end: (key) => void open.delete(key),
    place: () => placeOf([...open.values()]),
  };
}

/**
 * Requests that a program makes. Their query is told, and shown to nobody.
 *
 * @param steps `locate`, if it is there, says where the script makes one, asked at that moment
 */
export function followRequests({ begin, end, locate }) {
  const places = new WeakMap();
  const follow = (request, what, place) => begin(request, what, place, 'request');
  // It is sent later, where nothing of the script is on the stack any more.
  if (locate !== undefined)
    subscribe('http.client.request.created', ({ request }) => void places.set(request, locate()));
  subscribe('http.client.request.start', ({ request }) => {
    const origin = `${request.protocol}//${request.getHeader('host') ?? request.host}`;
    follow(request, `${request.method} ${origin}${request.path}`, places.get(request));
    // Only watched: that nobody takes care of it must end the script.
    request.once(errorMonitor, (error) => end(request, error));
    // An answer that breaks off is no error of the request.
    request.once('close', () => end(request, request.res?.errored));
  });
  subscribe('undici:request:create', ({ request }) =>
    follow(request, `${request.method} ${request.origin}${request.path}`, locate?.()),
  );
  const answered = new WeakSet();
  subscribe('undici:request:headers', ({ request }) => void answered.add(request));
  subscribe('undici:request:trailers', ({ request }) => end(request));
  subscribe('undici:request:error', ({ request, error }) => {
    // Who has seen enough of an answer leaves the rest of it.
    const isLeft = answered.has(request) && error?.name === 'AbortError';
    end(request, isLeft ? undefined : error);
  });
}

/** What a program asks of its browser. @param browserType of Playwright */
export function followCalls(browserType, { begin, end, locate }) {
  // Playwright's own runner listens there; where there is no such thing nothing is told.
  browserType._instrumentation?.addListener?.({
    // What is asked within a call is a part of it, and does not come here; nor does what we ask.
    onApiCallBegin(call) {
      const what = call.apiName || call.title;
      if (what && !call.internal) begin(call, what, locate(call.frames ?? []), 'pw:api');
    },
    onApiCallEnd: (call) => end(call, call.error),
  });
}

/** Asks something of a context that is nothing the script does: no step of it, and not in its trace. */
export function askByUs(context, ask) {
  return context._wrapApiCall === undefined ? ask() : context._wrapApiCall(ask, { internal: true });
}
