// The last 90 UTC days of services: counted once they are over, the present one from what is known so far.
import { checkIdsOf, membersOf, type NamedChecks } from '#domain/status-pages/service-members.ts';
import { type PublicDay, shownDays } from '#domain/status-pages/page-snapshot.ts';
import type { StatusService } from '#domain/status-pages/status-service.ts';
import { serviceTimes } from '#domain/status-pages/uptime.ts';
import {
  dayMs,
  dayOf,
  hourMs,
  hourOf,
  noTimes,
  slotsWithin,
  type SlotTimes,
  sumOfTimes,
} from '#domain/results/roll-up.ts';
import { mapped, type Sliced } from '#domain/sliced.ts';
import { createRecent } from '#lib/recent.ts';
import type { InSlices } from '#lib/time-slices.ts';
import type { Store } from '#store/store.ts';

export interface ServiceDaysDeps extends Pick<Store, 'checkHistory' | 'serviceDays'> {
  readonly inSlices: InSlices;
}

/** The services of an account and their checks. */
export interface DaysQuestion {
  readonly accountId: string;
  readonly services: readonly StatusService[];
  readonly named: NamedChecks;
  /** Epoch ms. */
  readonly now: number;
}

interface KnownService {
  readonly updatedAt: number | null;
  /** Days that are over, by their start. */
  readonly days: Map<number, PublicDay>;
}

interface KnownAccount {
  readonly size: number;
  readonly services: Map<string, KnownService>;
  /** When a day was counted by this process, epoch ms, by its start. */
  readonly countedAt: Map<number, number>;
  /** The present day. */
  today: { readonly at: number; readonly readAt: number; readonly times: ReadonlyMap<string, SlotTimes> } | null;
}

/** Days that are kept in memory, of all accounts. */
const maxRemembered = 500_000;
/** How long the figures of the present day are good for, ms. */
const todayLastsMs = 55_000;
/** Results may arrive late: so many days are counted anew, each hour. */
const [recountedDays, recountEveryMs] = [2, hourMs];
/** How long one reading may go on counting past days, ms. */
const budgetMs = 500;

/** Reads the days of an account's services; `isComplete` = all past days are counted. */
export function createReadDays(deps: ServiceDaysDeps) {
  const remembered = createRecent<KnownAccount>({ max: maxRemembered, sizeOf: ({ size }) => size });
  return async (question: DaysQuestion) => {
    const { accountId, services, now, named } = question;
    const shown = services.filter((service) => service.showHistory && membersOf(service, named).length > 0);
    const asked = { ...question, services: shown };
    const known = await readKnown(deps, asked, remembered.get(accountId));
    remembered.set(accountId, known);
    const today = dayOf(now);
    const isFresh = known.today?.at === today && Math.abs(now - known.today.readAt) < todayLastsMs;
    if (!isFresh) known.today = { at: today, readAt: now, times: await countDay(deps, asked, today) };
    const isComplete = await countPast(deps, asked, known);
    return { days: await deps.inSlices(accountId, daysOf(services, known, today)), isComplete };
  };
}

async function readKnown(
  { serviceDays }: ServiceDaysDeps,
  { accountId, services, now }: DaysQuestion,
  before: KnownAccount | undefined,
): Promise<KnownAccount> {
  const isKnown = ({ id, updatedAt }: StatusService): boolean => before?.services.get(id)?.updatedAt === updatedAt;
  const others = services.filter((service) => !isKnown(service));
  const ids = others.map(({ id }) => id);
  const read = await serviceDays.read(accountId, ids, dayOf(now) - (shownDays - 1) * dayMs);
  const all = services.map(({ id, updatedAt }): [string, KnownService] => {
    const known = before?.services.get(id);
    const days = read.get(id);
    return [id, days === undefined && known !== undefined ? known : { updatedAt, days: days ?? new Map() }];
  });
  const size = Math.min(maxRemembered, Math.max(1, services.length * shownDays));
  const today = others.length === 0 ? (before?.today ?? null) : null;
  return { size, services: new Map(all), countedAt: before?.countedAt ?? new Map(), today };
}

