// What a caller may do with the maintenance windows of its account (reference §4.7).
import type { Caller } from '#domain/api-key.ts';
import { longestOf, type MaintenanceWindow, nextOccurrence } from '#domain/maintenance-window.ts';
import { isZone } from '#domain/wall-time.ts';
import type { Clock } from '#lib/clock.ts';
import { requirePermission } from './permission.ts';
import { invalidField, notFound } from './refusal.ts';
import type { Slice } from './variables.ts';
import { type Warned, type Warning, withWarnings } from './warnings.ts';

/** A window as a caller writes it. */
export type WindowInput = Omit<MaintenanceWindow, 'accountId' | 'id' | 'createdAt' | 'updatedAt'>;

/** A window with the time of it that is under way or comes next; null = it is over. */
export interface ShownWindow extends MaintenanceWindow {
  readonly next: { readonly from: number; readonly to: number } | null;
}

/** What these actions need. */
export interface MaintenanceWindowMeans {
  readonly maintenanceWindows: {
    list(accountId: string, slice: Slice): Promise<{ rows: MaintenanceWindow[]; total: number }>;
    find(accountId: string, id: number): Promise<MaintenanceWindow | null>;
    add(accountId: string, write: WindowInput): Promise<MaintenanceWindow>;
    change(
      accountId: string,
      id: number,
      edit: (present: MaintenanceWindow) => WindowInput,
    ): Promise<MaintenanceWindow | null>;
    countTagged(accountId: string, tags: readonly string[]): Promise<number>;
    remove(accountId: string, id: number): Promise<boolean>;
  };
  readonly clock: Clock;
}

export interface MaintenanceWindowActions {
  /** In the order of their ids. */
  list(caller: Caller, slice: Slice): Promise<{ rows: ShownWindow[]; total: number }>;
  find(caller: Caller, id: number): Promise<ShownWindow>;
  create(caller: Caller, input: WindowInput): Promise<Warned<ShownWindow>>;
  /** What is not named stays. */
  change(caller: Caller, id: number, change: Partial<WindowInput>): Promise<Warned<ShownWindow>>;
  remove(caller: Caller, id: number): Promise<void>;
}

const dayMs = 86_400_000;

export function createMaintenanceWindowActions({
  maintenanceWindows,
  clock,
}: MaintenanceWindowMeans): MaintenanceWindowActions {
  const shown = (window: MaintenanceWindow): ShownWindow => ({ ...window, next: nextOccurrence(window, clock.now()) });
  const warned = async (window: MaintenanceWindow): Promise<Warned<ShownWindow>> =>
    withWarnings(shown(window), await warningsOf(window, maintenanceWindows));
  const unknown = (id: number) => notFound('maintenance window', id);
  return {
    async list(caller, slice) {
      requirePermission(caller, 'read');
      const { rows, total } = await maintenanceWindows.list(caller.accountId, slice);
      return { rows: rows.map(shown), total };
    },
    async find(caller, id) {
      requirePermission(caller, 'read');
      const window = await maintenanceWindows.find(caller.accountId, id);
      if (window === null) throw unknown(id);
      return shown(window);
    },
    async create(caller, input) {
      requirePermission(caller, 'write');
      return warned(await maintenanceWindows.add(caller.accountId, checked(input)));
    },
    async change(caller, id, change) {
      requirePermission(caller, 'write');
      const changed = await maintenanceWindows.change(caller.accountId, id, (present) => {
        const { accountId: _, id: __, createdAt: ___, updatedAt: ____, ...input } = present;
        return checked({ ...input, ...change });
      });
      if (changed === null) throw unknown(id);
      return warned(changed);
    },
    async remove(caller, id) {
      requirePermission(caller, 'write');
      if (!(await maintenanceWindows.remove(caller.accountId, id))) throw unknown(id);
    },
  };
}

/** Warns about a window that affects no check. */
async function warningsOf(
  window: MaintenanceWindow,
  { countTagged }: Pick<MaintenanceWindowMeans['maintenanceWindows'], 'countTagged'>,
): Promise<Warning[]> {
  const { accountId, tags, silenceAlertsTags, pauseAllChecks, silenceAllAlerts } = window;
  if (!pauseAllChecks && !silenceAllAlerts && tags.length + silenceAlertsTags.length === 0) {
    const message =
      'The window affects 0 checks: it pauses and silences nothing. Set tags, silenceAlertsTags, pauseAllChecks or silenceAllAlerts.';
    return [{ path: 'tags', message }];
  }
  const warnings: Warning[] = [];
  const lists = [
    ['tags', tags, pauseAllChecks, 'pauses'],
    ['silenceAlertsTags', silenceAlertsTags, silenceAllAlerts, 'silences'],
  ] as const;
  for (const [path, named, isAll, verb] of lists) {
    if (isAll || named.length === 0) continue;
    const checks = await countTagged(accountId, named);
    for (const [index, tag] of named.entries()) {
      if ((await countTagged(accountId, [tag])) > 0) continue;
      const message = `0 checks have the tag "${tag}", themselves or through their group. With all its tags the window ${verb} ${checks} checks.`;
      warnings.push({ path: `${path}[${index}]`, message });
      if (warnings.length === warningsMost) return warnings;
    }
  }
  return warnings;
}

/** Tags without a check that are named in one answer. */
const warningsMost = 10;

/** Refuses what makes no times; takes a unit alone for every one of it. */
function checked(input: WindowInput): WindowInput {
  const { startsAt, endsAt, repeatUnit, repeatEndsAt, timezone } = input;
  if (!isZone(timezone)) throw invalidField('timezone', 'must be the IANA name of a time zone, like Europe/Berlin');
  if (endsAt <= startsAt) throw invalidField('endsAt', 'must be later than startsAt');
  if (repeatUnit === null && input.repeatInterval !== null) {
    throw invalidField('repeatUnit', 'must be DAY, WEEK or MONTH when repeatInterval is given');
  }
  if (repeatUnit === null && repeatEndsAt !== null) {
    throw invalidField('repeatEndsAt', 'is for windows that repeat: give repeatUnit as well, or leave it out');
  }
  if (repeatEndsAt !== null && repeatEndsAt <= startsAt) {
    throw invalidField('repeatEndsAt', 'must be later than startsAt');
  }
  const repeatInterval = repeatUnit === null ? null : (input.repeatInterval ?? 1);
  const mostMs = longestOf({ repeatInterval, repeatUnit });
  if (endsAt - startsAt > mostMs) {
    throw invalidField('endsAt', `must be within ${mostMs / dayMs} days of startsAt, when the window begins again`);
  }
  return { ...input, repeatInterval };
}
