// Heartbeat checks. They have no probe: they wait for pings (reference §4.9; docs/decisions/0090).
import { readHeartbeat } from '#domain/checks/heartbeat.ts';
import type { JsonObject } from '#domain/json.ts';
import type { CalledKind, SettingsProblem } from '../../kind.ts';
import { object } from '../../parts/read.ts';
import { heartbeatSchema } from './schema.ts';

const leastPeriodMs = 30_000;
const maxMs = 365 * 86_400_000;

export const heartbeatKind: CalledKind<typeof heartbeatSchema> = {
  schema: heartbeatSchema,
  isCalled: true,
  validateSettings,
  describeResult: ({ details }) => {
    const { signal = 'missing', ...reported } = object(details);
    const none = { exitCode: null, state: null, method: null, source: null, userAgent: null };
    return { signal, ...none, ...reported };
  },
  measures: { statusCode: false, phases: [] },
  alertFacts: () => ({ url: null, status: null, statusText: null }),
};

function validateSettings(settings: JsonObject): SettingsProblem[] {
  const { periodMs, graceMs } = readHeartbeat(settings);
  const problems: SettingsProblem[] = [];
  if (periodMs < leastPeriodMs || periodMs > maxMs) {
    problems.push({ path: 'heartbeat.period', message: 'must be at least 30 seconds and at most 365 days' });
  }
  if (graceMs > maxMs) problems.push({ path: 'heartbeat.grace', message: 'must be at most 365 days' });
  return problems;
}
