// Actions on maintenance windows (reference §4.7).
import type { Page, Slice } from '#store/base/database.ts';
import type { Store } from '#store/store.ts';
import type { Caller } from '#domain/accounts/api-key.ts';
import { longestOf, type MaintenanceWindow, nextOccurrence } from '#domain/checks/maintenance-window.ts';
import { isZone } from '#domain/checks/wall-time.ts';
import type { Clock } from '#lib/clock.ts';
import { requirePermission } from '../accounts/permission.ts';
import { invalidField, notFound } from '../refusal.ts';
import { type Warned, type Warning, withWarnings } from '../warnings.ts';

/** A window in a request. */
export type WindowInput = Omit<MaintenanceWindow, 'accountId' | 'id' | 'createdAt' | 'updatedAt'>;

/** Fields of a window that hold a time. */
export const instantFields = ['startsAt', 'endsAt', 'repeatEndsAt'] as const;
export type InstantField = (typeof instantFields)[number];

/** A window with its current or next occurrence; null = it has ended. */
export interface ShownWindow extends MaintenanceWindow {
  readonly next: { readonly from: number; readonly to: number } | null;
}

type NamedByWindow = Pick<MaintenanceWindow, 'tags' | 'checkIds' | 'groupIds'>;

export interface MaintenanceWindowDeps {
  readonly maintenanceWindows: Pick<
    Store['maintenanceWindows'],
    'list' | 'find' | 'add' | 'change' | 'countNamed' | 'unknownOf' | 'remove'
  >;
  readonly clock: Clock;
}

export type MaintenanceWindowActions = ReturnType<typeof createMaintenanceWindowActions>;

const dayMs = 86_400_000;

export function createMaintenanceWindowActions({ maintenanceWindows, clock }: MaintenanceWindowDeps) {
  const shown = (window: MaintenanceWindow): ShownWindow => ({ ...window, next: nextOccurrence(window, clock.now()) });
  const warned = async (window: MaintenanceWindow, unzoned: readonly InstantField[]): Promise<Warned<ShownWindow>> =>
    withWarnings(shown(window), [...zoneWarnings(window, unzoned), ...(await warningsOf(window, maintenanceWindows))]);
  const known = async <Input extends Partial<WindowInput>>({ accountId }: Caller, input: Input): Promise<Input> => {
    const checkIds = input.checkIds?.map((id) => id.toLowerCase());
    const named = { ...(checkIds && { checkIds }), ...(input.groupIds && { groupIds: input.groupIds }) };
    const missing = await maintenanceWindows.unknownOf(accountId, named);
    const [check, group] = [missing.checkIds[0], missing.groupIds[0]];
    if (check !== undefined) throw invalidField('checkIds', `contains the unknown check ${check}`);
    if (group !== undefined) throw invalidField('groupIds', `contains the unknown check group ${group}`);
    return { ...input, ...named };
  };
  const unknown = (id: number) => notFound('maintenance window', id);
  return {
    /** Ordered by ID. */
    async list(caller: Caller, slice: Slice): Promise<Page<ShownWindow>> {
      requirePermission(caller, 'read');
      const { rows, total } = await maintenanceWindows.list(caller.accountId, slice);
      return { rows: rows.map(shown), total };
    },
    async find(caller: Caller, id: number): Promise<ShownWindow> {
      requirePermission(caller, 'read');
      const window = await maintenanceWindows.find(caller.accountId, id);
      if (window === null) throw unknown(id);
      return shown(window);
    },
    /** @param unzoned times that the request contains without a UTC offset */
    async create(caller: Caller, input: WindowInput, unzoned: readonly InstantField[]): Promise<Warned<ShownWindow>> {
      requirePermission(caller, 'write');
      return warned(await maintenanceWindows.add(caller.accountId, checked(await known(caller, input))), unzoned);
    },
    /** Keeps fields that are not given. */
    async change(caller: Caller, id: number, change: Partial<WindowInput>, unzoned: readonly InstantField[]) {
      requirePermission(caller, 'write');
      // Validates only new references: a window may still contain checks that were deleted since.
      const valid = await known(caller, change);
      const changed = await maintenanceWindows.change(caller.accountId, id, (present) => {
        const { accountId: _, id: __, createdAt: ___, updatedAt: ____, ...input } = present;
        return checked({ ...input, ...valid });
      });
      if (changed === null) throw unknown(id);
      return warned(changed, unzoned);
    },
    async remove(caller: Caller, id: number): Promise<void> {
      requirePermission(caller, 'write');
      if (!(await maintenanceWindows.remove(caller.accountId, id))) throw unknown(id);
    },
  };
}

