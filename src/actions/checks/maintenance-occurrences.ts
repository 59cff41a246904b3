// Actions on occurrences of maintenance windows: the calendar, skipping one and taking that back.
import type { Store } from '#store/store.ts';
import type { Caller } from '#domain/accounts/api-key.ts';
import type { TimeSpan } from '#domain/checks/calendar.ts';
import {
  type CalendarEntry,
  maxSkipped,
  occurrenceFrom,
  occurrencesIn,
  withSkipped,
} from '#domain/checks/maintenance-window.ts';
import type { Clock } from '#lib/clock.ts';
import { createTimeSlices } from '#lib/time-slices.ts';
import { requirePermission } from '../accounts/permission.ts';
import { invalidField, notFound, notFoundMessage, Refusal, orNotFound } from '../refusal.ts';
import { type ShownWindow, shownWindow } from './maintenance-windows.ts';

export interface MaintenanceOccurrenceDeps extends Pick<Store, 'maintenanceWindows'> {
  readonly clock: Clock;
}

/** Occurrences within a period (epoch ms). */
export interface MaintenanceCalendar {
  readonly range: TimeSpan;
  readonly entries: readonly CalendarEntry[];
  /** Whether these are all. */
  readonly isComplete: boolean;
}

export type MaintenanceOccurrenceActions = ReturnType<typeof createMaintenanceOccurrenceActions>;

const dayMs = 86_400_000;
/** Length of a calendar, days. */
const [defaultDays, maxDays] = [31, 45];
/** Maximum number of occurrences in a calendar. */
const maxEntries = 500;

/** A thousand windows take some 50 ms. */
const inSlices = createTimeSlices();

export function createMaintenanceOccurrenceActions({ maintenanceWindows, clock }: MaintenanceOccurrenceDeps) {
  return {
    /** @param range epoch ms; `from` defaults to now */
    async list(caller: Caller, { from = clock.now(), to = from + defaultDays * dayMs }: Partial<TimeSpan>) {
      requirePermission(caller, 'read');
      if (to <= from) throw invalidField('to', 'must be later than from');
      if (to - from > maxDays * dayMs) throw invalidField('to', `must be within ${maxDays} days of from`);
      const range = { from, to };
      const windows = await maintenanceWindows.all(caller.accountId);
      const found = await inSlices(caller.accountId, occurrencesIn(windows, range, maxEntries));
      return { range, ...found } satisfies MaintenanceCalendar;
    },
    /** The first `limit` occurrences that are not over. */
    async ofWindow(caller: Caller, id: number, limit: number): Promise<readonly CalendarEntry[]> {
      requirePermission(caller, 'read');
      const window = orNotFound(await maintenanceWindows.find(caller.accountId, id), 'maintenance window', id);
      const range = { from: clock.now(), to: Infinity };
      const { entries } = await inSlices(caller.accountId, occurrencesIn([window], range, limit));
      return entries;
    },
    /** Skips the occurrence that starts at `startsAt` (epoch ms), or ends it now if it has started. */
    async skip(caller: Caller, id: number, startsAt: number): Promise<ShownWindow> {
      requirePermission(caller, 'write');
      const now = clock.now();
      const changed = await maintenanceWindows.change(caller.accountId, id, (present) => {
        const planned = occurrenceFrom(present, startsAt);
        if (planned === null) throw invalidField('startsAt', 'is not the start of an occurrence of the window');
        if (planned.to <= now) throw new Refusal('conflict', 'The occurrence is over.');
        const skippedOccurrences = withSkipped(present, planned, now);
        if (skippedOccurrences === null) {
          throw new Refusal('conflict', `A window can skip up to ${maxSkipped} occurrences ahead.`);
        }
        return { ...present, skippedOccurrences };
      });
      if (changed === null) throw notFound('maintenance window', id);
      return shownWindow(changed, now);
    },
    /** Lets a skipped occurrence take place. Refuses (`conflict`) one whose start has passed. */
    async restore(caller: Caller, id: number, startsAt: number): Promise<void> {
      requirePermission(caller, 'write');
      const changed = await maintenanceWindows.change(caller.accountId, id, (present) => {
        const skippedOccurrences = present.skippedOccurrences.filter((skipped) => skipped.startsAt !== startsAt);
        if (skippedOccurrences.length === present.skippedOccurrences.length) {
          throw notFoundMessage('No occurrence that starts then is skipped.');
        }
        if (startsAt <= clock.now()) {
          throw new Refusal('conflict', 'The start of the occurrence has passed. To silence checks, create a window.');
        }
        return { ...present, skippedOccurrences };
      });
      if (changed === null) throw notFound('maintenance window', id);
    },
  };
}
