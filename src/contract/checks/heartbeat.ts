// Pings of heartbeat checks on the wire (reference §4.9, decisions: Heartbeat).
import { z } from 'zod';
import { pingSignals, pingStates } from '#domain/checks/heartbeat.ts';
import { instant } from '#lib/schema/fields.ts';

export const pingEvent = z
  .strictObject({
    id: z.uuid().describe('Also the id of the check result, where it made one.'),
    state: z
      .enum(pingStates)
      .describe('Within the period, within the grace, later; FAILING: none came, or it says that the job failed.'),
    signal: z.enum(pingSignals).describe('missing = none came.'),
    exitCode: z.int().nullable(),
    method: z.string().nullable(),
    source: z.string().nullable().describe('Its header origin, else its referer.'),
    userAgent: z.string().nullable(),
    body: z.string().nullable().describe('The first 10,000 bytes that were sent by POST.'),
    receivedAt: instant,
  })
  .meta({ id: 'HeartbeatEvent', description: 'A ping, or the moment at which one was missing.' });
export type PingEventBody = z.output<typeof pingEvent>;

const percent = z.number().nullable();
const stats = z.strictObject({
  successRatio: z
    .strictObject({ current: percent, previous: percent })
    .describe('Percent of the results with a verdict that passed, and of those of as long before; null of none.'),
  total: z.int().describe('Results with a verdict.'),
});

export const pingEvents = z
  .strictObject({ events: z.array(pingEvent), stats: z.strictObject({ last24Hours: stats, last7Days: stats }) })
  .meta({ id: 'HeartbeatEvents' });

const availability = z.strictObject({
  availability: percent.describe('Percent of the known time in which it did not fail; null when nothing is known.'),
  unknownRatio: percent.describe('Percent of the time of which nothing is known.'),
});

export const heartbeatAvailability = z
  .strictObject({
    checkId: z.uuid(),
    last24Hours: availability,
    last7Days: availability,
    last30Days: availability,
  })
  .meta({ id: 'HeartbeatAvailability' });
