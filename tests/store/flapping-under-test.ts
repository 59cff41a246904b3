// A check that flaps, and what its channels receive, for tests on both engines.
import type { StateRules } from '#domain/checks/check-state.ts';
import type { Check } from '#domain/checks/check.ts';
import type { DeliveryFacts, Prepared } from '#domain/results/recording.ts';
import { createJudgeStates } from '#pipeline/judge-states.ts';
import { deliveryStatusCodes } from '#store/base/codes.ts';
import type { OpenedAlert, StateKey } from '#store/path/states/judge-states.ts';
import type { NewStore } from '../support/store/each-engine.ts';
import { PathUnderTest } from './path-under-test.ts';

export const minute = 60_000;

/** What a delivery says, as the kinds of channels learn it. */
export function render({ alertType, flapping, incident, channel }: DeliveryFacts): Prepared {
  const said = flapping == null ? 'alert' : `${flapping.message} ${flapping.changes} ${flapping.status}`;
  const variables = { SAID: `${alertType.replace('ALERT_', '')} ${said}`, INCIDENT_ID: incident?.id };
  return { content: { variables, groupId: null }, isSuperseded: channel.type !== 'WEBHOOK' };
}

/** A check that runs every minute. Time passes in steps of half a minute, and all that is due is evaluated. */
export class FlappingUnderTest {
  readonly test: PathUnderTest;
  readonly checkId: string;
  readonly startedAt: number;

  constructor(test: PathUnderTest, checkId: string) {
    this.test = test;
    this.checkId = checkId;
    this.startedAt = test.now;
  }

  static async open(newStore: NewStore, change: Partial<Check> = {}): Promise<FlappingUnderTest> {
    const test = await PathUnderTest.open(newStore);
    const checkId = await test.check({ frequency: 1, frequencyOffset: null, ...change });
    return new FlappingUnderTest(test, checkId);
  }

  /** The outcomes of the next minutes: `p`assed, `f`ailed, `d`egraded, or `.` for no run. */
  async minutes(outcomes: string, rules: Partial<StateRules> = {}): Promise<this> {
    for (const outcome of outcomes) {
      const found = ({ p: 'passed', f: 'failed', d: 'degraded' } as const)[outcome];
      if (found !== undefined) {
        await this.test.schedule();
        const runs = await this.test.claim();
        const ended = runs.map((run) => this.test.ended(run, found));
        await this.test.record(
          ended.map((attempt) => ({ ...attempt, rules: { ...attempt.rules, ...rules } })),
          'one',
          render,
        );
      }
      for (let step = 0; step < 2; step++) {
        await this.judge();
        this.test.temp.clock.advance(minute / 2);
      }
    }
    return this;
  }

  async judge(): Promise<void> {
    const tick = createJudgeStates<StateKey, OpenedAlert>({
      store: this.test.path,
      clock: this.test.temp.clock,
      locations: () => ['local'],
      render,
      statusOf: () => null,
      isBrief: (type) => type === 'SMS',
      onOpened: () => undefined,
    });
    while ((await tick()) < 1000);
  }

  #said(channel: number, status: string): { at: number; said: string; incident: string }[] {
    const code = deliveryStatusCodes.encode(status as 'pending');
    return this.test
      .rows(
        `SELECT d.created_at, c.content FROM deliveries d JOIN delivery_contents c
           ON c.account_id = d.account_id AND c.delivery_id = d.id
         WHERE d.alert_channel_id = ${channel} AND d.status = ${code} ORDER BY d.created_at, d.id`,
      )
      .map(({ created_at, content }) => {
        const { variables } = JSON.parse(String(content)) as { variables: { SAID: string; INCIDENT_ID: string } };
        const at = Math.floor((Number(created_at) - this.startedAt) / minute);
        return { at, said: variables.SAID, incident: variables.INCIDENT_ID };
      });
  }

  /** Messages to a channel, each with the minute. */
  sent(channel: number): string[] {
    return this.#said(channel, 'pending').map(({ at, said }) => `${at} ${said}`);
  }

  incidents(channel: number): string[] {
    return this.#said(channel, 'pending').map(({ incident }) => incident);
  }

  held(channel: number): string[] {
    return this.#said(channel, 'digested').map(({ at, said }) => `${at} ${said}`);
  }

  count(status: string): number {
    return Number(
      this.test.one(
        `SELECT count(*) FROM deliveries WHERE status = ${deliveryStatusCodes.encode(status as 'pending')}`,
      ),
    );
  }

  open(channel: number): unknown {
    return this.test.one(`SELECT open FROM notified WHERE alert_channel_id = ${channel}`) ?? null;
  }

  since(): unknown {
    return this.test.one('SELECT flapping_since FROM check_states');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.test[Symbol.asyncDispose]();
  }
}

/** What channels receive before it flaps. */
export const single = ['1 FAILURE alert', '2 RECOVERY alert', '3 FAILURE alert', '4 RECOVERY alert'];
