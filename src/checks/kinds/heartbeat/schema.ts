// The schema of heartbeat checks (reference §4.9, decisions: Heartbeat).
import { z } from 'zod';
import { pingSignals, pingStates, timeUnits } from '#domain/checks/heartbeat.ts';
import { showAs } from '#lib/schema/shown.ts';
import type { CheckSchema } from '../../schema.ts';

/** Accepted from clients that send back what they read. */
const readOnly = z.unknown().exactOptional().meta({ description: 'Ignored in requests.', readOnly: true });

/** In responses. */
export const heartbeatShown = z
  .strictObject({
    period: z.number(),
    periodUnit: z.enum(timeUnits),
    grace: z.number(),
    graceUnit: z.enum(timeUnits),
    pingToken: z.uuid().nullable().describe('null for read-only keys.'),
    pingUrl: z
      .string()
      .nullable()
      .describe(
        'URL to ping with GET, POST or HEAD. Append /start, /fail, /log or an exit code to send other signals.',
      ),
  })
  .meta({ id: 'Heartbeat' });

const heartbeat = showAs(
  z
    .strictObject({
      period: z.number().positive().describe('Expected interval between pings, 30 seconds to 365 days.'),
      periodUnit: z.enum(timeUnits),
      grace: z.number().min(0).describe('Grace period for late pings, up to 365 days.'),
      graceUnit: z.enum(timeUnits),
      pingToken: readOnly,
      pingUrl: readOnly,
    })
    .transform(({ pingToken: _token, pingUrl: _url, ...rest }) => rest)
    .meta({ id: 'HeartbeatWrite', description: 'The schedule of expected pings.' }),
  heartbeatShown,
);

const text = z.string().nullable();

export const heartbeatSchema = {
  type: 'HEARTBEAT',
  name: 'Heartbeat',
  title: 'a heartbeat check',
  analyticsPath: 'heartbeat-checks',
  about: 'Monitors a scheduled job that pings Tocsin.',
  description: 'Alerts if the job does not call `heartbeat.pingUrl` in time. `frequency` has no effect.',
  example: { name: 'Backup', heartbeat: { period: 1, periodUnit: 'days', grace: 30, graceUnit: 'minutes' } },
  exampleOfChange: { heartbeat: { period: 1, periodUnit: 'days', grace: 2, graceUnit: 'hours' } },
  fields: { heartbeat },
  result: {
    signal: z.enum(pingSignals).describe('missing = no ping was received.'),
    state: z
      .enum(pingStates)
      .describe('EARLY to LATE: timing of the ping. FAILING: no ping was received, or the job reported a failure.')
      .nullable(),
    exitCode: z.int().nullable(),
    method: text,
    source: text,
    userAgent: text,
  },
} as const satisfies CheckSchema;
