// A backtest with unchanged settings finds the alerts that were really raised, on both engines.
import assert from 'node:assert/strict';
import type { BacktestListener } from '#domain/backtests/backtest.ts';
import { replayAlerts } from '#domain/backtests/replay-alerts.ts';
import type { Check } from '#domain/checks/check.ts';
import { judgedNow } from '#domain/checks/state-rules.ts';
import type { CheckContext, EndedAttempt } from '#domain/results/recording.ts';
import type { Outcome } from '#domain/results/result.ts';
import { createJudgeStates } from '#pipeline/judge-states.ts';
import type { ClaimedRun } from '#store/path/path.ts';
import type { OpenedAlert, StateKey } from '#store/path/states/judge-states.ts';
import { test } from '../support/store/each-engine.ts';
import { idText } from '#store/base/codec.ts';
import { putAccount, putCheck, putResult } from '../support/store/rows.ts';
import { judgeStorms, PathUnderTest, rendered } from './path-under-test.ts';
import { rollUpAll } from './roll-up-facts.ts';

/** Minutes, to the second look in them. */
const minutesOf = (ms: number): number => Math.floor(ms / 10_000) / 6;
const served = ['local', 'second'];

/** The same numbers for a seed. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Outcomes that last for a while, and at times change with each run. */
function coursesOf(random: () => number): (id: string) => Outcome {
  const present = new Map<string, { outcome: Outcome; left: number }>();
  return (id) => {
    let course = present.get(id);
    if (course === undefined || course.left <= 0) {
      const roll = random();
      const outcome = roll < 0.45 ? 'passed' : roll < 0.8 ? 'failed' : roll < 0.9 ? 'degraded' : 'unknown';
      course = { outcome, left: random() < 0.3 ? 1 : 1 + Math.floor(random() * 14) };
      present.set(id, course);
    }
    course.left--;
    return course.outcome;
  };
}

const histories: readonly (readonly [what: string, settings: readonly Partial<Check>[]])[] = [
  [
    'by runs, with reminders',
    [alerting({ runBasedEscalation: { failedRunThreshold: 2 }, reminders: { amount: 3, interval: 5 } })],
  ],
  ['by time', [alerting({ escalationType: 'TIME_BASED', timeBasedEscalation: { minutesFailingThreshold: 5 } })]],
  [
    'of two locations with a threshold',
    [
      {
        runParallel: true,
        locations: served,
        ...alerting({ parallelRunFailureThreshold: { enabled: true, percentage: 60 } }),
      },
    ],
  ],
];

function alerting(alertSettings: NonNullable<Check['alertSettings']>): Partial<Check> {
  return { useGlobalAlertSettings: false, alertSettings };
}

for (const [what, settings] of histories) {
  test(`a backtest with unchanged settings finds the real alerts ${what}`, async (...on) => {
    await agrees(on, settings, false);
  });
}

test('a backtest with unchanged settings finds the real alerts of checks that need each other', async (...on) => {
  await agrees(on, [{}, alerting({ runBasedEscalation: { failedRunThreshold: 2 } }), {}], true);
});

test('a backtest with unchanged settings counts the messages of storms', async (...on) => {
  await agrees(on, [{}, {}, {}, {}], false, 'EMAIL');
});

async function agrees(
  [newStore, engine]: Parameters<Parameters<typeof test>[1]>,
  settings: readonly Partial<Check>[],
  needEachOther: boolean,
  channelType = 'WEBHOOK',
): Promise<void> {
  await using path = await PathUnderTest.open(newStore, Date.UTC(2026, 10, 1));
  const { accountId, temp } = path;
  const { store } = temp;
  const isDigested = channelType === 'EMAIL';
  const accountAlertSettings = { digestThreshold: isDigested ? 1 : 0 };
  await store.accounts.change(accountId, { alertSettings: accountAlertSettings });
  if (isDigested) path.digested.add(channelType);
  const ids: string[] = [];
  for (const each of settings) {
    const dependsOn = needEachOther ? ids.slice(-1) : [];
    ids.push(await path.check({ frequency: 1, frequencyOffset: null, dependsOn, ...each }));
  }
  const channelId = await path.channel(ids[0] ?? '', { type: channelType, grouping: true, sendDegraded: true });
  for (const checkId of ids.slice(1)) {
    await store.alertChannels.subscribe(accountId, channelId, { checkId, groupId: null, activated: true });
  }
  // It is notified of what is open for three minutes.
  const laterId = await path.channel(null, { type: channelType, sendDegraded: true });
  const escalationMinutes = isDigested ? 0 : 3;
  for (const checkId of isDigested ? [] : ids) {
    const later = { checkId, groupId: null, activated: true, escalationMinutes };
    await store.alertChannels.subscribe(accountId, laterId, later);
  }
  const startedAt = path.now;
  // Where several checks alert, an hour on the slower engine shows as much.
  const minutes = engine === 'SQLite' || ids.length === 1 ? 160 : 70;
  await happen(path, ids, minutes, coursesOf(randomOf(7 + settings.length)));

  const listener: BacktestListener = {
    alertChannelId: channelId,
    isViaGroup: false,
    sendFailure: true,
    sendRecovery: true,
    sendDegraded: true,
    sslExpiry: false,
    sslExpiryThreshold: 30,
    grouping: true,
    isBrief: false,
    isDigested,
  };
  const later = { ...listener, alertChannelId: laterId, grouping: false, escalationMs: escalationMinutes * 60_000 };
  const question = { from: startedAt, to: path.now, slowerThanMs: null, max: 10_000 };
  const read = await Promise.all(ids.map((id) => store.pastResults.read(accountId, id, question)));
  const replayed = replayAlerts({
    checks: await Promise.all(
      ids.map(async (id) => {
        const found = await store.checks.find(accountId, id);
        assert.ok(found);
        const blank = {
          variables: [],
          accountRuntimeId: null,
          accountTimeZone: null,
          maintenanceWindows: [],
          revision: 0,
        };
        return {
          context: { check: found.check, group: null, accountAlertSettings, ...blank },
          listeners: isDigested ? [listener] : [listener, later],
        };
      }),
    ),
    results: read.flatMap(({ results }) => results).toSorted((a, b) => a.endedAt - b.endedAt),
    locations: served,
    to: path.now,
  });
  const real = path
    .rows('SELECT check_id, alert_type, result_id, created_at, suppressed_by FROM alerts ORDER BY created_at, id')
    .map((row) => ({
      check: ids.indexOf(idText(row['check_id'] as Uint8Array)),
      type: row['alert_type'],
      // A wait that ends and the next result come in the same moment here: either may name the alert.
      result: needEachOther ? null : idText(row['result_id'] as Uint8Array),
      minute: minutesOf(Number(row['created_at']) - startedAt),
      isSuppressed: row['suppressed_by'] !== null,
    }));
  assert.ok(real.length >= 6, `${real.length} alerts`);
  const found = replayed.alerts.map(({ checkId, alertType, resultId, at, suppressedBy }) => ({
    check: ids.indexOf(checkId),
    type: alertType,
    result: needEachOther ? null : resultId,
    minute: minutesOf(at - startedAt),
    isSuppressed: suppressedBy !== null,
  }));
  assert.deepEqual(found, real);
  const escalated = path.one(`SELECT count(*) FROM deliveries WHERE alert_channel_id = ${laterId}`);
  assert.ok(isDigested || Number(escalated) > 0, 'something was open for three minutes');
  const digests = Number(path.one('SELECT count(*) FROM deliveries WHERE is_digest = 1'));
  assert.equal(digests > 0, isDigested, `${digests} messages about several checks`);
  assert.equal(replayed.messages.length, Number(path.one('SELECT count(*) FROM deliveries WHERE digest_id IS NULL')));
}

