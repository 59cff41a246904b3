// Edits during an incident: notified channels receive the recovery, no channel is notified twice, and none receives
// an end without a beginning (docs/decisions/0103).
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { AlertChannel } from '#domain/alerts/alert-channel.ts';
import type { AlertSettings } from '#domain/alerts/alert-settings.ts';
import type { Check } from '#domain/checks/check.ts';
import { maintenanceOf, stateRulesOf } from '#domain/checks/state-rules.ts';
import { it } from '../support/store/each-engine.ts';
import { aGroup } from '../support/store/records.ts';
import type { NewStore } from '../support/store/each-engine.ts';
import { PathUnderTest } from './path-under-test.ts';

type Found = 'passed' | 'degraded' | 'failed';
const served = ['local', 'lima'];

/** A check under the rules that its settings make, and what was sent of it. */
class Incident implements AsyncDisposable {
  readonly test: PathUnderTest;
  readonly checkId: string;

  private constructor(test: PathUnderTest, checkId: string) {
    this.test = test;
    this.checkId = checkId;
  }

  static async open(newStore: NewStore, change: Partial<Check> = {}): Promise<Incident> {
    const test = await PathUnderTest.open(newStore);
    return new Incident(test, (await test.add({ frequency: 1, ...change })).id);
  }

  /** Rounds of the check, one after the other: what every location finds, or what each of them does. */
  async find(...rounds: readonly (Found | Readonly<Record<string, Found>>)[]): Promise<void> {
    for (const round of rounds) {
      const { test } = this;
      const dueAt = test.dueAt();
      assert.ok(dueAt !== null, 'it is not scheduled');
      test.temp.clock.advance(Math.max(0, dueAt - test.now));
      await test.schedule('downtime', served);
      for (const location of served) {
        for (const claimed of await test.claim('one', location)) {
          assert.ok(claimed.context !== null);
          const rules = stateRulesOf(claimed.context, served, maintenanceOf(claimed.context, test.now));
          await test.record([
            { ...test.ended(claimed, typeof round === 'string' ? round : (round[location] ?? 'passed')), rules },
          ]);
        }
      }
      test.temp.clock.advance(10_000);
    }
  }

  edit(change: Partial<Check>): Promise<Check> {
    return this.test.edit(this.checkId, change);
  }

  /** Settings of its own. */
  alerting(alertSettings: AlertSettings): Promise<Check> {
    return this.edit({ useGlobalAlertSettings: false, alertSettings });
  }

  channel(change: Partial<AlertChannel> = {}): Promise<number> {
    return this.test.channel(this.checkId, change);
  }

  async group(): Promise<number> {
    const group = aGroup(this.test.accountId);
    const added = await this.test.temp.store.checkGroups.add({ group, subscriptions: null, isAutoAssigned: false });
    assert.ok('saved' in added);
    return added.saved.group.id;
  }

  async changeChannel(id: number, change: Partial<AlertChannel>, groupId: number | null = null): Promise<void> {
    await this.test.temp.store.alertChannels.change(this.test.accountId, id, ({ channel }) => ({
      channel: { ...channel, ...change },
      subscriptions: groupId === null ? null : [{ checkId: null, groupId, activated: true }],
    }));
  }

  subscribe(channel: number, activated: boolean): Promise<unknown> {
    const subscription = { checkId: this.checkId, groupId: null, activated };
    return this.test.temp.store.alertChannels.subscribe(this.test.accountId, channel, subscription);
  }

