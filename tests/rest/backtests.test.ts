// Backtests over HTTP, on results whose alerts are known.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { AnswerOf } from '#contract/operations.ts';
import type { Outcome } from '#domain/results/result.ts';
import { newId } from '#lib/id.ts';
import { type Composed, startComposed } from '../support/service/composed.ts';
import { asker } from '../support/service/service.ts';
import { putResult } from '../support/store/rows.ts';

type Backtest = AnswerOf<'createCheckBacktest'>;
type Check = Record<string, unknown> & { readonly id: string };

const now = Date.parse('2026-03-10T12:30:00Z');
const minuteMs = 60_000;
const cleanups: (() => void | Promise<void>)[] = [];
let on: Composed;
let check: Check;
let { must, api } = asker(() => '');

before(async () => {
  const clocks = { clock: { now: () => now }, steadyNow: () => now };
  on = await startComposed({ after: (work) => void cleanups.push(work) }, { TOCSIN_ROLES: 'api' }, clocks);
  ({ must, api } = asker(() => on.address, on.apiKey));
  const request = { method: 'GET', url: 'http://127.0.0.1:1/' };
  check = (await must('POST', '/v1/checks/api', { name: 'Shop', frequency: 1, request })) as Check;
  // Three failures of one, two and six minutes; slow for a while.
  const failed = new Set([10, 20, 21, 30, 31, 32, 33, 34, 35]);
  for (let minute = 0; minute < 60; minute++) {
    put(minute, failed.has(minute) ? 'failed' : 'passed', minute >= 50 && minute < 53 ? 900_000 : 20_000);
  }
});
after(async () => {
  for (const work of cleanups) await work();
});

function put(minute: number, outcome: Outcome, responseUs: number): void {
  const at = now - (120 - minute) * minuteMs;
  const time = at.toString(16).padStart(12, '0');
  const id = `${time.slice(0, 8)}-${time.slice(8)}${newId().slice(13)}`;
  putResult(on.raw, on.accountId, check.id, at, { id, outcome, responseUs, intervalMs: minuteMs });
}

const run = async (body: object): Promise<Backtest> =>
  (await must('POST', '/v1/check-backtests', body)) as unknown as Backtest;

/** The check as it is written. */
function written(change: object): object {
  const { name, frequency, request, checkType } = check;
  return { checkId: check.id, check: { name, frequency, request, checkType, ...change } };
}

function byRuns(failedRunThreshold: number): object {
  return { escalationType: 'RUN_BASED', runBasedEscalation: { failedRunThreshold } };
}

test('a threshold of runs says how many alerts it would have saved', async () => {
  const found = await run(written({ useGlobalAlertSettings: false, alertSettings: byRuns(3) }));
  assert.deepEqual([found.checks, found.allChecks, found.untold], [1, 1, []]);
  assert.deepEqual([found.present.alerts, found.changed.alerts], [3, 1]);
  const kept = found.alerts.filter(({ isChanged, alertType }) => isChanged && alertType === 'ALERT_FAILURE');
  assert.deepEqual(
    kept.map(({ at, checkName, isPresent }) => [at, checkName, isPresent]),
    [[new Date(now - 88 * minuteMs + 40).toISOString(), 'Shop', false]],
  );
  assert.ok(
    found.alerts.every(({ isPresent, wasNotRaised }) => wasNotRaised === isPresent),
    'none was raised then',
  );
  assert.deepEqual((await must('GET', `/v1/checks/${check.id}`))['alertSettings'], null, 'nothing was changed');
});

test('a limit on response time judges passing results anew, and what the past cannot tell is named', async () => {
  const request = { method: 'GET', url: 'http://127.0.0.1:2/' };
  const found = await run(written({ degradedResponseTime: 500, maxResponseTime: 1000, request, frequency: 5 }));
  assert.deepEqual([found.present.alerts, found.changed.alerts], [3, 4]);
  assert.deepEqual(found.untold, ['frequency', 'request']);
});

test('settings of the account and of a channel are tried on all checks', async () => {
  const ofAccount = await run({ accountAlertSettings: byRuns(2), days: 1 });
  assert.deepEqual([ofAccount.present.alerts, ofAccount.changed.alerts], [3, 2]);
  const { id } = await must('POST', '/v1/alert-channels', {
    type: 'WEBHOOK',
    config: { name: 'Ops', url: 'http://127.0.0.1:9/' },
    subscriptions: [{ checkId: check.id, activated: true }],
  });
  const ofChannel = await run({ alertChannelId: id, channel: { sendRecovery: false } });
  assert.deepEqual([ofChannel.present.messages, ofChannel.changed.messages], [6, 3]);
});

test('a wrong question says what is right, and another account’s check is unknown', async () => {
  const none = await api('POST', '/v1/check-backtests', {});
  assert.equal(none.status, 400);
  assert.match(String(none.body['message']), /or check, group or channel: exactly one of them/);
  const alone = await api('POST', '/v1/check-backtests', { group: {} });
  assert.match(JSON.stringify(alone.body), /must be given together with group/);
  const unknown = { ...written({}), checkId: newId() };
  assert.equal((await api('POST', '/v1/check-backtests', unknown)).status, 404);
  const wrong = await api('POST', '/v1/check-backtests', written({ locations: ['mars'] }));
  assert.deepEqual(Object.keys(wrong.body['attributes'] as object), ['locations[0]']);
});
