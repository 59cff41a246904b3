// The path's statements on a store of their own, with one account and the shortest words for what the steps do.
import assert from 'node:assert/strict';
import type { AlertChannel } from '#domain/alerts/alert-channel.ts';
import type { ChannelReport } from '#domain/deliveries/failing-channel.ts';
import type { Check } from '#domain/checks/check.ts';
import type { Delivery, SendOutcome } from '#domain/deliveries/delivery.ts';
import { afterAttempt } from '#domain/deliveries/delivery.ts';
import { planRuns } from '#domain/checks/plan-runs.ts';
import type { DeliveryFacts, EndedAttempt, Prepared, Recorded, Rendered } from '#domain/results/recording.ts';
import type { Finding, Outcome, Reason } from '#domain/results/result.ts';
import { reportVariables } from '#domain/deliveries/failing-channel.ts';
import { newId } from '#lib/id.ts';
import { createJudgeStates } from '#pipeline/judge-states.ts';
import { createJudgeStorms } from '#pipeline/judge-storms.ts';
import type { JudgedStorm } from '#store/channels/alert-storms.ts';
import { createReportFailingChannels } from '#upkeep/report-failing-channels.ts';
import { idBytes } from '#store/base/codec.ts';
import type { ClaimedRun } from '#store/path/path.ts';
import type { OpenedAlert, StateKey } from '#store/path/states/judge-states.ts';
import type { ClaimedDelivery } from '#store/channels/delivery-rows.ts';
import type { Scheduled } from '#store/schedules/schedule-due.ts';
import { dueAtOf } from '#store/schedules/schedule-rounds.ts';
import type { ScheduleRoundsTable, SchedulesTable } from '#store/base/tables/schedule-tables.ts';
import type { NewStore } from '../support/store/each-engine.ts';
import { aChannel, aCheck } from '../support/store/records.ts';
import type { TempStore } from '../support/store/temp-store.ts';

export const leaseMs = 10_000;

/** Every claim looks at everything that is due. */
export const scannedFrom = (): number => 0;

/** The path under test. Time stands still until `temp.clock` is turned. */
export class PathUnderTest implements AsyncDisposable {
  readonly temp: TempStore;
  readonly accountId = newId();
  /** Types of channels that get digests. */
  readonly digested = new Set<string>();

  private constructor(temp: TempStore) {
    this.temp = temp;
    this.temp.raw
      .prepare('INSERT INTO accounts (id, name, created_at) VALUES (?, ?, ?)')
      .run(idBytes(this.accountId), 'Acme', 0);
  }

  /** @param at where its clock stands, epoch ms */
  static async open(newStore: NewStore, at?: number): Promise<PathUnderTest> {
    return new PathUnderTest(await newStore(at));
  }

  get path() {
    return this.temp.store.path;
  }

  get now(): number {
    return this.temp.clock.now();
  }

  /** Reports about channels, with the number of notified ones. */
  readonly reports: (Pick<ChannelReport, 'kind' | 'alertChannelId' | 'reason'> & { notified: number })[] = [];

  /** One turn of the loop that reports failing channels; a channel whose URL is no address cannot be rendered. */
  async report(): Promise<void> {
    await createReportFailingChannels({
      store: this.temp.store.failingChannels,
      clock: this.temp.clock,
      render: (report, through, deliveryId) => {
        const url = JSON.stringify(through.config['url']).slice(1, -1);
        if (!url.startsWith('http')) return { error: 'no URL' };
        const { ALERT_TITLE, ALERT_TYPE, CHECK_ERROR_MESSAGE, ...rest } = reportVariables(
          report,
          deliveryId,
          undefined,
        );
        const body = [ALERT_TYPE, ALERT_TITLE, CHECK_ERROR_MESSAGE, rest['HOOK'], rest['TOKEN']].join('|');
        return { request: { method: 'POST', url, headers: [], body } };
      },
      onReported: ({ kind, alertChannelId, reason }, notified) => {
        this.reports.push({ kind, alertChannelId, reason, notified });
      },
    })();
  }

  /** Adds an activated check; it is due at its next slot. */
  async add(change: Partial<Check>): Promise<Check> {
    const saved = await this.temp.store.checks.add({
      check: aCheck(this.accountId, change),
      subscriptions: null,
      isAutoAssigned: false,
    });
    assert.ok('saved' in saved);
    return saved.saved.check;
  }

  async edit(id: string, change: Partial<Check>): Promise<Check> {
    const saved = await this.temp.store.checks.change(this.accountId, id, ({ check }) => ({
      check: { ...check, ...change },
      subscriptions: null,
      isAutoAssigned: false,
    }));
    assert.ok(saved !== null && 'saved' in saved);
    return saved.saved.check;
  }