/** Warns about times without an offset if the window's time zone is not UTC. */
function zoneWarnings({ timezone, ...window }: MaintenanceWindow, unzoned: readonly InstantField[]): Warning[] {
  if (timezone === 'UTC') return [];
  return unzoned.map((path) => {
    const read = new Date(window[path] ?? 0).toISOString().replace(':00.000Z', 'Z');
    return {
      path,
      message: `Without an offset the time is UTC (${read}), not ${timezone}. Add the offset, e.g. +02:00.`,
    };
  });
}

/** Warns about a window that affects no check, and about each entry that matches none. */
async function warningsOf(
  window: MaintenanceWindow,
  { countNamed }: Pick<MaintenanceWindowDeps['maintenanceWindows'], 'countNamed'>,
): Promise<Warning[]> {
  const { accountId, tags, checkIds, groupIds, silenceAlertsTags, pauseAllChecks, silenceAllAlerts } = window;
  const names = tags.length + checkIds.length + groupIds.length + silenceAlertsTags.length;
  if (!pauseAllChecks && !silenceAllAlerts && names === 0) {
    const message =
      'The window affects 0 checks. Set tags, checkIds, groupIds, silenceAlertsTags, ' +
      'pauseAllChecks or silenceAllAlerts.';
    return [{ path: 'tags', message }];
  }
  const paused = pauseAllChecks ? [] : pausedNames(window);
  const silenced = silenceAllAlerts ? [] : tagNames('silenceAlertsTags', silenceAlertsTags);
  const warnings: Warning[] = [];
  for (const [all, verb, entries] of [
    [{ tags, checkIds, groupIds }, 'pauses', paused],
    [{ tags: silenceAlertsTags }, 'silences', silenced],
  ] as const) {
    const checks = entries.length === 0 ? 0 : await countNamed(accountId, all);
    for (const { path, named, fault } of entries) {
      if ((await countNamed(accountId, named)) > 0) continue;
      warnings.push({ path, message: `${fault} In total, the window ${verb} ${checks} checks.` });
      if (warnings.length === maxWarnings) return warnings;
    }
  }
  return warnings;
}

/** An entry of a window, and the warning if it matches no check. */
interface NameEntry {
  readonly path: string;
  readonly named: Partial<NamedByWindow>;
  readonly fault: string;
}

function pausedNames({ tags, checkIds, groupIds }: NamedByWindow): NameEntry[] {
  return [
    ...tagNames('tags', tags),
    ...checkIds.map((id, index) => ({
      path: `checkIds[${index}]`,
      named: { checkIds: [id] },
      fault: `Check ${id} does not exist.`,
    })),
    ...groupIds.map((id, index) => ({
      path: `groupIds[${index}]`,
      named: { groupIds: [id] },
      fault: `The group ${id} contains no checks.`,
    })),
  ];
}

function tagNames(field: string, tags: readonly string[]): NameEntry[] {
  return tags.map((tag, index) => ({
    path: `${field}[${index}]`,
    named: { tags: [tag] },
    fault: `No check has the tag "${tag}", directly or through its group.`,
  }));
}

/** Maximum number of warnings about entries in one response. */
const maxWarnings = 10;

/** Refuses inconsistent times; a unit without an interval means an interval of 1. */
function checked(input: WindowInput): WindowInput {
  const { startsAt, endsAt, repeatUnit, repeatEndsAt, timezone } = input;
  if (!isZone(timezone)) throw invalidField('timezone', 'must be an IANA time zone name, such as Europe/Berlin');
  if (endsAt <= startsAt) throw invalidField('endsAt', 'must be later than startsAt');
  if (repeatUnit === null && input.repeatInterval !== null) {
    throw invalidField('repeatUnit', 'must be DAY, WEEK or MONTH when repeatInterval is given');
  }
  if (repeatUnit === null && repeatEndsAt !== null) {
    throw invalidField('repeatEndsAt', 'requires repeatUnit');
  }
  if (repeatEndsAt !== null && repeatEndsAt <= startsAt) {
    throw invalidField('repeatEndsAt', 'must be later than startsAt');
  }
  const repeatInterval = repeatUnit === null ? null : (input.repeatInterval ?? 1);
  const maxMs = longestOf({ repeatInterval, repeatUnit });
  if (endsAt - startsAt > maxMs) {
    const days = maxMs === dayMs ? '1 day' : `${maxMs / dayMs} days`;
    throw invalidField(
      'endsAt',
      `must be within ${days} of startsAt: a window must be shorter than its repeat interval`,
    );
  }
  return { ...input, repeatInterval };
}
