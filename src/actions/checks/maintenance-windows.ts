// Actions on maintenance windows (reference §4.7).
import type { Page, Slice } from '#store/base/database.ts';
import type { Store } from '#store/store.ts';
import type { Caller } from '#domain/accounts/api-key.ts';
import type { TimeSpan } from '#domain/checks/calendar.ts';
import {
  effectOn,
  longestOf,
  type MaintenanceWindow,
  nextOccurrence,
  occurrenceFrom,
  occurrencesAfter,
  type SkippedOccurrence,
  type WindowScope,
} from '#domain/checks/maintenance-window.ts';
import type { CheckType } from '#domain/checks/check.ts';
import { isZone } from '#domain/checks/wall-time.ts';
import type { JsonObject } from '#domain/json.ts';
import type { OverviewCheck } from '#domain/results/overview.ts';
import { mapped, sorted } from '#domain/sliced.ts';
import type { Clock } from '#lib/clock.ts';
import { createTimeSlices } from '#lib/time-slices.ts';
import { requirePermission } from '../accounts/permission.ts';
import { invalidField, notFound } from '../refusal.ts';
import { type Warned, type Warning, withWarnings } from '../warnings.ts';

/** A window in a request. */
export type WindowInput = Omit<
  MaintenanceWindow,
  'accountId' | 'id' | 'skippedOccurrences' | 'createdAt' | 'updatedAt'
>;

/** A window that is being written: its times may be missing. */
export type WindowDraft = Omit<WindowInput, 'name' | 'description' | 'startsAt' | 'endsAt'> &
  Partial<Pick<WindowInput, 'startsAt' | 'endsAt'>>;

/** Checks on which a window has one effect. */
interface AffectedChecks {
  readonly total: number;
  /** Some of them, by name. */
  readonly checks: readonly { readonly id: string; readonly name: string }[];
}

/** What a window would do. */
export interface WindowPreview {
  readonly paused: AffectedChecks;
  readonly silenced: AffectedChecks;
  readonly accountChecks: number;
  /** The next ones; epoch ms. */
  readonly occurrences: readonly TimeSpan[];
}

/** Fields of a window that hold a time. */
export const instantFields = ['startsAt', 'endsAt', 'repeatEndsAt'] as const;
export type InstantField = (typeof instantFields)[number];

/** A window with its current or next occurrence; null = it has ended. */
export interface ShownWindow extends MaintenanceWindow {
  readonly next: { readonly from: number; readonly to: number } | null;
}

type NamedByWindow = Pick<MaintenanceWindow, 'tags' | 'checkIds' | 'groupIds'>;

type PreviewedCheck = Pick<OverviewCheck, 'checkId' | 'name' | 'groupId' | 'tags' | 'groupTags'>;

export interface MaintenanceWindowDeps extends Pick<Store, 'maintenanceWindows' | 'overview'> {
  /** Target of a check; null = its settings name none. */
  readonly targetOf: (checkType: CheckType, settings: JsonObject) => string | null;
  readonly clock: Clock;
}

export type MaintenanceWindowActions = ReturnType<typeof createMaintenanceWindowActions>;

const dayMs = 86_400_000;

/** The window with its current or next occurrence at `now` (epoch ms). */
export function shownWindow(window: MaintenanceWindow, now: number): ShownWindow {
  return { ...window, next: nextOccurrence(window, now) };
}

