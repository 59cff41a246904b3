// Maintenance windows and their occurrences in the API (reference §4.7).
import { z } from 'zod';
import {
  instant,
  pathNumber,
  updateOf,
  zonedInstant,
  bodyInstant,
  queryInstant,
  wholeNumber,
} from '#lib/schema/fields.ts';
import { creating, ignoring, readOnlyFields } from '#lib/schema/bodies.ts';
import { merges } from '#lib/schema/patch.ts';
import { usualOperations } from '../usual-operations.ts';
import { tagged, type Untagged } from '../operation.ts';
import { warnings } from '../responses.ts';

const units = ['DAY', 'WEEK', 'MONTH'] as const;
const tags = z.array(z.string().min(1).max(200)).max(200);
const checkIds = z.array(z.uuid()).max(200);
const groupIds = z.array(z.int().min(1)).max(200);

const words = {
  tags: 'Do not run checks that have, or whose group has, one of these tags.',
  checkIds: 'Do not run these checks.',
  groupIds: 'Do not run the checks of these groups.',
  repeatInterval: 'Number of units between repetitions. Default: 1.',
  repeatUnit: 'null = once.',
  repeatEndsAt: 'End of the repetition, exclusive. null = repeats forever.',
  timezone: 'IANA time zone in which the window repeats, with daylight saving time.',
  pauseAllChecks: 'Do not run any check of the account.',
  isPublic: 'Status pages announce it with name and description, if they show a service with one of its checks.',
  silenceAllAlerts: 'Run checks, but send only recoveries of earlier alerts.',
  silenceAlertsTags:
    'Run checks that have, or whose group has, one of these tags, but send only recoveries of earlier alerts.',
};

export const maintenanceWindow = z
  .strictObject({
    id: z.int(),
    name: z.string(),
    description: z.string().nullable(),
    tags: tags.describe(words.tags),
    checkIds: checkIds.describe(words.checkIds),
    groupIds: groupIds.describe(words.groupIds),
    startsAt: instant,
    endsAt: instant,
    repeatInterval: z.int().nullable(),
    repeatUnit: z.enum(units).nullable(),
    repeatEndsAt: instant.nullable(),
    timezone: z.string(),
    pauseAllChecks: z.boolean(),
    silenceAllAlerts: z.boolean(),
    isPublic: z.boolean().describe(words.isPublic),
    silenceAlertsTags: tags,
    skippedOccurrences: z
      .array(
        z.strictObject({
          startsAt: instant.describe('Planned start.'),
          endedAt: instant.nullable().describe('When it was ended; null = skipped before its start.'),
        }),
      )
      .describe('Occurrences that are skipped or were ended early. Change them with the operations of occurrences.'),
    nextStartsAt: instant.nullable().describe('Start of the current or next occurrence. null = ended.'),
    nextEndsAt: instant.nullable(),
    warnings,
    created_at: instant,
    updated_at: instant.nullable(),
  })
  .meta({ id: 'MaintenanceWindow', description: 'A planned period of maintenance, once or repeating.' });
export type MaintenanceWindowBody = z.output<typeof maintenanceWindow>;

export const maintenanceWindowCreate = z.strictObject({
  name: z.string().min(1).max(200),
  description: z.string().max(500).nullable().default(null),
  tags: tags.default([]).describe(words.tags),
  checkIds: checkIds.default([]).describe(words.checkIds),
  groupIds: groupIds.default([]).describe(words.groupIds),
  startsAt: zonedInstant.describe('Start of the first occurrence.'),
  endsAt: zonedInstant.describe('End of the first occurrence, exclusive.'),
  repeatInterval: z.int().min(1).max(365).nullable().default(null).describe(words.repeatInterval),
  repeatUnit: z.enum(units).nullable().default(null).describe(words.repeatUnit),
  repeatEndsAt: zonedInstant.nullable().default(null).describe(words.repeatEndsAt),
  timezone: z.string().max(100).default('UTC').describe(words.timezone),
  pauseAllChecks: z.boolean().default(false).describe(words.pauseAllChecks),
  silenceAllAlerts: z.boolean().default(false).describe(words.silenceAllAlerts),
  isPublic: z.boolean().default(false).describe(words.isPublic),
  silenceAlertsTags: tags.default([]).describe(words.silenceAlertsTags),
});

const previewed = maintenanceWindowCreate
  .omit({ name: true, description: true })
  .extend({ startsAt: zonedInstant.exactOptional(), endsAt: zonedInstant.exactOptional() });

const effects = z.strictObject({
  total: z.int(),
  checks: z.array(z.strictObject({ id: z.uuid(), name: z.string() })).describe('Up to 100 of them, by name.'),
});

const preview = z
  .strictObject({
    paused: effects.describe('Checks that do not run.'),
    silenced: effects.describe('Checks that run without alerts.'),
    accountChecks: z.int().describe('Number of checks of the account.'),
    occurrences: z
      .array(z.strictObject({ startsAt: instant, endsAt: instant }))
      .describe('The next occurrences, up to 5. Empty without `startsAt` and `endsAt`.'),
  })
  .meta({ id: 'MaintenancePreview', description: 'What a maintenance window would do.' });
export type MaintenancePreviewBody = z.output<typeof preview>;