/** Counts past days, newest first, as far as the time allows; returns whether all are counted. */
async function countPast(deps: ServiceDaysDeps, question: DaysQuestion, known: KnownAccount): Promise<boolean> {
  const { accountId, services, now } = question;
  const endsAt = performance.now() + budgetMs;
  const [today, oldest] = [dayOf(now), dayOf(now) - (shownDays - 1) * dayMs];
  for (let at = today - dayMs; at >= oldest; at -= dayMs) {
    const isRecounted = at >= today - recountedDays * dayMs && isOlder(known.countedAt.get(at), now);
    const due = isRecounted ? services : services.filter(({ id }) => known.services.get(id)?.days.has(at) !== true);
    if (due.length === 0) continue;
    if (performance.now() > endsAt) return false;
    const times = await countDay(deps, { ...question, services: due }, at);
    await deps.serviceDays.write(accountId, at, times, oldest);
    for (const [id, day] of times) known.services.get(id)?.days.set(at, { at, ...day });
    known.countedAt.set(at, now);
  }
  for (const at of known.countedAt.keys()) if (at < oldest) known.countedAt.delete(at);
  for (const { days } of known.services.values()) {
    for (const at of days.keys()) if (at < oldest) days.delete(at);
  }
  return true;
}

function isOlder(countedAt: number | undefined, now: number): boolean {
  return countedAt === undefined || Math.abs(now - countedAt) >= recountEveryMs;
}

/** The times of services on a UTC day that starts at `day`, up to now. */
async function countDay(
  { checkHistory, inSlices }: ServiceDaysDeps,
  { accountId, services, named, now }: DaysQuestion,
  day: number,
): Promise<ReadonlyMap<string, SlotTimes>> {
  const to = Math.min(day + dayMs, now);
  const ids = checkIdsOf(services, named);
  const ofChecks = new Map<string, SlotTimes[][]>();
  if (to <= day) return new Map(services.map(({ id }) => [id, noTimes]));
  for (let start = 0; start < ids.length; start += checkHistory.checksAtOnce) {
    const some = ids.slice(start, start + checkHistory.checksAtOnce);
    const { pieces, stretches } = await checkHistory.read(accountId, some, { from: day, to, pieceMs: hourMs });
    const add = (checkId: string, at: number, { knownMs, downMs, unknownMs }: SlotTimes): void => {
      const hours = ofChecks.get(checkId) ?? [];
      (hours[(at - day) / hourMs] ??= []).push({ knownMs, downMs, unknownMs });
      ofChecks.set(checkId, hours);
    };
    for (const { checkId, startAt, rollUp } of pieces) add(checkId, hourOf(startAt), rollUp);
    for (const stretch of stretches) {
      for (let at = day; at < to; at += hourMs) {
        const slots = slotsWithin(stretch, at, Math.min(at + hourMs, to));
        if (slots > 0) add(stretch.checkId, at, { ...noTimes, unknownMs: slots * stretch.intervalMs });
      }
    }
  }
  return inSlices(accountId, timesOf(services, named, ofChecks, { from: day, to }));
}

/** @param ofChecks times by check and hour */
function* timesOf(
  services: readonly StatusService[],
  named: NamedChecks,
  ofChecks: ReadonlyMap<string, readonly (readonly SlotTimes[])[]>,
  { from, to }: { readonly from: number; readonly to: number },
): Sliced<ReadonlyMap<string, SlotTimes>> {
  const times = new Map<string, SlotTimes>();
  for (const service of services) {
    const checks = membersOf(service, named).flatMap(({ checkId }) => [ofChecks.get(checkId) ?? []]);
    const count = service.threshold?.of === 'CHECKS' ? service.threshold.count : null;
    const hours: SlotTimes[] = [];
    for (let at = from; at < to; at += hourMs) {
      const ofHour = checks.map((each) => sumOfTimes(each[(at - from) / hourMs] ?? []));
      hours.push(serviceTimes(ofHour, count, Math.min(hourMs, to - at)));
      yield;
    }
    times.set(service.id, sumOfTimes(hours));
  }
  return times;
}

/** All days by service, oldest first; those that are not counted have no known time. */
function* daysOf(
  services: readonly StatusService[],
  known: KnownAccount,
  today: number,
): Sliced<ReadonlyMap<string, readonly PublicDay[]>> {
  const starts = Array.from({ length: shownDays }, (_, index) => today - (shownDays - 1 - index) * dayMs);
  const all = yield* mapped(services, ({ id }): [string, PublicDay[]] => {
    const past = known.services.get(id)?.days;
    const days = starts.map((at) => past?.get(at) ?? { at, ...noTimes });
    return [id, [...days.slice(0, -1), { at: today, ...(known.today?.times.get(id) ?? noTimes) }]];
  });
  return new Map(all);
}
