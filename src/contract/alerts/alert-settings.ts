// Escalation, reminders and parallel-location threshold of accounts, groups and checks (reference: alertSettings).
import { z } from 'zod';
import { showAs } from '#lib/schema/shown.ts';

/** The settings that are set. Zero counts as unset where it has no meaning. */
export interface AlertSettingsBody {
  readonly escalationType?: 'RUN_BASED' | 'TIME_BASED';
  readonly runBasedEscalation?: { readonly failedRunThreshold?: number };
  readonly timeBasedEscalation?: { readonly minutesFailingThreshold?: number };
  readonly reminders?: { readonly amount?: number; readonly interval?: number };
  readonly parallelRunFailureThreshold?: { readonly enabled?: boolean; readonly percentage?: number };
  readonly sslCertificates?: { readonly enabled?: boolean; readonly alertThreshold?: number };
}

const runs = z.literal([0, 1, 2, 3, 4, 5]);
const minutes = z.literal([0, 5, 10, 15, 30]);
const amounts = z.literal([0, 1, 2, 3, 4, 5, 100_000]);
const intervals = z.literal([0, 1, 2, 3, 4, 5, 10, 15, 30]);
const percentages = z.literal([0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100]);

const shape = {
  escalationType: z
    .enum(['RUN_BASED', 'TIME_BASED', ''])
    .nullish()
    .describe('Alert after a number of failing runs, or after failing for some time. Default: RUN_BASED.'),
  runBasedEscalation: z
    .strictObject({ failedRunThreshold: runs.nullish() })
    .nullish()
    .describe('failedRunThreshold: alert on the nth consecutive failing run, 1 to 5. Default: 1.'),
  timeBasedEscalation: z
    .strictObject({ minutesFailingThreshold: minutes.nullish() })
    .nullish()
    .describe('minutesFailingThreshold: alert after failing for 5, 10, 15 or 30 minutes. Default: 5.'),
  reminders: z
    .strictObject({ amount: amounts.nullish(), interval: intervals.nullish() })
    .nullish()
    .describe('amount: 0 to 5, or 100000 for "until recovery"; interval in minutes: 1, 2, 3, 4, 5, 10, 15 or 30.'),
  parallelRunFailureThreshold: z
    .strictObject({ enabled: z.boolean().nullish(), percentage: percentages.nullish() })
    .nullish()
    .describe('For checks that run in several locations in parallel: percentage of locations that must fail.'),
  sslCertificates: z
    .strictObject({ enabled: z.boolean().nullish(), alertThreshold: z.int().min(0).max(365).nullish() })
    .nullish()
    .describe('Accepted for older clients. Has no effect.'),
};

/** Largest number of checks for a digest. */
const digestThreshold = z
  .int()
  .min(0)
  .max(1000)
  .nullish()
  .describe(
    'If more checks than this start to fail or recover within a minute, email, Slack, SMS and call channels get grouped notifications. 0 = never. Default: 20.',
  );

const lenient = z
  .strictObject(shape)
  .meta({ id: 'AlertSettings', description: 'When a check that is not passing sends an alert.' });

/**
 * Accepts empty objects, nulls, empty strings and zeros because the reference clients send them (§5.6). Responses
 * contain only the settings that are set, which is also a valid request.
 */
export const alertSettings = showAs(
  lenient.transform((value) => withoutNothing(value) as AlertSettingsBody),
  lenient as unknown as z.ZodType<AlertSettingsBody, AlertSettingsBody>,
);

const ofAccount = lenient.extend({ digestThreshold }).meta({
  id: 'AccountAlertSettings',
  description: 'Alert settings of checks that have none, and the threshold for grouped notifications.',
});

/** The same of an account. */
export type AccountAlertSettingsBody = AlertSettingsBody & { readonly digestThreshold?: number };
export const accountAlertSettings = showAs(
  ofAccount.transform((value) => withoutNothing(value) as AccountAlertSettingsBody),
  ofAccount as unknown as z.ZodType<AccountAlertSettingsBody, AccountAlertSettingsBody>,
);

function withoutNothing(value: object): object {
  const kept: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(value) as [string, unknown][]) {
    if (field === null || field === undefined || field === '') continue;
    kept[key] = typeof field === 'object' ? withoutNothing(field) : field;
  }
  return kept;
}
