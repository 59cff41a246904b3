// The operations on pings of heartbeats (reference §4.2, §4.9; decisions: Heartbeat).
import { z } from 'zod';
import { pathUuid, wholeNumber } from '#lib/schema/fields.ts';
import { heartbeatAvailability, pingEvent, pingEvents } from './heartbeat.ts';
import type { Operations } from '../operation.ts';

const tag = 'Heartbeats';
const checkId = pathUuid('Id of the heartbeat check.');
const unknown = { 404: 'Unknown heartbeat check.' };
const token = z.string().max(100).describe('The token of the heartbeat.');
const signal = z.string().max(20).describe('start, fail, log, or an exit code: an integer of 32 bits; 0 is success.');

/** Bytes that are kept of a body. */
export const pingBodyMost = 10_000;

const ping = {
  tag,
  permission: 'none',
  status: 200,
  media: 'text/plain',
  // A misspelled signal, like ?fail, must not count as a success.
  query: z.strictObject({}),
  alsoAnswers: {
    404: 'Unknown heartbeat or signal.',
    429: 'Too many calls of this URL. The ping was not recorded. Wait for the number of seconds in `retry-after`.',
    503: 'The ping could not be stored. Retry.',
  },
} as const;
const onTime = { ...ping, path: '/ping/{token}', params: z.object({ token }) } as const;
const withSignal = { ...ping, path: '/ping/{token}/{signal}', params: z.object({ token, signal }) } as const;

export const heartbeatOperations = {
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
    rawBodyMost: pingBodyMost,
    summary: 'Ping a heartbeat, by POST',
    description: 'Same as GET. The first 10,000 bytes of the body, of any type, are stored with the ping.',
  },
  pingSignal: {
    ...withSignal,
    method: 'GET',
    summary: 'Tell a heartbeat how its job goes',
    description:
      'start: it begins, and its duration is measured to the next end. fail, or an exit code other than 0: it failed. 0: ' +
      'as a ping. log: an event and nothing more.',
  },
  postPingSignal: {
    ...withSignal,
    method: 'POST',
    rawBodyMost: pingBodyMost,
    summary: 'Tell a heartbeat how its job goes, by POST',
    description: 'The same, with what the job has to say.',
  },
  listHeartbeatEvents: {
    method: 'GET',
    path: '/v1/checks/heartbeats/{checkId}/events',
    summary: 'List the newest pings of a heartbeat',
    description: 'Newest first, with the times at which none came.',
    tag,
    permission: 'read',
    params: z.object({ checkId }),
    query: z.object({ limit: wholeNumber(1, 10).default(10) }),
    status: 200,
    response: pingEvents,
    alsoAnswers: unknown,
  },
  getHeartbeatEvent: {
    method: 'GET',
    path: '/v1/checks/heartbeats/{checkId}/events/{id}',
    summary: 'Read a ping',
    tag,
    permission: 'read',
    params: z.object({ checkId, id: pathUuid('Id of the ping.') }),
    status: 200,
    response: pingEvent,
    alsoAnswers: { 404: 'Unknown ping, or it is no longer stored.' },
  },
  getHeartbeatAvailability: {
    method: 'GET',
    path: '/v1/checks/heartbeats/{checkId}/availability',
    summary: 'Read how available a heartbeat was',
    tag,
    permission: 'read',
    params: z.object({ checkId }),
    status: 200,
    response: heartbeatAvailability,
    alsoAnswers: unknown,
  },
} as const satisfies Operations;
