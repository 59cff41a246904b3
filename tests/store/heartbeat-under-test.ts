// A heartbeat on a store of its own, and the shortest words for what happens to it.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { overdueFinding, pingFinding } from '#checks/kinds/heartbeat/finding.ts';
import type { Check } from '#domain/checks/check.ts';
import type { PingSignal } from '#domain/checks/heartbeat.ts';
import { createJudgeHeartbeats } from '#pipeline/judge-heartbeats.ts';
import type { PingAnswer, ReceivedPing } from '#store/path/heartbeats/receive-pings.ts';
import type { NewStore } from '../support/store/each-engine.ts';
import { PathUnderTest, rendered } from './path-under-test.ts';

export const minute = 60_000;
export const hour = 60 * minute;

/** A heartbeat of ten minutes with five of grace. */
export class HeartbeatUnderTest implements AsyncDisposable {
  readonly test: PathUnderTest;
  readonly id: string;
  readonly token: string;

  private constructor(test: PathUnderTest, id: string, token: string) {
    this.test = test;
    this.id = id;
    this.token = token;
  }

  static async open(newStore: NewStore, change: Partial<Check> = {}): Promise<HeartbeatUnderTest> {
    const test = await PathUnderTest.open(newStore);
    const token = randomUUID();
    const { id } = await test.add({ checkType: 'HEARTBEAT', settings: settingsOf(token, 10), ...change });
    await test.channel(id);
    return new HeartbeatUnderTest(test, id, token);
  }

  async ping(signal: Exclude<PingSignal, 'missing'> = 'ping', more: Partial<ReceivedPing> = {}): Promise<PingAnswer> {
    const [answer] = await this.test.path.receivePings([this.received(signal, more)]);
    assert.ok(answer);
    return answer;
  }

  received(signal: Exclude<PingSignal, 'missing'>, more: Partial<ReceivedPing> = {}): ReceivedPing {
    const { token, test } = this;
    const from = { method: 'GET', source: null, userAgent: 'curl/8', body: null };
    return { token, signal, exitCode: null, at: test.now, ...from, ...more };
  }

  /** Turns until nothing is due. */
  async judge(): Promise<void> {
    const tick = createJudgeHeartbeats({
      store: this.test.path,
      clock: this.test.temp.clock,
      owner: 'one',
      location: 'local',
      pingFinding,
      overdueFinding,
      serverTimeZone: 'UTC',
      render: rendered,
      statusOf: () => null,
      isDigested: (type) => this.test.digested.has(type),
      onRecorded: () => undefined,
    });
    while ((await tick()) === 0);
  }

  async after(ms: number): Promise<void> {
    this.test.temp.clock.advance(ms);
    await this.judge();
  }

  /** A window without runs, for all checks; both in ms from now. */
  async pauseFrom(startsIn: number, endsIn: number): Promise<void> {
    await this.test.temp.store.maintenanceWindows.add(this.test.accountId, {
      name: 'Restart',
      description: null,
      tags: [],
      startsAt: this.test.now + startsIn,
      endsAt: this.test.now + endsIn,
      repeatInterval: null,
      repeatUnit: null,
      repeatEndsAt: null,
      timezone: 'UTC',
      pauseAllChecks: true,
      silenceAllAlerts: false,
      isPublic: false,
      silenceAlertsTags: [],
      checkIds: [],
      groupIds: [],
    });
  }

  /** Outcomes of the results, oldest first. */
  outcomes(): unknown[] {
    const names = ['passed', 'degraded', 'failed', 'unknown'];
    return this.test.rows('SELECT outcome FROM results ORDER BY id').map(({ outcome }) => names[Number(outcome)]);
  }

  alerts(): unknown[] {
    return this.test.rows('SELECT alert_type FROM alerts ORDER BY id').map(({ alert_type }) => alert_type);
  }

  async events(): Promise<string[]> {
    const events = await this.test.temp.store.pings.list(this.test.accountId, this.id, 10);
    return events.map(({ signal, state }) => `${signal} ${state}`).reverse();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    assert.equal(this.test.difference(), 0, 'every run that was asked for has its outcome');
    await this.test[Symbol.asyncDispose]();
  }
}

export function settingsOf(pingToken: string, minutes: number) {
  return {
    heartbeat: { period: minutes, periodUnit: 'minutes', grace: 5, graceUnit: 'minutes', pingToken },
  };
}
