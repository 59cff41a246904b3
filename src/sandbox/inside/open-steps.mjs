// Reports the current step of a script, so that it is known where a limit ended it.
import { subscribe } from 'node:diagnostics_channel';
import { errorMonitor } from 'node:events';

/** Shorter steps are not reported, because most steps end at once. */
const afterMs = 500;

/**
 * Tracks open steps.
 *
 * @param emit reports an object
 * @returns `begin` takes a key, a description and a place; `end` takes the key; `place` is that of the last open step
 */
export function createOpenSteps(emit) {
  const open = new Map();
  // A step without a place has that of its parent.
  const placeOf = (steps) => steps.findLast(({ location }) => location)?.location;
  let reported;
  const inspect = () => {
    const now = performance.now();
    const lasting = [...open.values()].filter(({ since }) => now - since >= afterMs);
    const last = lasting.at(-1);
    if (last === reported) return;
    reported = last;
    emit({ kind: 'open', what: last?.what, category: last?.category, location: placeOf(lasting) });
  };
  setInterval(inspect, afterMs).unref();
  return {
    begin: (key, what, location, category) =>
      void open.set(key, { what, location, category, since: performance.now() }),
    end: (key) => void open.delete(key),
    place: () => placeOf([...open.values()]),
  };
}

/**
 * Follows HTTP requests of a program. The query is reported, but never shown.
 *
 * @param steps `locate`, if present, returns the current place in the script
 */
export function followRequests({ begin, end, locate }) {
  const places = new WeakMap();
  const follow = (request, what, place) => begin(request, what, place, 'request');
  // It is sent later, when the script is not on the stack any more.
  if (locate !== undefined)
    subscribe('http.client.request.created', ({ request }) => void places.set(request, locate()));
  subscribe('http.client.request.start', ({ request }) => {
    const origin = `${request.protocol}//${request.getHeader('host') ?? request.host}`;
    follow(request, `${request.method} ${origin}${request.path}`, places.get(request));
    // Only observed: without another listener, the error must end the script.
    request.once(errorMonitor, (error) => end(request, error));
    // A response that breaks off is not an error of the request.
    request.once('close', () => end(request, request.res?.errored));
  });
  subscribe('undici:request:create', ({ request }) =>
    follow(request, `${request.method} ${request.origin}${request.path}`, locate?.()),
  );
  const answered = new WeakSet();
  subscribe('undici:request:headers', ({ request }) => void answered.add(request));
  subscribe('undici:request:trailers', ({ request }) => end(request));
  subscribe('undici:request:error', ({ request, error }) => {
    // An aborted request whose response has started is not an error.
    const isLeft = answered.has(request) && error?.name === 'AbortError';
    end(request, isLeft ? undefined : error);
  });
}

/** Follows browser calls of a program. @param browserType of Playwright */
export function followCalls(browserType, { begin, end, locate }) {
  // Playwright's runner uses this interface. If it does not exist, nothing is reported.
  browserType._instrumentation?.addListener?.({
    // Nested calls, and our own calls, are not reported here.
    onApiCallBegin(call) {
      const what = call.apiName || call.title;
      if (what && !call.internal) begin(call, what, locate(call.frames ?? []), 'pw:api');
    },
    onApiCallEnd: (call) => end(call, call.error),
  });
}

/** Calls a context without a step or trace entry. */
export function askByUs(context, ask) {
  return context._wrapApiCall === undefined ? ask() : context._wrapApiCall(ask, { internal: true });
}
