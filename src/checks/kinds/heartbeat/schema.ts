// The schema of heartbeat checks (reference §4.9, decisions: Heartbeat).
import { z } from 'zod';
import { pingSignals, pingStates, timeUnits } from '#domain/checks/heartbeat.ts';
import type { CheckSchema } from '../../schema.ts';

/** Taken from clients that send back what they read. */
const readOnly = z.unknown().exactOptional().describe('Read only: not taken up.');

const heartbeat = z
  .strictObject({
    period: z.number().positive().describe('How often it is pinged; 30 seconds to 365 days.'),
    periodUnit: z.enum(timeUnits),
    grace: z.number().min(0).describe('How late a ping may be; up to 365 days.'),
    graceUnit: z.enum(timeUnits),
    pingToken: readOnly,
    pingUrl: readOnly,
  })
  .transform(({ pingToken: _token, pingUrl: _url, ...rest }) => rest)
  .meta({ id: 'HeartbeatWrite', description: 'When a heartbeat check expects its pings.' });

const heartbeatShown = z
  .strictObject({
    period: z.number(),
    periodUnit: z.enum(timeUnits),
    grace: z.number(),
    graceUnit: z.enum(timeUnits),
    pingToken: z.uuid().nullable().describe('null for keys that may only read.'),
    pingUrl: z
      .string()
      .nullable()
      .describe('Where to ping it by GET, POST or HEAD; followed by /start, /fail, /log or an exit code as well.'),
  })
  .meta({ id: 'Heartbeat' });

const text = z.string().nullable();

export const heartbeatSchema = {
  type: 'HEARTBEAT',
  name: 'Heartbeat',
  title: 'a heartbeat check',
  analyticsPath: 'heartbeat-checks',
  about: 'Waits to be called by a job, and alerts when it is not.',
  description: 'Alerts if the job does not call `heartbeat.pingUrl` in time. `frequency` has no effect.',
  example: { name: 'Backup', heartbeat: { period: 1, periodUnit: 'days', grace: 30, graceUnit: 'minutes' } },
  exampleOfChange: { heartbeat: { period: 1, periodUnit: 'days', grace: 2, graceUnit: 'hours' } },
  fields: { heartbeat },
  shown: { heartbeat: heartbeatShown },
  result: {
    signal: z.enum(pingSignals).describe('missing = none came.'),
    state: z
      .enum(pingStates)
      .describe('Within the period, within the grace, later; FAILING: none came, or it says that the job failed.')
      .nullable(),
    exitCode: z.int().nullable(),
    method: text,
    source: text,
    userAgent: text,
  },
} as const satisfies CheckSchema;
