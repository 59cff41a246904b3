// The overview of an account's checks, filtered, sorted and paged in memory.
import type { Caller } from '#domain/accounts/api-key.ts';
import type { CheckType } from '#domain/checks/check.ts';
import {
  type MaintenanceWindow,
  maintenanceAt,
  nextOccurrence,
  occurrenceAt,
} from '#domain/checks/maintenance-window.ts';
import type { JsonObject } from '#domain/json.ts';
import {
  type DeliveryCounts,
  matchingEntries,
  type NewestResult,
  nextRunOf,
  type OverviewCheck,
  overviewEntry,
  type OverviewEntry,
  type OverviewFigures,
  type OverviewFilter,
  type OverviewGrouping,
  type OverviewSection,
  type OverviewSort,
  type OverviewSummary,
  sectionsOf,
  sortedEntries,
  summaryOf,
} from '#domain/results/overview.ts';
import type { Clock } from '#lib/clock.ts';
import { requirePermission } from '../accounts/permission.ts';

/** The query. */
export interface OverviewQuestion extends OverviewFilter {
  readonly sort: OverviewSort;
  readonly isDescending: boolean;
  /** Absent = one list. */
  readonly groupBy?: OverviewGrouping;
  readonly limit: number;
  readonly offset: number;
}

/** A check in the overview. Times are epoch ms. */
export interface OverviewRow extends OverviewEntry {
  readonly nextRunAt: number | null;
  readonly lastResult: NewestResult | null;
  readonly figures: OverviewFigures;
}

export interface ShownOverview {
  /** Number of checks in each state that match all other filters. */
  readonly summary: OverviewSummary;
  readonly deliveries: DeliveryCounts;
  /** The current or next maintenance. */
  readonly nextMaintenance: Pick<MaintenanceWindow, 'id' | 'name' | 'startsAt' | 'endsAt'> | null;
  /** Number of rows on all pages: a check has one in each section that it is in. */
  readonly total: number;
  /** Sections on all pages in order; none unless grouped. */
  readonly sections: readonly (Pick<OverviewSection, 'groupId' | 'name'> & { readonly counts: OverviewSummary })[];
  readonly rows: readonly OverviewRow[];
}

/** Dependencies of this action. */
export interface OverviewDeps {
  readonly overview: {
    checks(
      accountId: string,
      targetOf: (checkType: CheckType, settings: JsonObject) => string | null,
    ): Promise<{ readonly checks: readonly OverviewCheck[]; readonly windows: readonly MaintenanceWindow[] }>;
    figures(accountId: string, checkIds: readonly string[]): Promise<ReadonlyMap<string, OverviewFigures>>;
    availabilities(accountId: string, checkIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
    newestResults(accountId: string, checkIds: readonly string[]): Promise<ReadonlyMap<string, NewestResult>>;
    deliveries(accountId: string): Promise<DeliveryCounts>;
  };
  /** Target of a check, without secrets; null = its settings name none. */
  readonly targetOf: (checkType: CheckType, settings: JsonObject) => string | null;
  readonly clock: Clock;
}

export interface OverviewActions {
  read(caller: Caller, question: OverviewQuestion): Promise<ShownOverview>;
}

/** Entries of an account at a point in time, in the orders requested so far. */
interface SortedEntries {
  /** Epoch ms. */
  readonly at: number;
  sorted(
    sort: OverviewSort,
    isDescending: boolean,
    availability: ReadonlyMap<string, number>,
  ): readonly OverviewEntry[];
}

/** How long entries are cached while no check changes, ms: states also change with time alone. */
const entriesLastMs = 1000;
const noRatios: ReadonlyMap<string, number> = new Map();

function sortedAt(entries: readonly OverviewEntry[], at: number): SortedEntries {
  const orders = new Map<
    string,
    { readonly by: ReadonlyMap<string, number>; readonly list: readonly OverviewEntry[] }
  >();
  return {
    at,
    sorted(sort, isDescending, availability) {
      const known = orders.get(`${sort} ${isDescending}`);
      if (known?.by === availability) return known.list;
      const list = sortedEntries(entries, sort, isDescending, availability);
      orders.set(`${sort} ${isDescending}`, { by: availability, list });
      return list;
    },
  };
}

export function createOverviewActions({ overview, targetOf, clock }: OverviewDeps): OverviewActions {
  const remembered = new WeakMap<readonly OverviewCheck[], SortedEntries>();
  const entriesOf = (checks: readonly OverviewCheck[], windows: readonly MaintenanceWindow[], now: number) => {
    const before = remembered.get(checks);
    if (before !== undefined && now >= before.at && now - before.at < entriesLastMs) return before;
    const entries = sortedAt(entriesAt(checks, windows, now), now);
    remembered.set(checks, entries);
    return entries;
  };
  return {
    async read(caller, question) {
      requirePermission(caller, 'read');
      const { accountId } = caller;
      const { checks, windows } = await overview.checks(accountId, targetOf);
      const now = clock.now();
      const entries = entriesOf(checks, windows, now);
      const { states, sort, isDescending, groupBy, limit, offset } = question;
      const ids = (): string[] => checks.map(({ checkId }) => checkId);
      const availability = sort === 'availability' ? await overview.availabilities(accountId, ids()) : noRatios;
      const sorted = entries.sorted(sort, isDescending, availability);
      // Yields to the event loop between two passes over all checks.
      await new Promise<void>((resolve) => void setImmediate(resolve));
      const matching = matchingEntries(sorted, question);
      const summary = summaryOf(matching);
      const inState = states === undefined ? matching : matching.filter(({ state }) => states.includes(state));
      const sections = groupBy === undefined ? [] : sectionsOf(inState, groupBy);
      const ordered = groupBy === undefined ? inState : sections.flatMap((section) => section.entries);
      const page = ordered.slice(offset, offset + limit);
      const pageIds = [...new Set(page.map(({ check }) => check.checkId))];
      const [figures, newest, deliveries] = await Promise.all([
        overview.figures(accountId, pageIds),
        overview.newestResults(accountId, pageIds),
        overview.deliveries(accountId),
      ]);
      return {
        summary,
        deliveries,
        nextMaintenance: nextMaintenance(windows, now),
        total: ordered.length,
        sections: sections.map(({ groupId, name, entries: own }) => ({ groupId, name, counts: summaryOf(own) })),
        rows: page.flatMap((entry) => {
          const { checkId } = entry.check;
          const own = figures.get(checkId);
          const lastResult = newest.get(checkId) ?? null;
          return own === undefined
            ? []
            : [{ ...entry, nextRunAt: nextRunOf(entry.check, now), lastResult, figures: own }];
        }),
      };
    },
  };
}

function entriesAt(
  checks: readonly OverviewCheck[],
  windows: readonly MaintenanceWindow[],
  now: number,
): OverviewEntry[] {
  const current = windows.filter((window) => occurrenceAt(window, now) !== null);
  const isIn = ({ checkId: id, groupId, tags, groupTags }: OverviewCheck): boolean =>
    maintenanceAt(current, { id, groupId, tags: [...tags, ...groupTags] }, now).isSilenced;
  return checks.map((check) => overviewEntry(check, current.length > 0 && isIn(check), now));
}

function nextMaintenance(windows: readonly MaintenanceWindow[], now: number): ShownOverview['nextMaintenance'] {
  let next: ShownOverview['nextMaintenance'] = null;
  for (const window of windows) {
    const span = nextOccurrence(window, now);
    if (span === null || (next !== null && span.from >= next.startsAt)) continue;
    next = { id: window.id, name: window.name, startsAt: span.from, endsAt: span.to };
  }
  return next;
}
