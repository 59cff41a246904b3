// What a heartbeat check expects, and its pings, on the wire (reference §4.9, decisions: Heartbeat).
import { z } from 'zod';
import { instant } from '#lib/schema/fields.ts';

const units = ['seconds', 'minutes', 'hours', 'days'] as const;
/** Taken from clients that send back what they read. */
const readOnly = z.unknown().exactOptional().describe('Read only: not taken up.');

/** As it is written. */
export const heartbeat = z
  .strictObject({
    period: z.number().positive().describe('How often it is pinged; 30 seconds to 365 days.'),
    periodUnit: z.enum(units),
    grace: z.number().min(0).describe('How late a ping may be; up to 365 days.'),
    graceUnit: z.enum(units),
    pingToken: readOnly,
    pingUrl: readOnly,
  })
  .transform(({ pingToken: _token, pingUrl: _url, ...rest }) => rest)
  .meta({ id: 'HeartbeatWrite', description: 'When a heartbeat check expects its pings.' });

/** As it is shown. */
export const heartbeatShown = z
  .strictObject({
    period: z.number(),
    periodUnit: z.enum(units),
    grace: z.number(),
    graceUnit: z.enum(units),
    pingToken: z.uuid().nullable().describe('null for keys that may only read.'),
    pingUrl: z
      .string()
      .nullable()
      .describe('Where to ping it by GET, POST or HEAD; followed by /start, /fail, /log or an exit code as well.'),
  })
  .meta({ id: 'Heartbeat' });

export const pingEvent = z
  .strictObject({
    id: z.uuid().describe('Also the id of the check result, where it made one.'),
    state: z
      .enum(['RECEIVED', 'EARLY', 'GRACE', 'LATE', 'FAILING'])
      .describe('Within the period, within the grace, later; FAILING: none came, or it says that the job failed.'),
    signal: z.enum(['ping', 'start', 'fail', 'log', 'exit', 'missing']).describe('missing = none came.'),
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

const nullable = z.string().nullable();

export const heartbeatCheckResult = z
  .strictObject({
    signal: pingEvent.shape.signal,
    state: pingEvent.shape.state.nullable(),
    exitCode: z.int().nullable(),
    method: nullable,
    source: nullable,
    userAgent: nullable,
  })
  .meta({ id: 'HeartbeatCheckResult' });