  /** Deletes a check. */
  remove(id: string, render: (facts: DeliveryFacts) => Prepared = rendered): Promise<boolean> {
    return this.temp.store.checks.remove(this.accountId, id, render);
  }

  /** An activated check whose first slot is due now, every 10 s. */
  async check(change: Partial<Check> = {}): Promise<string> {
    const { id } = await this.add({ frequency: 0, frequencyOffset: 10, ...change });
    this.temp.raw
      .prepare('UPDATE schedules SET next_due_at = ?, phase_ms = ? % interval_ms WHERE check_id = ?')
      .run(this.now, this.now, idBytes(id));
    return id;
  }

  /** When the only schedule is due, epoch ms; null when there is none. */
  dueAt(): number | null {
    const [row] = this.rows('SELECT * FROM schedules') as unknown as SchedulesTable[];
    const rounds = this.rows('SELECT * FROM schedule_rounds') as unknown as ScheduleRoundsTable[];
    if (row === undefined) return null;
    return dueAtOf(
      row,
      rounds.find(({ interval_ms }) => interval_ms === row.interval_ms),
    );
  }

  async channel(checkId: string | null, change: Partial<AlertChannel> = {}): Promise<number> {
    const saved = await this.temp.store.alertChannels.add({
      channel: aChannel(this.accountId, { grouping: this.digested.has(change.type ?? ''), ...change }),
      subscriptions: checkId === null ? [] : [{ checkId, groupId: null, activated: true }],
    });
    assert.ok('saved' in saved);
    return saved.saved.channel.id;
  }

  schedule(reason: Reason = 'downtime', served: readonly string[] = ['local'], max = 100): Promise<Scheduled> {
    const { now } = this;
    return this.path.scheduleDue({
      now,
      max,
      plan: (schedule) => planRuns(schedule, now, served),
      missedReason: () => reason,
    });
  }

  /** One turn of the scheduler that takes `most` schedules. */
  tick(max: number): Promise<Scheduled> {
    return this.schedule('overload', ['local'], max);
  }

  async claim(owner = 'one', location = 'local'): Promise<readonly ClaimedRun[]> {
    return (await this.path.claimRuns({ location, owner, now: this.now, leaseMs, max: 100 })).runs;
  }

  /** An ended attempt of a claimed run. */
  ended({ run, context }: ClaimedRun, outcome: Outcome, change: Partial<EndedAttempt> = {}): EndedAttempt {
    assert.ok(context !== null);
    return {
      run,
      context,
      finding: this.finding(outcome),
      outcome,
      retry: null,
      rules: { escalation: { type: 'RUN_BASED', runs: 1 }, isMuted: false, reminders: null, parallel: null },
      ...change,
    };
  }

  finding(outcome: Outcome, change: Partial<Finding> = {}): Finding {
    return {
      verdict: outcome === 'missed' ? 'unknown' : outcome,
      reason: outcome === 'failed' ? 'status' : null,
      message: outcome === 'failed' ? 'status 500' : null,
      startedAt: this.now,
      stoppedAt: this.now + 12,
      responseTimeMs: 12.345,
      loopDelayMs: 0,
      details: { status: 200 },
      exchange: '{"request":{},"response":{}}',
      certificate: null,
      ...change,
    };
  }

  record(
    attempts: readonly EndedAttempt[],
    owner = 'one',
    render: (facts: DeliveryFacts) => Prepared = rendered,
  ): Promise<Recorded[]> {
    const judge = (attempt: EndedAttempt): EndedAttempt => attempt;
    const isDigested = (type: string): boolean => this.digested.has(type);
    const isBrief = (type: string): boolean => type === 'SMS';
    const rules = { owner, now: this.now, render, statusOf: () => 500, isDigested, isBrief, judge };
    return this.path.recordAttempts(attempts, rules);
  }

  /** One whole turn of the path for every due check: scheduled, claimed, and recorded with that outcome. */
  async runAll(outcome: Outcome): Promise<Recorded[]> {
    await this.schedule();
    const runs = await this.claim();
    return this.record(runs.map((claimed) => this.ended(claimed, outcome)));
  }

