// Occurrences of maintenance windows in the API: the calendar, and skipping one.
import { z } from 'zod';
import { bodyInstant, instant, queryInstant, wholeNumber } from '#lib/schema/fields.ts';
import { tagged } from '../operation.ts';
import { maintenanceWindow, maintenanceWindowParams } from './maintenance-window.ts';

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

const unknown = { 404: 'Unknown maintenance window.' };

export const maintenanceOccurrenceOperations = tagged('Maintenance windows', {
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
    method: 'GET',
    path: '/v1/maintenance-windows/{id}/occurrences',
    summary: 'List the current and next occurrences of a maintenance window',
    permission: 'read',
    params: maintenanceWindowParams,
    query: z.object({ limit: wholeNumber(1, 100).default(10).describe('Maximum number, 1 to 100.') }),
    response: z.array(occurrence).describe('By start, skipped ones included.'),
    alsoAnswers: unknown,
  },
  skipMaintenanceOccurrence: {
    method: 'POST',
    path: '/v1/maintenance-windows/{id}/skips',
    summary: 'Skip an occurrence of a maintenance window, or end it now',
    description:
      'An occurrence that has started ends now: checks run and alert again, and one that still fails is alerted within seconds. Skipping one twice changes nothing. If a change of the window moves a skipped occurrence, it is not skipped any more, and the response warns.',
    permission: 'write',
    params: maintenanceWindowParams,
    body: z.strictObject({ startsAt: bodyInstant.describe('Start of the occurrence.') }),
    example: { startsAt: '2099-02-01T22:00:00Z' },
    status: 201,
    response: maintenanceWindow,
    alsoAnswers: { ...unknown, 409: 'The occurrence is over, or 100 skipped ones lie ahead.' },
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
});
