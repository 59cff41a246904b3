// Fixture of the simulated years: checks of several intervals, windows in zones with unusual clock changes, and jobs.
import { randomUUID } from 'node:crypto';
import type { Check } from '#domain/checks/check.ts';
import type { Store } from '#store/store.ts';
import { aChannel, aCheck } from '../../tests/support/store/records.ts';
import { nextSlot, phaseMs } from '#domain/checks/schedule.ts';
import { derivedId } from '#lib/id.ts';
import { seedFirstAccount } from '../support/seed.ts';
import { dayMs, hourMs } from './machine-events.ts';
import type { HeartbeatJudge } from './judge-heartbeat.ts';
import { shown, timesOf, type WallWindow } from './wall-clock.ts';

/** A check with a target. */
export interface WatchedCheck {
  readonly id: string;
  readonly intervalMs: number;
  /** Number of consecutive failures before an alert. */
  readonly runs: number;
  /** Windows that pause and windows that silence the check; true times, epoch ms. */
  readonly paused: readonly TimeSpan[];
  readonly silenced: readonly TimeSpan[];
}

/** A heartbeat, and the job that pings it. */
export interface WatchedJob {
  readonly id: string;
  readonly name: string;
  readonly token: string;
  readonly periodMs: number;
  readonly graceMs: number;
}

interface TimeSpan {
  readonly from: number;
  readonly to: number;
}

export interface Fixture {
  readonly checks: readonly WatchedCheck[];
  readonly jobs: readonly WatchedJob[];
}

const minuteMs = 60_000;
/** Name, tag, minutes between runs, consecutive failures before an alert. */
const checkRows = [
  ['plain', '', 60, 1],
  ['twice', '', 60, 2],
  ['nightly', 'nightly', 30, 1],
  ['weekly', 'weekly', 30, 1],
  ['monthly', 'monthly', 60, 1],
  ['halfday', 'nightly', 720, 1],
  ['daily', '', 1440, 1],
  ['evening', 'evening', 1440, 1],
  ['evenings', 'evening', 60, 1],
] as const;
/**
 * Windows during clock changes, including the half-hour one, and on the last day of each month. Every result of a daily check
 * falls into the last one.
 */
const windowRows: readonly WindowRow[] = [
  { tag: 'nightly', zone: 'Europe/Berlin', unit: 'DAY', hour: 2.5, hours: 1, isPause: true },
  { tag: 'weekly', zone: 'America/New_York', unit: 'WEEK', hour: 1.5, hours: 1.5, isPause: false },
  { tag: 'monthly', zone: 'Australia/Lord_Howe', unit: 'MONTH', hour: 23, hours: 3, isPause: true },
  { tag: 'evening', zone: 'Asia/Kolkata', unit: 'DAY', hour: 18, hours: 4, isPause: false },
];
/** Period and grace, minutes. */
const jobRows = [
  ['hourly job', 60, 20],
  ['half-hourly job', 30, 5],
  ['daily job', 1440, 150],
] as const;

/**
 * Creates the fixture in an empty store. Windows begin exactly at a slot of the first check that they cover.
 *
 * @param until end of the computed windows, epoch ms
 */
export async function makeFixture(store: Store, now: number, until: number): Promise<Fixture> {
  const accountId = await seedFirstAccount(store);
  // Due times depend on the id of a check, so fixed ids make the years repeatable.
  const idOf = (name: string): string => derivedId(now, name);
  const made: Check[] = [];
  for (const [name, tag, frequency, runs] of checkRows) {
    const tags = tag === '' ? [] : [tag];
    const given = { id: idOf(name), name, frequency, tags, ...alertingAfter(runs) };
    made.push(await addCheck(store, aCheck(accountId, given)));
  }
  const times = new Map<string, { readonly isPause: boolean; readonly spans: readonly TimeSpan[] }>();
  for (const row of windowRows) {
    const first = made.find(({ tags }) => tags.includes(row.tag));
    if (first === undefined) throw new Error(`no check has the tag ${row.tag}`);
    times.set(row.tag, { isPause: row.isPause, spans: await addWindow(store, first, row, now, until) });
  }
  const jobs: WatchedJob[] = [];
  for (const [name, period, grace] of jobRows) {
    const token = randomUUID();
    const heartbeat = { period, periodUnit: 'minutes', grace, graceUnit: 'minutes', pingToken: token };
    const given = { id: idOf(name), name, settings: { heartbeat }, ...alertingAfter(1) };
    const check = aCheck(accountId, { checkType: 'HEARTBEAT', ...given });
    const { id } = await addCheck(store, check);
    jobs.push({ id, name, token, periodMs: period * minuteMs, graceMs: grace * minuteMs });
  }
  await addChannel(store, accountId, [...made.map(({ id }) => id), ...jobs.map(({ id }) => id)]);
  const checks = made.map(({ id, frequency, tags }, index): WatchedCheck => {
    const [own] = tags.map((tag) => times.get(tag)).filter((found) => found !== undefined);
    const spans = own?.spans ?? [];
    const runs = checkRows[index]?.[3] ?? 1;
    return {
      id,
      intervalMs: frequency * minuteMs,
      runs,
      paused: own?.isPause === true ? spans : [],
      // A paused check has no alerts, either.
      silenced: spans,
    };
  });
  return { checks, jobs };
}

