// Metrics of the checks on an overview page: the last 24 hours by hour, and availability of a day, a week and a month.
// Rolled-up hours come from roll-ups and are cached; only newer ones come from results.
import { findFact } from '../base/installation-fact.ts';
import { percentilesOf, sumBySpan } from '#domain/results/analytics.ts';
import type { Availability, OutcomeBucket, OverviewFigures } from '#domain/results/overview.ts';
import {
  dayMs,
  emptyRollUp,
  hourMs,
  hourOf,
  mergeRollUp,
  type RollUp,
  type SlotTimes,
  sumOfTimes,
} from '#domain/results/roll-up.ts';
import { createRecent, type Recent } from '#lib/recent.ts';
import { idBytes } from '../base/codec.ts';
import type { Database } from '../base/database.ts';
import type { Db } from '../base/tables/schema.ts';
import { breathe } from '../base/slices.ts';
import type { CheckHistory } from '../history/check-history.ts';
import { readProgress } from '../roll-ups/roll-up-progress.ts';
import { firstHourOf, ofCheck, type Past, type PastScope, readPast, readTimes } from './overview-past.ts';

/** Checks whose past is cached, of all accounts together: about 4 kB each. */
const maxRemembered = 5000;
/** Late results appear after this time, ms. */
const pastLastsMs = 60_000;
/** Hours that are not rolled up: the current one, and for some minutes the previous one. */
const maxYoung = 2;

/** Metrics of checks in the overview. */
export function createOverviewFigures({ reader, dialect, clock }: Database, history: CheckHistory) {
  const remembered = createRecent<Past>({ max: maxRemembered, sizeOf: () => 1 });
  const areTogether = dialect.rowsAtOnce === null;
  const scopeOf = async (account: string): Promise<FiguresScope> => {
    const now = clock.now();
    const rolledTo = await readRolledTo(reader, now);
    return { reader, dialect, history, areTogether, account, now, rolledTo, remembered };
  };
  return {
    /** For some checks, by ID. */
    async of(account: string, ids: readonly string[]): Promise<ReadonlyMap<string, OverviewFigures>> {
      const scope = await scopeOf(account);
      const parts: (readonly string[])[] = [];
      const atOnce = dialect.historiesAtOnce;
      for (let start = 0; start < ids.length; start += atOnce) parts.push(ids.slice(start, start + atOnce));
      if (areTogether) return new Map((await Promise.all(parts.map((some) => readSome(scope, some)))).flat());
      const figures: [string, OverviewFigures][] = [];
      for (const some of parts) {
        figures.push(...(await readSome(scope, some)));
        await breathe();
      }
      return new Map(figures);
    },
    /** Availability of the last day by check ID, from roll-ups only; without unknown ones. */
    async ratios(account: string, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
      const scope = await scopeOf(account);
      const ratios = new Map<string, number>();
      const atOnce = dialect.historiesAtOnce * 4;
      for (let start = 0; start < ids.length; start += atOnce) {
        const some = ids.slice(start, start + atOnce).map(idBytes);
        const { rolledTo } = scope;
        for (const [id, { knownMs, downMs }] of await readTimes(scope, some, 'hour', rolledTo - dayMs, rolledTo)) {
          if (knownMs > 0) ratios.set(id, (knownMs - downMs) / knownMs);
        }
        await breathe();
      }
      return ratios;
    },
  };
}

export type FiguresReader = ReturnType<typeof createOverviewFigures>;

interface FiguresScope extends PastScope {
  readonly history: CheckHistory;
  readonly remembered: Recent<Past>;
}

/** The hour until which results are rolled up, epoch ms: between the first of 24 hours and the current one. */
async function readRolledTo(reader: Db, now: number): Promise<number> {
  const hourAt = readProgress(await findFact(reader, 'rolled-up'))?.hourAt ?? 0;
  return Math.max(firstHourOf(now), Math.min(hourAt, hourOf(now)));
}

