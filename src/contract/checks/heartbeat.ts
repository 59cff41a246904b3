// Pings of heartbeat checks in the API (reference §4.9, decisions: Heartbeat).
import { z } from 'zod';
import { pingSignals, pingStates } from '#domain/checks/heartbeat.ts';
import { instant } from '#lib/schema/fields.ts';

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