function alertingAfter(runs: number): Partial<Check> {
  return {
    doubleCheck: false,
    useGlobalAlertSettings: false,
    alertSettings: { escalationType: 'RUN_BASED', runBasedEscalation: { failedRunThreshold: runs } },
  };
}

async function addCheck(store: Store, check: Check): Promise<Check> {
  const added = await store.checks.add({ check, subscriptions: null, isAutoAssigned: false });
  if (!('saved' in added)) throw new Error(`the check ${check.name} was not saved`);
  return added.saved.check;
}

async function addChannel(store: Store, accountId: string, checkIds: readonly string[]): Promise<void> {
  const subscriptions = checkIds.map((checkId) => ({ checkId, groupId: null, activated: true }));
  const added = await store.alertChannels.add({ channel: aChannel(accountId), subscriptions });
  if (!('saved' in added)) throw new Error('the channel was not saved');
}

/** @returns its occurrences according to the reference implementation */
async function addWindow(
  store: Store,
  first: Check,
  { tag, zone, unit, hour, hours, isPause }: WindowRow,
  now: number,
  until: number,
): Promise<readonly TimeSpan[]> {
  const intervalMs = first.frequency * minuteMs;
  // On the 31st for monthly windows.
  const day = unit === 'MONTH' ? Date.UTC(new Date(now).getUTCFullYear(), 0, 31) : now + dayMs;
  const near = Date.parse(`${new Date(day).toISOString().slice(0, 10)}T00:00:00Z`) + hour * hourMs;
  const aheadMs = Date.parse(`${shown(near, zone)}Z`) - near;
  const startsAt = nextSlot(near - aheadMs, intervalMs, phaseMs(first.id, intervalMs));
  const endsAt = startsAt + hours * hourMs;
  await store.maintenanceWindows.add(first.accountId, {
    name: tag,
    description: null,
    tags: isPause ? [tag] : [],
    checkIds: [],
    groupIds: [],
    startsAt,
    endsAt,
    repeatInterval: 1,
    repeatUnit: unit,
    repeatEndsAt: null,
    timezone: zone,
    pauseAllChecks: false,
    silenceAllAlerts: false,
    isPublic: false,
    silenceAlertsTags: isPause ? [] : [tag],
  });
  const wall: WallWindow = { zone, unit, firstStart: shown(startsAt, zone), firstEnd: shown(endsAt, zone) };
  return timesOf(wall, until);
}

interface WindowRow {
  readonly tag: string;
  readonly zone: string;
  readonly unit: 'DAY' | 'WEEK' | 'MONTH';
  /** Local time of the first slot at or soon after the given time. */
  readonly hour: number;
  readonly hours: number;
  readonly isPause: boolean;
}

/** State of a check. */
export interface CheckRecord {
  readonly check: WatchedCheck;
  readonly isDown: (trueAt: number) => boolean;
  readonly isPaused: (at: number) => boolean;
  readonly isSilenced: (at: number) => boolean;
  /** When it last ran, in running time; ms. */
  ranAt: number;
  /** Latest slot with an outcome, epoch ms. */
  slotAt: number;
}

/** State of a job. */
export interface JobRecord {
  readonly job: WatchedJob;
  readonly isSilent: (trueAt: number) => boolean;
  readonly judge: HeartbeatJudge;
  /** Time of its next call; true time, epoch ms. */
  callsAt: number;
}