async function readSome(scope: FiguresScope, ids: readonly string[]): Promise<[string, OverviewFigures][]> {
  const { account, rolledTo, now, remembered } = scope;
  const past = new Map<string, Past>();
  for (const id of ids) {
    const known = remembered.get(`${account}/${id}`);
    if (known?.rolledTo === rolledTo && now - known.readAt < pastLastsMs && hourOf(known.readAt) === hourOf(now)) {
      past.set(id, known);
    }
  }
  const missing = ids.filter((id) => !past.has(id));
  if (missing.length > 0) {
    for (const [id, one] of await readPast(scope, missing)) {
      past.set(id, one);
      remembered.set(`${account}/${id}`, one);
    }
    if (!scope.areTogether) await breathe();
  }
  const young = await readYoung(scope, ids);
  return ids.flatMap((id): [string, OverviewFigures][] => {
    const known = past.get(id);
    if (known === undefined) return [];
    const fresh = young.map(({ from, sumOfCheck }) => ({ from, sum: sumOfCheck(id) }));
    return [[id, figuresOf(known, fresh)]];
  });
}

/** An hour that is not rolled up, and its totals. */
interface YoungHour {
  readonly from: number;
  readonly sumOfCheck: (id: string) => RollUp;
}

async function readYoung(scope: FiguresScope, ids: readonly string[]): Promise<YoungHour[]> {
  const { account, rolledTo, now, history } = scope;
  const count = Math.floor((now - rolledTo) / hourMs) + 1;
  const each = Array.from({ length: count }, (_, index) => ({
    from: rolledTo + index * hourMs,
    to: Math.min(rolledTo + (index + 1) * hourMs, now + 1),
  }));
  if (count <= maxYoung) {
    const sums = await Promise.all(each.map((span) => history.sums(account, ids, span)));
    return each.map(({ from }, index) => ({ from, sumOfCheck: (id) => sums[index]?.get(id) ?? emptyRollUp() }));
  }
  // Roll-ups are late.
  const { pieces, stretches } = await history.read(account, ids, { from: rolledTo, to: now + 1, pieceMs: hourMs });
  const [piecesOf, stretchesOf] = [Map.groupBy(pieces, ofCheck), Map.groupBy(stretches, ofCheck)];
  const sumsOf = new Map(ids.map((id) => [id, sumBySpan(each, piecesOf.get(id) ?? [], stretchesOf.get(id) ?? [])]));
  return each.map(({ from }, index) => ({ from, sumOfCheck: (id) => sumsOf.get(id)?.[index] ?? emptyRollUp() }));
}

function figuresOf(past: Past, fresh: readonly { readonly from: number; readonly sum: RollUp }[]): OverviewFigures {
  const young = emptyRollUp();
  for (const { sum } of fresh) mergeRollUp(young, sum);
  const responsesIn = ({ responses, failedResponses }: RollUp) => [responses, failedResponses];
  return {
    buckets: [...past.buckets, ...fresh.map(({ from, sum }) => bucketOf(sum, from))],
    sparkline: [...past.sparkline, ...fresh.map(({ sum }) => percentilesOf(responsesIn(sum)))],
    responseTimes: percentilesOf([past.dayResponses, ...responsesIn(young)]),
    availability: {
      day: availabilityOf(sumOfTimes([past.day, young])),
      week: availabilityOf(sumOfTimes([past.week, young])),
      month: availabilityOf(sumOfTimes([past.month, young])),
    },
  };
}

function bucketOf({ passed, degraded, failed, unknown, missed }: RollUp, from: number): OutcomeBucket {
  return { from, passed, degraded, failed, unknown, missed };
}

function availabilityOf({ knownMs, downMs, unknownMs }: SlotTimes): Availability {
  const allMs = knownMs + unknownMs;
  return { ratio: knownMs === 0 ? null : (knownMs - downMs) / knownMs, known: allMs === 0 ? 0 : knownMs / allMs };
}