/** Runs the checks for some minutes. What time alone causes is considered ten times a minute, as often as it matters here. */
async function happen(
  path: PathUnderTest,
  ids: readonly string[],
  minutes: number,
  outcomeOf: (id: string) => Outcome,
): Promise<void> {
  const { clock, store } = path.temp;
  const isDigested = (type: string): boolean => path.digested.has(type);
  const judge = createJudgeStates<StateKey, OpenedAlert>({
    store: path.path,
    clock,
    locations: () => served,
    render: rendered,
    statusOf: () => null,
    isDigested,
    onOpened: () => undefined,
  });
  for (let step = 0; step < minutes; step++) {
    await path.schedule('downtime', served);
    // One after the other: which result counts first decides what is suppressed.
    const claimed = (await Promise.all(served.map((location) => path.claim('one', location)))).flat();
    const place = ({ run }: ClaimedRun): number => ids.indexOf(run.checkId) * 2 + served.indexOf(run.location);
    for (const one of claimed.toSorted((a, b) => place(a) - place(b))) {
      const outcome = outcomeOf(`${one.run.checkId} ${one.run.location}`);
      const finding = path.finding(outcome, { stoppedAt: path.now + served.indexOf(one.run.location) });
      const rules = { owner: 'one', now: path.now, render: rendered, statusOf: () => 500, isDigested };
      const judgeOne = (each: EndedAttempt, context: CheckContext | null) => judgedNow(each, context, served, path.now);
      await store.path.recordAttempts([path.ended(one, outcome, { finding })], { ...rules, judge: judgeOne });
    }
    for (let second = 0; second < 60; second += 10) {
      while ((await judge()) < 1000);
      if (path.digested.size > 0) {
        await judgeStorms(path);
        for (const delivery of await path.claimDeliveries()) await path.settle(delivery, 200);
      }
      clock.advance(10_000);
    }
  }
}

test('only hours that are not all passing are read, and the next one with results', async (newStore) => {
  await using temp = await newStore(Date.UTC(2026, 10, 1));
  const { store, clock, raw } = temp;
  const accountId = putAccount(raw);
  const checkId = putCheck(raw, accountId);
  const startedAt = clock.now();
  const hour = 3_600_000;
  for (let minute = 0; minute < 8 * 60; minute++) {
    const outcome = minute === 3 * 60 + 50 ? 'failed' : 'passed';
    const responseUs = minute === 6 * 60 + 5 ? 900_000 : 20_000;
    putResult(raw, accountId, checkId, startedAt + minute * 60_000, { outcome, responseUs, intervalMs: 60_000 });
  }
  clock.advance(8 * hour + 10 * 60_000);
  await rollUpAll(temp);
  const read = async (slowerThanMs: number | null, max = 10_000) => {
    const question = { from: startedAt, to: clock.now(), slowerThanMs, max };
    const { results, isComplete } = await store.pastResults.read(accountId, checkId, question);
    return { hours: [...new Set(results.map(({ at }) => Math.floor((at - startedAt) / hour)))], isComplete };
  };
  // The first hour tells the state at the beginning.
  assert.deepEqual(await read(null), { hours: [0, 3, 4], isComplete: true });
  assert.deepEqual(await read(500), { hours: [0, 3, 4, 6, 7], isComplete: true });
  assert.deepEqual(await read(null, 100), { hours: [0, 3], isComplete: false });
});
