// The overview of an account's checks, filtered, sorted and paged in memory.
import type { GapWait } from './after-gaps.ts';
import type { OverviewChecks } from '#store/overview/overview-checks.ts';
import type { Store } from '#store/store.ts';
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
  isFlapping,
  matchingEntries,
  type NewestResult,
  nextRunOf,
  type OverviewCheck,
  overviewEntry,
  type OverviewEntry,
  type OverviewFigures,
  type OverviewFilter,
  type OverviewSort,
  type OverviewSummary,
  sortedEntries,
  summaryOf,
} from '#domain/results/overview.ts';
import {
  type OverviewGrouping,
  type OverviewSection,
  pageOfSections,
  sectionsOf,
} from '#domain/results/overview-sections.ts';
import { hourMs } from '#domain/results/roll-up.ts';
import { filtered, mapped, type Sliced } from '#domain/sliced.ts';
import type { Clock } from '#lib/clock.ts';
import { createTimeSlices } from '#lib/time-slices.ts';
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
  /** Incidents that began or ended in the last hour; null = it does not flap. */
  readonly changesLastHour: number | null;
}

export interface ShownOverview {
  /** Number of checks in each state that match all other filters. */
  readonly summary: OverviewSummary;
  readonly deliveries: DeliveryCounts;
  /** Drafts of open incidents of status pages. */
  readonly statusDrafts: number;
  /** The current or next maintenance. */
  readonly nextMaintenance: Pick<MaintenanceWindow, 'id' | 'name' | 'startsAt' | 'endsAt'> | null;
  /** Whether some time before the last start is not evaluated yet, so that figures do not contain it. */
  readonly gapsPending: boolean;
  /** Number of rows on all pages: a check has one in each section that it is in. */
  readonly total: number;
  /** Sections on all pages in order; none unless grouped. */
  readonly sections: readonly OverviewSection[];
  readonly rows: readonly OverviewRow[];
}

export interface OverviewDeps extends Pick<Store, 'overview'> {
  readonly statusIncidents: Pick<Store['statusIncidents'], 'countDrafts'>;
  readonly afterGaps: GapWait;
  /** Target of a check, without secrets; null = its settings name none. */
  readonly targetOf: (checkType: CheckType, settings: JsonObject) => string | null;
  readonly clock: Clock;
}

export type OverviewActions = ReturnType<typeof createOverviewActions>;

/** Entries of an account at a point in time, in the orders requested so far. */
interface SortedEntries {
  /** Epoch ms. */
  readonly at: number;
  sorted(
    sort: OverviewSort,
    isDescending: boolean,
    availability: ReadonlyMap<string, number>,
  ): Promise<readonly OverviewEntry[]>;
}

/** How long entries are cached while no check changes, ms: states also change with time alone. */
const entriesLastMs = 1000;
/** Most drafts that are counted. */
const mostDrafts = 1000;
const noRatios: ReadonlyMap<string, number> = new Map();

/** Ten thousand checks with a hundred tags each are a million, so everything about all of them is done in slices. */
const inSlices = createTimeSlices();

function sortedAt(accountId: string, entries: Promise<readonly OverviewEntry[]>, at: number): SortedEntries {
  type Order = { readonly by: ReadonlyMap<string, number>; readonly list: Promise<readonly OverviewEntry[]> };
  const orders = new Map<string, Order>();
  return {
    at,
    sorted(sort, isDescending, availability) {
      const known = orders.get(`${sort} ${isDescending}`);
      if (known?.by === availability) return known.list;
      const list = entries.then((all) => inSlices(accountId, sortedEntries(all, sort, isDescending, availability)));
      orders.set(`${sort} ${isDescending}`, { by: availability, list });
      return list;
    },
  };
}

export function createOverviewActions({ overview, statusIncidents, afterGaps, targetOf, clock }: OverviewDeps) {
  const remembered = new WeakMap<readonly OverviewCheck[], SortedEntries>();
  const entriesOf = (accountId: string, { checks, windows }: OverviewChecks, now: number) => {
    const before = remembered.get(checks);
    if (before !== undefined && now >= before.at && now - before.at < entriesLastMs) return before;
    const entries = sortedAt(accountId, inSlices(accountId, entriesAt(checks, windows, now)), now);
    remembered.set(checks, entries);
    return entries;
  };
  return {
    async read(caller: Caller, question: OverviewQuestion): Promise<ShownOverview> {
      requirePermission(caller, 'read');
      const { accountId } = caller;
      const all = await overview.checks(accountId, targetOf);
      const { checks, windows } = all;
      const now = clock.now();
      const entries = entriesOf(accountId, all, now);
      const { sort, isDescending } = question;
      const ids = (): string[] => checks.map(({ checkId }) => checkId);
      const gapsPending = !(await afterGaps());
      const availability = sort === 'availability' ? await overview.availabilities(accountId, ids()) : noRatios;
      const sorted = await entries.sorted(sort, isDescending, availability);
      const { summary, total, sections, page } = await inSlices(accountId, pageOf(sorted, question));
      const pageIds = [...new Set(page.map(({ check }) => check.checkId))];
      const flapping = page.flatMap(({ check }) => (isFlapping(check) ? check.checkId : []));
      const [figures, newest, deliveries, changes, statusDrafts] = await Promise.all([
        overview.figures(accountId, pageIds),
        overview.newestResults(accountId, pageIds),
        overview.deliveries(accountId),
        overview.incidentChanges(accountId, [...new Set(flapping)], now - hourMs),
        statusIncidents.countDrafts(accountId, mostDrafts),
      ]);
      return {
        summary,
        deliveries,
        statusDrafts,
        nextMaintenance: nextMaintenance(windows, now),
        gapsPending,
        total,
        sections,
        rows: page.flatMap((entry) => {
          const { checkId } = entry.check;
          const own = figures.get(checkId);
          const lastResult = newest.get(checkId) ?? null;
          if (own === undefined) return [];
          const changesLastHour = isFlapping(entry.check) ? (changes.get(checkId) ?? 0) : null;
          return [{ ...entry, nextRunAt: nextRunOf(entry.check, now), lastResult, figures: own, changesLastHour }];
        }),
      };
    },
  };
}

/** The entries on a page, and what is shown about all pages. */
function* pageOf(sorted: readonly OverviewEntry[], question: OverviewQuestion) {
  const { states, groupBy, limit, offset } = question;
  const matching = yield* matchingEntries(sorted, question);
  const summary = yield* summaryOf(matching);
  const inState = states === undefined ? matching : yield* filtered(matching, ({ state }) => states.includes(state));
  if (groupBy === undefined) {
    return { summary, total: inState.length, sections: [], page: inState.slice(offset, offset + limit) };
  }
  const grouped = yield* sectionsOf(inState, groupBy);
  const { sections } = grouped;
  const total = sections.reduce((sum, { counts }) => sum + counts.total, 0);
  return { summary, total, sections, page: yield* pageOfSections(inState, grouped, { limit, offset }) };
}

function entriesAt(
  checks: readonly OverviewCheck[],
  windows: readonly MaintenanceWindow[],
  now: number,
): Sliced<OverviewEntry[]> {
  const current = windows.filter((window) => occurrenceAt(window, now) !== null);
  const isIn = ({ checkId: id, groupId, tags, groupTags }: OverviewCheck): boolean =>
    maintenanceAt(current, { id, groupId, tags: [...tags, ...groupTags] }, now).isSilenced;
  return mapped(checks, (check) => overviewEntry(check, current.length > 0 && isIn(check), now));
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
