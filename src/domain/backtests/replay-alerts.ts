// Replays stored results through the rules that raise real alerts, to tell what settings would have done
// (docs/decisions/0143). Instants are epoch ms.
import type { AlertType, Notified } from '../alerts/alert.ts';
import { calm, type Flapping, foldChange, type FoldedFlapping, foldTime } from '../alerts/flapping.ts';
import {
  alertEventOf,
  alertTypesOf,
  isCountedAlert,
  isEscalated,
  mayNotify,
  notificationsOf,
  notNotified,
} from '../alerts/notify.ts';
import {
  escalationDueAt,
  type FailureMessage,
  isNotifiedBy,
  type NeededCheck,
  type Recovery,
  recoveryAfter,
  suppressionOf,
  type Suppressor,
} from '../alerts/suppression.ts';
import {
  alertedOf,
  type CheckState,
  foldResult,
  judgeState,
  newCheckState,
  type StateRules,
  type StateStep,
} from '../checks/check-state.ts';
import { neededBy } from '../checks/check-group.ts';
import { effectiveCheck } from '../checks/effective-check.ts';
import { expectedEveryMs, maintenanceOf, stateRulesOf } from '../checks/state-rules.ts';
import type { CheckContext } from '../results/recording.ts';
import type { BacktestAlert, BacktestCheck, PastResult, Replayed, ReplayInput } from './backtest.ts';
import { createMessages, type MessageCounter } from './replay-messages.ts';

/** What is known of a check during the replay. */
interface Course extends BacktestCheck {
  readonly everyMs: number;
  readonly isActive: boolean;
  readonly needs: readonly string[];
  /** Checks whose alerts may wait for this one. */
  readonly dependents: Course[];
  readonly notified: Map<number, Notified>;
  /** Last failure message of each channel. */
  readonly messages: Map<number, FailureMessage>;
  state: CheckState;
  flapping: Flapping;
  flappingDueAt: number | null;
  suppressor: Suppressor | null;
  recovery: Recovery;
  incidentAt: number | null;
  /** The newest result. */
  last: { readonly id: string; readonly at: number } | null;
  /** When the passing of time was last considered. */
  lookedAt: number;
}

/** Time after which a muted or suppressed alert is considered again. */
const againMs = 30_000;

/** Replays; pure. */
export function replayAlerts(input: ReplayInput): Replayed {
  const replay = createReplay(input);
  for (const result of input.results) ended(replay.take(result));
  return ended(replay.end(input.to));
}

/** Runs a generator to its end. */
function ended<Answer>(work: Generator<undefined, Answer, undefined>): Answer {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

/**
 * How often a replay considers the time that passes, at most: after about two seconds of work it ends early. An account
 * could otherwise keep a process busy for hours.
 */
export const mostLooks = 100_000;

/** A replay that takes results one by one and yields where its caller can pause. */
export function createReplay({ checks, locations, isCounted }: Omit<ReplayInput, 'results' | 'to'>) {
  const courses = coursesOf(checks);
  const counter = createMessages(checks[0]?.context.accountAlertSettings ?? null, isCounted);
  const world: World = { courses, locations, alerts: [], counter, looks: 0, cutAt: null };
  return {
    /** Takes the next result; `endedAt` must not decrease. Results of other checks are left out. */
    *take(result: PastResult): Generator<undefined, void, undefined> {
      yield* passTime(world, result.endedAt);
      if (world.cutAt !== null) return;
      const course = courses.get(result.checkId);
      if (course !== undefined) takeResult(world, course, result);
    },
    /** Lets the rest of the time pass. */
    *end(to: number): Generator<undefined, Replayed, undefined> {
      yield* passTime(world, to);
      return { alerts: world.alerts, messages: counter.times, to: world.cutAt ?? to };
    },
  };
}

interface World {
  readonly courses: ReadonlyMap<string, Course>;
  readonly locations: readonly string[];
  readonly alerts: BacktestAlert[];
  readonly counter: MessageCounter;
  looks: number;
  /** When it ended early; null = it did not. */
  cutAt: number | null;
}

function coursesOf(checks: readonly BacktestCheck[]): Map<string, Course> {
  const courses = new Map<string, Course>();
  for (const { context: written, listeners } of checks) {
    const context = unmuted(written);
    const { check, group } = context;
    courses.set(check.id, {
      context,
      listeners,
      everyMs: expectedEveryMs(check),
      isActive: effectiveCheck(check, group).activated,
      needs: neededBy(check, group),
      dependents: [],
      notified: new Map(),
      messages: new Map(),
      state: newCheckState,
      flapping: calm,
      flappingDueAt: null,
      suppressor: null,
      recovery: { recoveredAt: null, failedFrom: null },
      incidentAt: null,
      last: null,
      lookedAt: 0,
    });
  }
  for (const course of courses.values()) {
    for (const id of needed(course, courses)) courses.get(id)?.dependents.push(course);
  }
  return courses;
}

/** IDs of the checks that a check needs, directly or through others. */
function needed(course: Course, courses: ReadonlyMap<string, Course>): Set<string> {
  const found = new Set<string>();
  const waiting = [...course.needs];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (found.has(id)) continue;
    found.add(id);
    waiting.push(...(courses.get(id)?.needs ?? []));
  }
  return found;
}

