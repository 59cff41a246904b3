// Routes of pings and their events (reference §4.9).
import type { IncomingHttpHeaders } from 'node:http';
import type { HeartbeatActions, SpanStats } from '#actions/heartbeats/heartbeats.ts';
import type { PingActions } from '#actions/heartbeats/pings.ts';
import type { PingEventBody } from '#contract/checks/heartbeat.ts';
import type { PingEvent } from '#domain/checks/heartbeat.ts';
import { type Route, route } from '../route.ts';
import { isoText } from '../wire.ts';

interface PingRequest {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawBody?: string | null;
}

export function heartbeatRoutes(actions: HeartbeatActions, pings: PingActions): Route[] {
  const receive = async (token: string, signal: string | null, request: PingRequest): Promise<string> => {
    const { origin, referer, 'user-agent': userAgent = null } = request.headers;
    const { method, rawBody: body = null } = request;
    await pings.receive({ token, signal, method, source: origin ?? referer ?? null, userAgent, body });
    return 'OK\n';
  };
  return [
    ...(['ping', 'postPing'] as const).map((id) => route(id, (call) => receive(call.params.token, null, call))),
    ...(['pingSignal', 'postPingSignal'] as const).map((id) =>
      route(id, (call) => receive(call.params.token, call.params.signal, call)),
    ),
    route('listHeartbeatEvents', async ({ caller, params, query }) => {
      const { events, day, week } = await actions.events(caller, params.checkId, query.limit);
      const last = events.find(({ signal }) => signal !== 'missing');
      const lastPingAt = last === undefined ? null : isoText(last.at);
      return {
        lastPingAt,
        events: events.map(toWire),
        stats: { last24Hours: statsToWire(day), last7Days: statsToWire(week) },
      };
    }),
    route('getHeartbeatEvent', async ({ caller, params }) =>
      toWire(await actions.event(caller, params.checkId, params.id)),
    ),
    route('getHeartbeatAvailability', async ({ caller, params: { checkId } }) => {
      const none = { availability: null, unknownRatio: null };
      const [last24Hours = none, last7Days = none, last30Days = none] = await actions.availability(
        caller,
        checkId,
        [1, 7, 30],
      );
      return { checkId, last24Hours, last7Days, last30Days };
    }),
  ];
}

function toWire({ at, method, ...event }: PingEvent): PingEventBody {
  return { ...event, method: method === '' ? null : method, receivedAt: isoText(at) };
}

function statsToWire({ current, previous, total }: SpanStats) {
  return { successRatio: { current, previous }, total };
}