export function createMaintenanceWindowActions({
  maintenanceWindows,
  overview,
  targetOf,
  clock,
}: MaintenanceWindowDeps) {
  const shown = (window: MaintenanceWindow): ShownWindow => shownWindow(window, clock.now());
  const warned = async (window: MaintenanceWindow, unzoned: readonly InstantField[]): Promise<Warned<ShownWindow>> =>
    withWarnings(shown(window), [...zoneWarnings(window, unzoned), ...(await warningsOf(window, maintenanceWindows))]);
  const known = <Input extends Partial<WindowInput>>({ accountId }: Caller, input: Input) =>
    knownNames(maintenanceWindows, accountId, input);
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
      const window = await draftWindow(maintenanceWindows, caller.accountId, input);
      return warned(await maintenanceWindows.add(caller.accountId, window), unzoned);
    },
    /** Keeps fields that are not given. */
    async change(caller: Caller, id: number, change: Partial<WindowInput>, unzoned: readonly InstantField[]) {
      requirePermission(caller, 'write');
      // Validates only new references: a window may still contain checks that were deleted since.
      const valid = await known(caller, change);
      let restored = 0;
      const changed = await maintenanceWindows.change(caller.accountId, id, (present) => {
        const { accountId: _, id: __, createdAt: ___, updatedAt: ____, skippedOccurrences: all, ...input } = present;
        const times = { ...checked({ ...input, ...valid }), skippedOccurrences: all };
        const skippedOccurrences = all.filter(({ startsAt }) => occurrenceFrom(times, startsAt) !== null);
        const isAhead = ({ startsAt }: SkippedOccurrence): boolean => startsAt > clock.now();
        restored = all.filter(isAhead).length - skippedOccurrences.filter(isAhead).length;
        return { ...times, skippedOccurrences };
      });
      if (changed === null) throw unknown(id);
      const answer = await warned(changed, unzoned);
      return restored === 0 ? answer : withWarnings(answer, [...(answer.warnings ?? []), movedWarning(restored)]);
    },
    async remove(caller: Caller, id: number): Promise<void> {
      requirePermission(caller, 'write');
      if (!(await maintenanceWindows.remove(caller.accountId, id))) throw unknown(id);
    },
    /** What the window would do. Refuses inconsistent times if both are given. */
    async preview(caller: Caller, draft: WindowDraft): Promise<WindowPreview> {
      requirePermission(caller, 'read');
      const { checks } = await overview.checks(caller.accountId, targetOf);
      const { pause, silence } = await inSlices(caller.accountId, affectedChecks(checks, draft));
      const occurrences = nextOf(draft, clock.now());
      return { paused: pause, silenced: silence, accountChecks: checks.length, occurrences };
    },
  };
}

/** The window that an input describes, validated as if it were saved. @param windows say which names are unknown */
export async function draftWindow(
  windows: Pick<MaintenanceWindowDeps['maintenanceWindows'], 'unknownOf'>,
  accountId: string,
  input: WindowInput,
): Promise<WindowInput> {
  return checked(await knownNames(windows, accountId, input));
}

/** The input with checks and groups as they are stored. Refuses those that the account does not have. */
async function knownNames<Input extends Partial<WindowInput>>(
  { unknownOf }: Pick<MaintenanceWindowDeps['maintenanceWindows'], 'unknownOf'>,
  accountId: string,
  input: Input,
): Promise<Input> {
  const checkIds = input.checkIds?.map((id) => id.toLowerCase());
  const named = { ...(checkIds && { checkIds }), ...(input.groupIds && { groupIds: input.groupIds }) };
  const missing = await unknownOf(accountId, named);
  const [check, group] = [missing.checkIds[0], missing.groupIds[0]];
  if (check !== undefined) throw invalidField('checkIds', `contains the unknown check ${check}`);
  if (group !== undefined) throw invalidField('groupIds', `contains the unknown check group ${group}`);
  return { ...input, ...named };
}

/** An account may have ten thousand checks with a hundred tags each. */
const inSlices = createTimeSlices();
/** Maximum number of checks in a preview, for each effect. */
const maxAffected = 100;
/** Number of occurrences in a preview. */
const maxNext = 5;

/** The checks that a window pauses or silences, by the rule that recording uses. */
function* affectedChecks(checks: readonly PreviewedCheck[], scope: WindowScope) {
  const affected = yield* mapped(checks, (check) => {
    const { checkId: id, name, groupId, tags, groupTags } = check;
    return { id, name, effect: effectOn(scope, { id, groupId, tags: [...tags, ...groupTags] }) };
  });
  const byName = yield* sorted(affected, (one, other) => one.name.localeCompare(other.name, 'en'));
  const found = (effect: 'pause' | 'silence'): AffectedChecks => {
    const all = byName.filter((check) => check.effect === effect);
    return { total: all.length, checks: all.slice(0, maxAffected).map(({ id, name }) => ({ id, name })) };
  };
  return { pause: found('pause'), silence: found('silence') };
}

/** The next occurrences of a draft; none if a time is missing. */
function nextOf({ startsAt, endsAt, ...draft }: WindowDraft, now: number): TimeSpan[] {
  if (startsAt === undefined || endsAt === undefined) return [];
  const valid = checked({ ...draft, name: '', description: null, startsAt, endsAt });
  const spans: TimeSpan[] = [];
  for (const { planned } of occurrencesAfter({ ...valid, skippedOccurrences: [] }, now)) {
    spans.push(planned);
    if (spans.length === maxNext) break;
  }
  return spans;
}

/** Warns that a change moved skipped occurrences. */
function movedWarning(count: number): Warning {
  const subject = count === 1 ? 'A skipped occurrence was' : `${count} skipped occurrences were`;
  return { path: 'startsAt', message: `${subject} moved by this change and will take place. To skip it, do so again.` };
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
    const message = 'The window affects no check. Choose tags, checks or groups, or all checks of the account.';
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