/** The settings without mutes. */
function unmuted(context: CheckContext): CheckContext {
  const none = { muted: false, mutedUntil: null, mutedUntilRecovery: false, mutedFrom: null } as const;
  const { check, group } = context;
  return { ...context, check: { ...check, ...none }, group: group === null ? null : { ...group, ...none } };
}

/** Considers what time alone causes, in its order, up to `to`. */
function* passTime(world: World, to: number): Generator<undefined, void, undefined> {
  while (world.cutAt === null) {
    let first: Course | null = null;
    let at = to;
    for (const course of world.courses.values()) {
      const dueAt = dueAtOf(course, world);
      if (dueAt !== null && dueAt < at) [first, at] = [course, dueAt];
    }
    if (first === null) return;
    if (++world.looks > mostLooks) world.cutAt = at;
    else look(world, first, at);
    yield undefined;
  }
}

/** When time alone can cause something; null = never. */
function dueAtOf(course: Course, world: World): number | null {
  const { state, suppressor, flappingDueAt, lookedAt, last, everyMs } = course;
  const atFlapping = flappingDueAt === null ? Infinity : Math.max(flappingDueAt, lookedAt + 1);
  let atAlert = Infinity;
  const isWaiting = state.status !== null && state.status !== 'passing' && state.alerted !== state.status;
  // Later than this, nothing is known of the check.
  const isKnown = last !== null && lookedAt - last.at <= 2 * everyMs + staleMs;
  if (isWaiting && isKnown) {
    const rules = rulesAt(course, world.locations, lookedAt);
    const since = (state.status === 'failing' ? state.failingSince : state.since) ?? lookedAt;
    if (suppressor !== null) atAlert = Math.min(suppressor.until ?? Infinity, lookedAt + againMs);
    else if (rules.isMuted) atAlert = lookedAt + againMs;
    else if (rules.escalation.type === 'TIME_BASED') atAlert = since + rules.escalation.ms;
    atAlert = atAlert <= lookedAt ? (suppressor === null ? Infinity : lookedAt + againMs) : atAlert;
  }
  const waiting = escalatesAt(course);
  const atEscalation = waiting > lookedAt ? waiting : lookedAt + againMs;
  const at = Math.min(atFlapping, atAlert, atEscalation);
  return at === Infinity ? null : at;
}

/** When the first channel that waits is notified of the open alert; Infinity = none waits. */
function escalatesAt({ notified }: Course): number {
  return Math.min(...[...notified.values()].map((each) => each.escalatesAt ?? Infinity));
}

/** As `judgeState` says. */
const staleMs = 15 * 60_000;

function rulesAt({ context }: Course, locations: readonly string[], now: number): StateRules {
  const { checkType } = context.check;
  return stateRulesOf(context, checkType === 'HEARTBEAT' ? [] : locations, maintenanceOf(context, now));
}

/** Folds a result. */
function takeResult(world: World, course: Course, result: PastResult): void {
  const now = result.endedAt;
  const before = course.state;
  const rules = rulesAt(course, world.locations, now);
  let step = foldResult(before, result, rules);
  const by = step.opens === null ? null : suppressorOf(world, course, step.state, now);
  if (step.opens !== null && by !== null) {
    if (course.suppressor === null)
      addAlert(world, course, { type: step.opens, at: now, resultId: result.id, by: by.name });
    step = foldResult(before, result, { ...rules, isMuted: true });
  }
  if (course.last === null || result.at >= course.last.at) course.last = { id: result.id, at: result.at };
  const isOver = step.isMoved && (step.opens !== null || step.state.status === 'passing');
  course.recovery = recoveryAfter(course.recovery, before, step.state, course.suppressor !== null, now);
  course.suppressor = by ?? (isOver ? null : course.suppressor);
  const flapping = foldChange(course.flapping, { alerted: before.alerted, everyMs: course.everyMs, now }, step);
  move(course, step.state, flapping, now);
  const judged = { before, step, rules, certificate: null };
  if (mayNotify(judged, now))
    notify(world, course, { before, step, rules, tidings: flapping.tidings, now, resultId: result.id });
  reconsider(world, course, now);
}

/** Considers the time that passed without a result, as the service does. */
function look(world: World, course: Course, now: number): void {
  course.lookedAt = now;
  const before = course.state;
  const { everyMs, last } = course;
  const rules = { ...rulesAt(course, world.locations, now), reminders: null };
  const due = judgeState(before, rules, { now, everyMs, judgedAt: last?.at ?? null });
  const by = due === null ? null : suppressorOf(world, course, before, now);
  if (due !== null) course.suppressor = by;
  const opens = by === null ? due : null;
  const isFlappingDue = course.flappingDueAt !== null && course.flappingDueAt <= now;
  const isEscalationDue = escalatesAt(course) <= now && before.alerted !== null && !rules.isMuted;
  if (opens === null && !isFlappingDue && !isEscalationDue) return;
  const state = opens === null ? before : alertedOf(before, opens);
  const step: StateStep = { state, change: null, opens, isMoved: true };
  const moment = { alerted: before.alerted, everyMs, now };
  const flapping =
    opens === null
      ? foldTime(course.flapping, moment, state, rules.isMuted)
      : foldChange(course.flapping, moment, step);
  move(course, state, flapping, now);
  if (opens === null && !isEscalationDue && flapping.tidings?.message == null) return;
  notify(world, course, { before, step, rules, tidings: flapping.tidings, now, resultId: last?.id ?? '' });
  reconsider(world, course, now);
}

