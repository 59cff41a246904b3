// Route of live updates: a long response of server-sent events.
import { Readable } from 'node:stream';
import type { LiveEvent, LiveEventActions } from '#actions/results/live-events.ts';
import { HttpRefusal } from '../http-refusal.ts';
import { Answer, type Call, type Route, route } from '../route.ts';
import { isoText } from '../wire.ts';

/** Server data for streams, and when they end. */
export interface LiveServer {
  readonly version: string;
  /** Epoch ms. */
  readonly startedAt: number;
  /** Aborts when this process stops, which ends streams immediately. */
  readonly stopping: AbortSignal;
  /** Tells the ID of a key or user that may have lost access; undefined = any. Returns a function that unsubscribes. */
  readonly onForgotten: (onForgotten: (id?: string) => void) => () => void;
  /** Interval between comments, and between checks of the key, ms. */
  readonly commentEveryMs?: number;
}

const headers = { 'cache-control': 'no-store', 'x-accel-buffering': 'no', connection: 'close' };
/** Maximum size of events queued for a slow client; more close its stream, and it receives one change when it is back. */
const maxWaitingBytes = 64 * 1024;
/** Delay before clients reconnect, ms. */
const retryMs = 2000;
/** Delay before access is checked after an unspecified change, ms: many changes cost one check for each stream. */
const recheckMs = 1000;

export function liveEventRoutes(actions: LiveEventActions, server: LiveServer): Route[] {
  return [
    route('streamEvents', async (call) => {
      // For HEAD: sends the headers without a stream.
      const body = call.method === 'HEAD' ? '' : await openStream(actions, server, call);
      return new Answer(200, body, { ...headers, 'content-type': 'text/event-stream; charset=utf-8' });
    }),
  ];
}

async function openStream(
  actions: LiveEventActions,
  { version, startedAt, stopping, onForgotten, commentEveryMs = 6000 }: LiveServer,
  { caller, headers: sent, isStillAllowed }: Call<'streamEvents'>,
): Promise<Readable> {
  if (stopping.aborted) throw new HttpRefusal(503, 'The server is shutting down.', { headers: { 'retry-after': '5' } });
  const early: LiveEvent[] = [];
  let write = (event: LiveEvent): void => void early.push(event);
  const lastEventId = sent['last-event-id'];
  const named = typeof lastEventId === 'string' && lastEventId !== '' ? lastEventId : null;
  const { serverId, id, missed, close } = await actions.open(caller, named, (event) => write(event));
  const stream = new Readable({ read() {} });
  const push = (text: string): void => {
    if (stream.destroyed || stream.readableEnded) return;
    stream.push(text);
    if (stream.readableLength > maxWaitingBytes) stream.destroy();
  };
  const end = (): void => {
    if (!stream.destroyed) stream.push(null);
    leave();
  };
  const recheck = (): void => void isStillAllowed().then((isAllowed) => (isAllowed ? undefined : end()));
  const timer = setInterval(() => {
    push(':\n\n');
    recheck();
  }, commentEveryMs);
  timer.unref();
  let rechecking: NodeJS.Timeout | undefined;
  const unsubscribe = onForgotten((forgotten) => {
    if (forgotten === caller.principal.id) recheck();
    if (forgotten !== undefined || rechecking !== undefined) return;
    rechecking = setTimeout(() => {
      rechecking = undefined;
      recheck();
    }, recheckMs).unref();
  });
  const leave = (): void => {
    clearInterval(timer);
    clearTimeout(rechecking);
    unsubscribe();
    stopping.removeEventListener('abort', end);
    write = () => undefined;
    close();
  };
  stopping.addEventListener('abort', end, { once: true });
  stream.once('close', leave);
  push(`retry: ${retryMs}\n`);
  push(eventText('hello', id, { version, startedAt: isoText(startedAt), id: serverId }));
  write = (event) => push(eventText('change', event.id, event.change));
  if (missed !== null) write(missed);
  for (const event of early) write(event);
  if (stopping.aborted) end();
  return stream;
}

function eventText(name: string, id: string, data: object): string {
  return `event: ${name}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`;
}
