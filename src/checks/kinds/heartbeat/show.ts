// How heartbeat checks are presented.
import type { z } from 'zod';
import type { CheckShow } from '../../show.ts';
import type { heartbeatSchema, heartbeatShown } from './schema.ts';
import { snippetsOf } from './snippets.ts';

interface HeartbeatCheck {
  readonly heartbeat: z.output<typeof heartbeatShown>;
}

const unitMinutes = { seconds: 1 / 60, minutes: 1, hours: 60, days: 1440 } as const;

const signals = {
  ping: 'Success',
  start: 'Start',
  fail: 'Failure',
  log: 'Log entry',
  missing: 'Nothing: no ping was received',
} as const;

export const heartbeatShow: CheckShow<typeof heartbeatSchema> = {
  type: 'HEARTBEAT',
  label: 'Heartbeat',
  timeLabel: 'Duration of the job',
  called: {
    schedule: ({ heartbeat: { period, periodUnit, grace, graceUnit } }: HeartbeatCheck) => ({
      interval: period * unitMinutes[periodUnit],
      grace: grace * unitMinutes[graceUnit],
    }),
    pingUrl: ({ heartbeat }: HeartbeatCheck) => heartbeat.pingUrl,
    snippets: snippetsOf,
  },
  evidence: ({ signal, exitCode, ...part }) => {
    const report = signal === 'exit' ? `Exit code ${exitCode ?? 0}` : signals[signal];
    const ping = { ...part, report, isMissing: signal === 'missing' };
    return { ping, isFirst: true, sections: [], comparable: [['Ping', report]] };
  },
};
