// Operations on heartbeat pings (reference §4.2, §4.9; decisions: Heartbeat).
import { z } from 'zod';
import { pathUuid, wholeNumber } from '#lib/schema/fields.ts';
import { heartbeatAvailability, pingEvent, pingEvents } from './heartbeat.ts';
import { tagged, type Untagged } from '../operation.ts';

const checkId = pathUuid('ID of the heartbeat check.');
const unknown = { 404: 'Unknown heartbeat check.' };
const token = z.string().max(100).describe('Token of the heartbeat.');
const signal = z.string().max(20).describe('start, fail, log, or an exit code: a 32-bit integer; 0 is success.');

/** Maximum number of bytes of a body that are stored. */
export const maxPingBody = 10_000;

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