function move(course: Course, state: CheckState, { state: flapping, dueAt }: FoldedFlapping, now: number): void {
  if (course.state.alerted === null && state.alerted !== null) course.incidentAt = state.since ?? now;
  course.state = state;
  course.flapping = flapping;
  course.flappingDueAt = dueAt;
  course.lookedAt = now;
}

/** Alerts that waited for this check. */
function reconsider(world: World, { dependents }: Course, now: number): void {
  for (const dependent of dependents) if (dependent.suppressor !== null) look(world, dependent, now);
}

interface Notice {
  readonly before: CheckState;
  readonly step: StateStep;
  readonly rules: StateRules;
  readonly tidings: FoldedFlapping['tidings'];
  readonly now: number;
  readonly resultId: string;
}

function notify(world: World, course: Course, { before, step, rules, tidings, now, resultId }: Notice): void {
  const { notified, messages, context } = course;
  const incidentId = course.incidentAt === null ? null : `${course.incidentAt}`;
  const event = alertEventOf({ step, rules, certificate: null }, now, tidings && { ...tidings, incidentId });
  const listeners = course.listeners.map((each) => ({
    ...each,
    isSubscribed: true,
    notified: notified.get(each.alertChannelId) ?? notNotified,
  }));
  const notifications = notificationsOf(event, listeners);
  const types = alertTypesOf(event, notifications, before.alerted);
  const isReminder = event.opens === null && !event.isPassing && !event.flapping;
  for (const type of types) addAlert(world, course, { type, at: now, resultId, by: null, isReminder });
  const isCounted = types.some((type) => isCountedAlert(event, type));
  if (isCounted) world.counter.note(context.check.id, now);
  for (const notification of notifications) {
    const { listener, alertTypes, held, notified: next, message } = notification;
    const { alertChannelId } = listener;
    const isOpening = isEscalated(notification);
    const collects = held.length > 0 && next.flapping !== null;
    notified.set(alertChannelId, collects ? { ...next, flapping: { ...next.flapping, collectingId: 'held' } } : next);
    for (const type of alertTypes) {
      const isNews = (isCountedAlert(event, type) || message !== null || isOpening) && !event.isPassing;
      world.counter.send(listener, { checkId: context.check.id, isNews }, now);
      const failure = { status: 'delivered', nextAttemptAt: null, createdAt: now, quotaWaitsSince: null } as const;
      if (type === 'ALERT_FAILURE') messages.set(alertChannelId, failure);
    }
  }
}

function addAlert(
  { alerts }: World,
  { context }: Course,
  {
    type,
    at,
    resultId,
    by,
    isReminder = false,
  }: { type: AlertType; at: number; resultId: string; by: string | null; isReminder?: boolean },
): void {
  alerts.push({ checkId: context.check.id, alertType: type, at, resultId, isReminder, suppressedBy: by });
}

/** The check that suppresses an alert of this state; null = none. */
function suppressorOf(world: World, course: Course, { position }: CheckState, now: number): Suppressor | null {
  const { needs, everyMs, suppressor } = course;
  if (needs.length === 0) return null;
  const find = (id: string): NeededCheck | null => {
    const found = world.courses.get(id);
    return found === undefined ? null : neededCheck(found, world.locations, now);
  };
  const found = suppressionOf(needs, { startedAt: position?.startedAt ?? now, everyMs }, find, now);
  return found === null ? null : { ...found, since: suppressor?.since ?? now };
}

function neededCheck(course: Course, locations: readonly string[], now: number): NeededCheck {
  const { context, state, everyMs, recovery, messages, listeners } = course;
  const dueAt = escalationDueAt(state, rulesAt(course, locations, now), everyMs);
  const hasChannel = listeners.some(({ sendFailure }) => sendFailure);
  const sent = [...messages.values()];
  const isNotified =
    state.status === 'failing'
      ? state.alerted === 'failing' && isNotifiedBy(sent, course.incidentAt ?? now, now)
      : recovery.recoveredAt !== null && (recovery.failedFrom === null || isNotifiedBy(sent, recovery.failedFrom, now));
  return {
    checkId: context.check.id,
    name: context.check.name,
    isActive: course.isActive,
    status: state.status,
    judgedAt: state.position?.startedAt ?? null,
    everyMs,
    escalatesUntil: dueAt !== null && now < dueAt && hasChannel ? dueAt : null,
    recoveredAt: recovery.recoveredAt,
    isNotified,
    needs: course.needs,
  };
}
