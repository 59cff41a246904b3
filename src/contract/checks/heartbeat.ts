// Pings of heartbeat checks in the API (reference §4.9, decisions: Heartbeat).
import { z } from 'zod';
import { pingSignals, pingStates } from '#domain/checks/heartbeat.ts';
import { instant, pathUuid, wholeNumber } from '#lib/schema/fields.ts';
import { tagged, type Untagged } from '../operation.ts';

export const pingEvent = z
  .strictObject({
    id: z.uuid().describe('Also the ID of the check result, if the ping produced one.'),
    state: z
      .enum(pingStates)
      .describe('EARLY to LATE: timing of the ping. FAILING: no ping was received, or the job reported a failure.'),
    signal: z.enum(pingSignals).describe('missing = no ping was received.'),
    exitCode: z.int().nullable(),
    method: z.string().nullable(),
    source: z.string().nullable().describe('The `origin` header, or else `referer`.'),
    userAgent: z.string().nullable(),
    body: z.string().nullable().describe('The first 10,000 bytes of a POST body.'),
    receivedAt: instant,
  })
  .meta({ id: 'HeartbeatEvent', description: 'A ping, or the time at which an expected ping was missing.' });
export type PingEventBody = z.output<typeof pingEvent>;

const percent = z.number().nullable();
const stats = z.strictObject({
  successRatio: z
    .strictObject({ current: percent, previous: percent })
    .describe(
      'Percentage of results with a verdict that passed, in the period and in the one before. null if there are none.',
    ),
  total: z.int().describe('Number of results with a verdict.'),
});

export const pingEvents = z
  .strictObject({
    lastPingAt: instant.nullable().describe('When the last ping was received. null = no ping is stored.'),
    events: z.array(pingEvent),
    stats: z.strictObject({ last24Hours: stats, last7Days: stats }),
  })
  .meta({ id: 'HeartbeatEvents' });

const availability = z.strictObject({
  availability: percent.describe('Percentage of the monitored time without failure. null if nothing was monitored.'),
  unknownRatio: percent.describe('Percentage of the time for which nothing is known.'),
});

export const heartbeatAvailability = z
  .strictObject({
    checkId: z.uuid(),
    last24Hours: availability,
    last7Days: availability,
    last30Days: availability,
  })
  .meta({ id: 'HeartbeatAvailability' });

const checkId = pathUuid('ID of the heartbeat check.');
const unknown = { 404: 'Unknown heartbeat check.' };
const token = z.string().max(100).describe('Token of the heartbeat.');
const signal = z.string().max(20).describe('start, fail, log, or an exit code: a 32-bit integer; 0 is success.');

/** Maximum number of bytes of a body that are stored. */
const maxPingBody = 10_000;

const ping = {
  permission: 'none',
  media: 'text/plain',
  // A misspelled signal, such as ?fail, must not count as a success.
  query: z.strictObject({}),
  alsoAnswers: {
    404: 'Unknown heartbeat or signal.',
    429: 'Too many calls to this URL. The ping was not recorded. Wait for the number of seconds in `retry-after`.',
    503: 'The ping could not be stored. Retry.',
  },
} as const;
const onTime = { ...ping, path: '/ping/{token}', params: z.object({ token }) } as const;
const withSignal = { ...ping, path: '/ping/{token}/{signal}', params: z.object({ token, signal }) } as const;

export const heartbeatOperations = tagged('Heartbeats', {
  ping: {
    ...onTime,
    method: 'GET',
    summary: 'Ping a heartbeat',
    description:
      'For jobs. Requires no API key: the token grants access. Responds once the ping is stored durably. ' +
      'Query parameters are refused: a signal like fail is part of the path.',
  },
  postPing: {
    ...onTime,
    method: 'POST',
    maxRawBody: maxPingBody,
    summary: 'Ping a heartbeat with POST',
    description: 'Same as GET. The first 10,000 bytes of the body, of any type, are stored with the ping.',
  },
  pingSignal: {
    ...withSignal,
    method: 'GET',
    summary: 'Send a signal to a heartbeat',
    description:
      '`start`: the job begins; its duration is measured until it ends. `fail` or an exit code other than 0: the job failed. ' +
      '`0`: same as a ping. `log`: records an event only.',
  },
  postPingSignal: {
    ...withSignal,
    method: 'POST',
    maxRawBody: maxPingBody,
    summary: 'Send a signal to a heartbeat with POST',
    description: 'Same as GET. The first 10,000 bytes of the body, of any type, are stored with the ping.',
  },
  listHeartbeatEvents: {
    method: 'GET',
    path: '/v1/checks/heartbeats/{checkId}/events',
    summary: 'List the newest pings of a heartbeat',
    description: 'Newest first. Missing pings are at most half of them as long as there are enough received ones.',
    permission: 'read',
    params: z.object({ checkId }),
    query: z.object({ limit: wholeNumber(1, 10).default(10) }),
    response: pingEvents,
    alsoAnswers: unknown,
  },
  getHeartbeatEvent: {
    method: 'GET',
    path: '/v1/checks/heartbeats/{checkId}/events/{id}',
    summary: 'Get a ping',
    permission: 'read',
    params: z.object({ checkId, id: pathUuid('ID of the ping.') }),
    response: pingEvent,
    alsoAnswers: { 404: 'Unknown ping, or it is no longer stored.' },
  },
  getHeartbeatAvailability: {
    method: 'GET',
    path: '/v1/checks/heartbeats/{checkId}/availability',
    summary: 'Get the availability of a heartbeat',
    permission: 'read',
    params: z.object({ checkId }),
    response: heartbeatAvailability,
    alsoAnswers: unknown,
  },
} as const satisfies Untagged);