  async claimDeliveries(
    owner = 'one',
    room: (channel: number) => number = () => 4,
    isShared = false,
    busy: readonly ClaimedDelivery[] = [],
  ): Promise<readonly ClaimedDelivery[]> {
    const claim = {
      busy: (_: string, channel: number) =>
        busy.flatMap(({ delivery: { alertChannelId, checkId } }) =>
          checkId !== null && alertChannelId === channel ? checkId : [],
        ),
      owner,
      now: this.now,
      leaseMs,
      max: 100,
      scannedFrom,
      isShared,
      room: (_: string, channel: number, elsewhere: number) => room(channel) - elsewhere,
    };
    return (await this.path.claimDeliveries(claim)).claimed;
  }

  /** Ends the attempt of a claimed delivery: with a status, or as exhausted. */
  settle(
    { delivery, number, delayedUntil }: ClaimedDelivery,
    status: number,
    owner = 'one',
    more: Partial<SendOutcome> = {},
  ): Promise<boolean[]> {
    const outcome = { ...this.outcome(status), ...more };
    const step = afterAttempt(outcome, number, 'normal', delayedUntil);
    const attempt = {
      ...outcome,
      accountId: delivery.accountId,
      deliveryId: delivery.id,
      number,
      nextAttemptAt: step.nextAttemptAt,
    };
    const { alertChannelId, isTest } = delivery;
    return this.path.settleAttempts([{ attempt, alertChannelId, isTest, step }], {
      owner,
      now: this.now,
    });
  }

  outcome(status: number): SendOutcome {
    return {
      startedAt: this.now,
      durationMs: 5,
      headers: [['x-service-attempt', '1']],
      response: { status, headers: {}, body: 'ok' },
      error: status > 399 ? { class: 'status', message: `answered ${status}` } : null,
    };
  }

  rows(sql: string): Record<string, unknown>[] {
    return this.temp.raw
      .prepare(sql)
      .all()
      .map((row) => ({ ...row }));
  }

  one(sql: string): unknown {
    return Object.values(this.rows(sql)[0] ?? {})[0];
  }

  /** What was scheduled and started on demand, less every outcome and every open run: 0, always. */
  difference(): unknown {
    return this.one(
      `SELECT coalesce(sum(scheduled + on_demand - passed - degraded - failed - unknown - missed), 0)
         - (SELECT count(*) FROM runs) FROM account_counts`,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.temp[Symbol.asyncDispose]();
  }
}

/** Leaves a delivery to be rendered by the step that sends it. */
export function prepared({ alertType, context, isViaGroup, channel }: DeliveryFacts): Prepared {
  const { name, groupId } = context.check;
  const content = { variables: { ALERT_TYPE: alertType, CHECK_NAME: name }, groupId: isViaGroup ? groupId : null };
  return { content, isSuperseded: channel.type !== 'WEBHOOK' };
}

/** A request that shows what it was made from. */
export function rendered(facts: DeliveryFacts): Rendered {
  const body = JSON.stringify({ type: facts.alertType, at: facts.createdAt });
  return { request: { method: 'POST', url: 'http://127.0.0.1:9/', headers: [], body } };
}

export type { Delivery };

/** The step that ends storms, until it has looked at all of them. */
export async function judgeStorms({ temp: { store, clock } }: PathUnderTest): Promise<readonly JudgedStorm[]> {
  const judged: JudgedStorm[] = [];
  const tick = createJudgeStorms({ store: store.alertStorms, clock, onJudged: (one) => void judged.push(one) });
  while ((await tick()) < 1000);
  return judged;
}

/** Goes through all states once, as one process; answers with what it opened. */
export async function inspect(
  test: PathUnderTest,
  render: (facts: DeliveryFacts) => Prepared = rendered,
): Promise<readonly OpenedAlert[]> {
  const opened: OpenedAlert[] = [];
  const tick = createJudgeStates<StateKey, OpenedAlert>({
    store: test.path,
    clock: test.temp.clock,
    locations: () => ['local'],
    render,
    statusOf: ({ finding }) => (finding.details as { status: number } | null)?.status ?? null,
    isDigested: (type) => test.digested.has(type),
    onOpened: (one) => opened.push(one),
  });
  while ((await tick()) < 1000);
  return opened;
}

/** Checks that fail at once: as many deliveries at one channel. */
export async function failing(newStore: NewStore, checks: number): Promise<{ test: PathUnderTest; channel: number }> {
  const test = await PathUnderTest.open(newStore);
  const first = await test.check();
  const channel = await test.channel(first);
  for (let more = 1; more < checks; more++) {
    const checkId = await test.check();
    const subscription = { checkId, groupId: null, activated: true };
    await test.temp.store.alertChannels.subscribe(test.accountId, channel, subscription);
  }
  await test.runAll('failed');
  return { test, channel };
}