const readOnly = [...readOnlyFields, 'nextStartsAt', 'nextEndsAt', 'skippedOccurrences'];
export const maintenanceWindowParams = z.object({ id: pathNumber('ID of the maintenance window.') });
const params = maintenanceWindowParams;
const usual = usualOperations({
  path: '/v1/maintenance-windows',
  params,
  shown: maintenanceWindow,
  unknown: 'Unknown maintenance window.',
});

const occurrence = z.strictObject({
  windowId: z.int(),
  name: z.string().describe('Name of the window.'),
  startsAt: instant.describe('Planned start. Names the occurrence.'),
  endsAt: instant.describe('Planned end, exclusive.'),
  skipped: z.boolean().describe('Whether it does not take place.'),
  endedAt: instant.nullable().describe('When it was ended early. null = it was not.'),
});

const calendar = z
  .strictObject({
    from: instant,
    to: instant,
    occurrences: z.array(occurrence).describe('By start, up to 500, skipped ones included.'),
    isComplete: z.boolean().describe('false = there are more. Ask for a shorter time.'),
  })
  .meta({ id: 'MaintenanceCalendar', description: 'The occurrences of all maintenance windows within a period.' });
export type MaintenanceCalendarBody = z.output<typeof calendar>;
export type MaintenanceOccurrenceBody = z.output<typeof occurrence>;

export const maintenanceWindowOperations = tagged('Maintenance windows', {
  listMaintenanceWindows: { ...usual.list, summary: 'List all maintenance windows' },
  createMaintenanceWindow: {
    ...usual.create,
    summary: 'Create a maintenance window',
    description:
      'Scheduled runs that the window suppresses are recorded as missed, with the reason `maintenance`. Runs started by ' +
      'a trigger are not affected.',
    body: creating(readOnly, maintenanceWindowCreate),
    example: {
      name: 'Nightly restart',
      tags: ['shop'],
      startsAt: '2026-01-31T22:00:00Z',
      endsAt: '2026-01-31T22:30:00Z',
      repeatUnit: 'DAY',
      timezone: 'Europe/Berlin',
    },
  },
  getMaintenanceWindow: { ...usual.get, summary: 'Get a maintenance window' },
  updateMaintenanceWindow: {
    ...usual.update,
    summary: 'Update a maintenance window',
    description: merges,
    body: ignoring(readOnly, updateOf(maintenanceWindowCreate)),
    example: { silenceAllAlerts: true },
  },
  deleteMaintenanceWindow: {
    ...usual.remove,
    summary: 'Delete a maintenance window',
    description: 'An active window ends at once.',
  },
  previewMaintenanceWindow: {
    method: 'POST',
    path: '/v1/maintenance-windows/preview',
    summary: 'Show which checks a maintenance window would affect',
    description:
      'Takes the fields of a window, all optional, and saves nothing. A check that is paused is not counted as silenced.',
    permission: 'read',
    body: ignoring([...readOnly, 'name', 'description'], previewed),
    example: { silenceAlertsTags: ['shop'] },
    response: preview,
  },
  listMaintenanceOccurrences: {
    method: 'GET',
    path: '/v1/maintenance-occurrences',
    summary: 'List the occurrences of all maintenance windows',
    description: 'Past occurrences follow from the present settings of the windows.',
    permission: 'read',
    query: z.object({
      from: queryInstant.exactOptional().describe('Default: now.'),
      to: queryInstant.exactOptional().describe('Exclusive, at most 45 days after `from`. Default: 31 days after it.'),
    }),
    response: calendar,
  },
  listOccurrencesOfMaintenanceWindow: {
    ...usual.get,
    path: '/v1/maintenance-windows/{id}/occurrences',
    summary: 'List the current and next occurrences of a maintenance window',
    query: z.object({ limit: wholeNumber(1, 100).default(10).describe('Maximum number, 1 to 100.') }),
    response: z.array(occurrence).describe('By start, skipped ones included.'),
  },
  skipMaintenanceOccurrence: {
    ...usual.update,
    method: 'POST',
    path: '/v1/maintenance-windows/{id}/skips',
    summary: 'Skip an occurrence of a maintenance window, or end it now',
    description:
      'An occurrence that has started ends now: checks run and alert again, and one that still fails is alerted within seconds. Skipping one twice changes nothing. If a change of the window moves a skipped occurrence, it is not skipped any more, and the response warns.',
    body: z.strictObject({ startsAt: bodyInstant.describe('Start of the occurrence.') }),
    example: { startsAt: '2099-02-01T22:00:00Z' },
    status: 201,
    alsoAnswers: { ...usual.update.alsoAnswers, 409: 'The occurrence is over, or 100 skipped ones lie ahead.' },
  },
  restoreMaintenanceOccurrence: {
    method: 'DELETE',
    path: '/v1/maintenance-windows/{id}/skips/{startsAt}',
    summary: 'Take back that an occurrence is skipped',
    permission: 'write',
    params: maintenanceWindowParams.extend({ startsAt: queryInstant.describe('Start of the occurrence.') }),
    status: 204,
    alsoAnswers: { 404: 'Unknown maintenance window, or the occurrence is not skipped.', 409: 'Its start has passed.' },
  },
} as const satisfies Untagged);