  /** `channel type` of every delivery so far. */
  get sent(): string[] {
    return this.test
      .rows('SELECT alert_channel_id AS channel, alert_type AS type FROM deliveries ORDER BY id')
      .map(({ channel, type }) => `${String(channel)} ${String(type)}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.test[Symbol.asyncDispose]();
  }
}

const byRuns = (failedRunThreshold: number): AlertSettings => ({
  escalationType: 'RUN_BASED',
  runBasedEscalation: { failedRunThreshold },
});
const byMinutes = (minutesFailingThreshold: number): AlertSettings => ({
  escalationType: 'TIME_BASED',
  timeBasedEscalation: { minutesFailingThreshold },
});

describe('settings that are changed while a check fails', () => {
  const rows: readonly [string, AlertSettings, before: Found[], AlertSettings, after: Found[], sent: number[]][] = [
    ['from runs to minutes', byRuns(1), ['failed'], byMinutes(30), ['failed', 'failed'], [1, 0]],
    ['from minutes to runs', byMinutes(5), Array<Found>(7).fill('failed'), byRuns(2), ['failed', 'failed'], [1, 0]],
    [
      'to more runs than those after which it was alerted',
      byRuns(2),
      ['failed', 'failed'],
      byRuns(5),
      Array<Found>(5).fill('failed'),
      [1, 0],
    ],
    ['to fewer runs than it has failed', byRuns(5), ['failed', 'failed'], byRuns(2), ['failed', 'failed'], [0, 1]],
    [
      'to minutes that it has failed for',
      byRuns(9),
      Array<Found>(6).fill('failed'),
      byMinutes(5),
      ['failed', 'failed'],
      [0, 1],
    ],
    [
      'to reminders and back',
      byRuns(1),
      ['failed'],
      { ...byRuns(1), reminders: { amount: 1, interval: 2 } },
      ['failed', 'failed', 'failed', 'failed'],
      [1, 1],
    ],
  ];
  for (const [name, settings, before, next, after, [soon, late]] of rows) {
    it(`${name}: the failure and the recovery are sent once`, async (newStore) => {
      await using incident = await Incident.open(newStore);
      const channel = await incident.channel();
      await incident.alerting(settings);
      await incident.find(...before);
      const failures = (count = 0): string[] => Array<string>(count).fill(`${channel} ALERT_FAILURE`);
      assert.deepEqual(incident.sent, failures(soon));
      await incident.alerting(next);
      await incident.find(...after);
      const notified = failures((soon ?? 0) + (late ?? 0));
      assert.deepEqual(incident.sent, notified);
      await incident.alerting(settings);
      await incident.find('passed', 'passed');
      assert.deepEqual(incident.sent, [...notified, `${channel} ALERT_RECOVERY`]);
    });
  }
});

describe('what runs where, changed while a check fails', () => {
  it('from several locations to one and back: the recovery is sent when it passes at any location', async (newStore) => {
    await using incident = await Incident.open(newStore, { runParallel: true, locations: served });
    const channel = await incident.channel();
    await incident.find('passed', { local: 'passed', lima: 'failed' });
    assert.deepEqual(incident.sent, [`${channel} ALERT_FAILURE`]);
    // The location that found it is not asked any more.
    await incident.edit({ locations: ['local'] });
    await incident.find('failed', 'passed');
    const ended = [`${channel} ALERT_FAILURE`, `${channel} ALERT_RECOVERY`];
    assert.deepEqual(incident.sent, ended);
    await incident.edit({ locations: served });
    await incident.find('passed', { local: 'passed', lima: 'failed' });
    assert.deepEqual(incident.sent, [...ended, `${channel} ALERT_FAILURE`]);
    await incident.edit({ runParallel: false });
    await incident.find('failed');
    await incident.edit({ runParallel: true });
    await incident.find('failed', { local: 'failed', lima: 'passed' });
    assert.deepEqual(incident.sent, [...ended, `${channel} ALERT_FAILURE`]);
    await incident.find('passed', 'passed');
    assert.deepEqual(incident.sent, [...ended, ...ended]);
  });

  it('to other locations, of which none has found anything yet', async (newStore) => {
    await using incident = await Incident.open(newStore, { runParallel: true, locations: served });
    const channel = await incident.channel();
    await incident.find('failed');
    await incident.edit({ runParallel: false, locations: ['lima'] });
    await incident.find('passed');
    assert.deepEqual(incident.sent, [`${channel} ALERT_FAILURE`, `${channel} ALERT_RECOVERY`]);
  });

  it('a run that began in several locations before it was changed to one moves nothing that is newer', async (newStore) => {
    await using incident = await Incident.open(newStore, { runParallel: true, locations: served });
    const { test } = incident;
    await incident.channel();
    await incident.find('passed');
    test.temp.clock.advance(Math.max(0, (test.dueAt() ?? 0) - test.now));
    await test.schedule('downtime', served);
    const [slow] = await test.claim('one', 'lima');
    assert.ok(slow?.context !== null && slow !== undefined);
    const rules = stateRulesOf(slow.context, served, maintenanceOf(slow.context, test.now));
    const late = test.ended(slow, 'failed');
    await test.path.renewRuns([slow.run], { owner: 'one', now: test.now, leaseMs: 600_000 });
    await incident.edit({ runParallel: false, locations: ['local'] });
    await incident.find('passed');
    const [recorded] = await test.record([{ ...late, rules }]);
    assert.deepEqual([recorded?.isRecorded, recorded?.change], [true, null]);
    assert.deepEqual(incident.sent, []);
    assert.equal(test.one('SELECT status FROM check_states'), 'passing');
  });

  it('a greater share that must fail ends what fewer locations had opened', async (newStore) => {
    await using incident = await Incident.open(newStore, { runParallel: true, locations: served });
    const channel = await incident.channel();
    await incident.find({ lima: 'failed' }, { lima: 'failed' });
    await incident.alerting({ parallelRunFailureThreshold: { enabled: true, percentage: 100 } });
    await incident.find({ lima: 'failed' }, { lima: 'failed' });
    assert.deepEqual(incident.sent, [`${channel} ALERT_FAILURE`, `${channel} ALERT_RECOVERY`]);
  });
});

describe('a check that is silenced while it fails', () => {
  const hidden: readonly [string, Partial<Check>, Partial<Check>][] = [
    ['muted', { muted: true }, { muted: false }],
    ['given a tag that a window silences', { tags: ['quiet'] }, { tags: [] }],
  ];
  for (const [name, hide, show] of hidden) {
    it(`${name}: the recovery is sent, and the next failure once afterwards`, async (newStore) => {
      await using incident = await Incident.open(newStore);
      const { test } = incident;
      await test.temp.store.maintenanceWindows.add(test.accountId, {
        name: 'Quiet',
        description: null,
        pauseAllChecks: false,
        silenceAllAlerts: false,
        isPublic: false,
        tags: [],
        silenceAlertsTags: ['quiet'],
        checkIds: [],
        groupIds: [],
        startsAt: test.now,
        endsAt: test.now + 86_400_000,
        repeatInterval: null,
        repeatUnit: null,
        repeatEndsAt: null,
        timezone: 'UTC',
      });
      const channel = await incident.channel();
      await incident.find('failed');
      await incident.edit(hide);
      await incident.find('failed', 'passed', 'failed', 'failed');
      const ended = [`${channel} ALERT_FAILURE`, `${channel} ALERT_RECOVERY`];
      assert.deepEqual(incident.sent, ended);
      await incident.edit(show);
      await incident.find('failed', 'failed', 'passed');
      assert.deepEqual(incident.sent, [...ended, ...ended]);
    });
  }

  it('deactivated: nothing is sent until it passes again or is deleted', async (newStore) => {
    await using incident = await Incident.open(newStore);
    const { test } = incident;
    const channel = await incident.channel();
    await incident.find('failed');
    await incident.edit({ activated: false });
    assert.equal(test.dueAt(), null);
    const opened = [`${channel} ALERT_FAILURE`];
    assert.deepEqual(incident.sent, opened);
    test.temp.clock.advance(3_600_000);
    await incident.edit({ activated: true });
    await incident.find('failed');
    assert.deepEqual(incident.sent, opened, 'what is still open is not told again');
    await incident.find('passed', 'failed');
    await incident.edit({ activated: false });
    await test.remove(incident.checkId);
    const ended = [...opened, `${channel} ALERT_RECOVERY`];
    assert.deepEqual(incident.sent, [...ended, ...ended]);
  });
});

describe('the channels of a check, changed while it fails', () => {
  it('by another group: the recovery goes to the channels of the previous group', async (newStore) => {
    await using incident = await Incident.open(newStore);
    const [from, to] = [await incident.group(), await incident.group()];
    const [before, after] = [await incident.channel(), await incident.channel()];
    await incident.changeChannel(before, {}, from);
    await incident.changeChannel(after, {}, to);
    await incident.edit({ groupId: from });
    await incident.find('failed');
    await incident.edit({ groupId: to });
    await incident.find('failed', 'passed');
    const ended = [`${before} ALERT_FAILURE`, `${before} ALERT_RECOVERY`];
    assert.deepEqual(incident.sent, ended);
    await incident.find('failed');
    assert.deepEqual(incident.sent, [...ended, `${after} ALERT_FAILURE`]);
  });

  it('by a subscription that ends and starts again: its channel receives the failure and the recovery once', async (newStore) => {
    await using incident = await Incident.open(newStore);
    const [back, gone] = [await incident.channel(), await incident.channel()];
    await incident.find('failed');
    await incident.subscribe(back, false);
    await incident.subscribe(gone, false);
    await incident.find('degraded', 'failed');
    await incident.subscribe(back, true);
    await incident.find('failed', 'passed', 'failed');
    assert.deepEqual(incident.sent, [
      `${back} ALERT_FAILURE`,
      `${gone} ALERT_FAILURE`,
      `${back} ALERT_RECOVERY`,
      `${gone} ALERT_RECOVERY`,
      `${back} ALERT_FAILURE`,
    ]);
  });

  it('by the alert types of a channel: those at the recovery decide', async (newStore) => {
    await using incident = await Incident.open(newStore);
    const on = { sendFailure: true, sendRecovery: true };
    const off = { sendFailure: false, sendRecovery: false };
    const [asks, asksNoMore, neverAsked] = [
      await incident.channel({ ...on, sendRecovery: false }),
      await incident.channel(on),
      await incident.channel(off),
    ];
    await incident.find('failed');
    await incident.changeChannel(asks, on);
    await incident.changeChannel(asksNoMore, off);
    await incident.changeChannel(neverAsked, on);
    await incident.find('failed', 'passed');
    assert.deepEqual(incident.sent, [`${asks} ALERT_FAILURE`, `${asksNoMore} ALERT_FAILURE`, `${asks} ALERT_RECOVERY`]);
  });
});
