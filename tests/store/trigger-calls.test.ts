// Calls of triggers on both engines: quiet runs, variables of a call, and the runs that a call started.
import assert from 'node:assert/strict';
import { createTriggerCallActions } from '#actions/checks/trigger-calls.ts';
import { createTriggerActions } from '#actions/checks/triggers.ts';
import type { Caller } from '#domain/accounts/api-key.ts';
import type { CallOptions } from '#domain/checks/batch.ts';
import type { ProbeInput } from '#domain/checks/probe.ts';
import type { Outcome } from '#domain/results/result.ts';
import { createRecordResults } from '#pipeline/record-results.ts';
import { createRunChecks } from '#pipeline/run-checks.ts';
import { newId } from '#lib/id.ts';
import { createRemoveOldRows } from '#upkeep/remove-old-rows.ts';
import { test } from '../support/store/each-engine.ts';
import { until } from '../support/until.ts';
import { PathUnderTest, rendered } from './path-under-test.ts';

function opened(test: PathUnderTest) {
  const { store, clock } = test.temp;
  const hints = new Set<() => void>();
  const deps = {
    triggers: store.triggers,
    triggerCalls: store.triggerCalls,
    batches: store.batches,
    links: { link: (_: string, checkId: string, resultId: string) => `/results/${checkId}/${resultId}` },
    servedLocations: () => ['local'],
    wake: () => {},
    clock,
    resultHints: (wake: () => void) => {
      hints.add(wake);
      return () => hints.delete(wake);
    },
  };
  const caller: Caller = {
    principal: { kind: 'api-key', id: newId() },
    role: 'read-run',
    accountId: test.accountId,
    accountIds: [test.accountId],
  };
  const calls = createTriggerCallActions(deps);
  /** Calls the check by its token, and runs it with that outcome. */
  const call = async (checkId: string, token: string, options: CallOptions, outcome: Outcome) => {
    const answer = calls.callCheck(checkId, token, {
      maxWaitSeconds: 30,
      options,
      signal: AbortSignal.timeout(60_000),
    });
    await until('the run to wait', () => test.one('SELECT count(*) FROM runs') === 1);
    const inputs = await runAll(test, outcome);
    await until('the call to wait', () => hints.size > 0);
    for (const wake of hints) wake();
    return { answer: await answer, inputs };
  };
  return { triggers: createTriggerActions(deps), caller, call };
}

/** Runs what is due; answers with what was probed. */
async function runAll(test: PathUnderTest, outcome: Outcome): Promise<ProbeInput[]> {
  const inputs: ProbeInput[] = [];
  const { triggerCalls } = test.temp.store;
  const common = { store: test.path, clock: test.temp.clock, owner: 'one' };
  const records = createRecordResults({
    ...common,
    locations: () => ['local'],
    render: rendered,
    statusOf: () => null,
    onRecorded: () => undefined,
    onError: (error) => assert.fail(String(error)),
  });
  const runs = createRunChecks({
    ...common,
    location: 'local',
    locations: () => ['local'],
    optionsOf: (accountId, batchId) => triggerCalls.optionsOf(accountId, batchId),
    probe: (input) => {
      inputs.push(input);
      return Promise.resolve(test.finding(outcome));
    },
    record: (attempt) => records.record(attempt),
    startedAt: test.now,
    wake: () => {},
  });
  await runs.tick();
  await runs.stop(5000);
  return inputs;
}

const nothing: CallOptions = { isQuiet: false, variables: [] };
const quiet: CallOptions = { isQuiet: true, variables: [] };

test('a quiet call fails and passes for its caller alone', async (newStore) => {
  await using test = await PathUnderTest.open(newStore);
  const { id } = await test.add({ activated: true });
  await test.channel(id);
  const { triggers, caller, call } = opened(test);
  const target = { groupId: null, checkId: id };
  const { token, call: made } = await triggers.call(caller, target, null);
  await runAll(test, 'passed');
  test.temp.clock.advance(1000);
  const failed = await call(id, token, quiet, 'failed');
  assert.equal(failed.answer.hasFailures, true);
  assert.equal(failed.answer.message, 'status 500');
  assert.match(failed.answer.resultLink ?? '', new RegExp(`^/results/${id}/`));
  assert.deepEqual(test.rows('SELECT status, last_outcome FROM check_states'), [
    { status: 'passing', last_outcome: 0 },
  ]);
  assert.deepEqual([test.one('SELECT count(*) FROM alerts'), test.one('SELECT count(*) FROM results')], [0, 2]);
  test.temp.clock.advance(1000);
  const loud = await call(id, token, nothing, 'failed');
  assert.equal(loud.answer.hasFailures, true);
  assert.equal(test.one('SELECT count(*) FROM alerts'), 1);
  test.temp.clock.advance(1000);
  const passed = await call(id, token, quiet, 'passed');
  assert.deepEqual(Object.keys(passed.answer), ['checkId', 'name', 'hasFailures', 'responseTime']);
  assert.equal(test.one('SELECT status FROM check_states'), 'failing', 'a quiet success ends nothing');
  const all = { limit: 10, offset: 0 };
  const first = await triggers.runs(caller, target, made?.id ?? '', all);
  assert.deepEqual(
    first.rows.map(({ id: runId, outcome, resultLink }) => [runId, outcome, resultLink]),
    [[made?.runIds[0], 'passed', null]],
  );
  const newest = await triggers.runs(caller, target, null, all);
  assert.deepEqual([newest.total, newest.rows[0]?.outcome], [1, 'passed']);
  assert.equal(test.difference(), 0);
});

test('variables of a call win in its runs, are sealed while it runs, and are gone after it', async (newStore) => {
  await using test = await PathUnderTest.open(newStore);
  const own = { key: 'SHOP', value: 'https://shop.example', locked: false, secret: false };
  const { id } = await test.add({ activated: true, environmentVariables: [own] });
  const { triggers, caller, call } = opened(test);
  const { token } = await triggers.call(caller, { groupId: null, checkId: id }, null);
  await runAll(test, 'passed');
  test.temp.clock.advance(1000);
  const value = 'https://preview.example';
  const variables = [{ ...own, value, locked: true, secret: true }];
  const { inputs } = await call(id, token, { isQuiet: false, variables }, 'passed');
  assert.deepEqual(inputs[0]?.variables, variables);
  assert.equal(test.one('SELECT count(*) FROM trigger_calls'), 0);
  test.temp.clock.advance(1000);
  const [next] = await call(id, token, nothing, 'passed').then((done) => done.inputs);
  assert.deepEqual(next?.variables, [own], 'the next run has its own again');
  const order = { accountId: test.accountId, target: { groupId: null, checkId: id }, newToken: null };
  const started = await test.temp.store.triggers.start({
    ...order,
    idempotencyKey: null,
    servedLocations: ['local'],
    now: test.now,
    options: { isQuiet: false, variables },
  });
  assert.equal(started.outcome, 'started');
  const stored = String(test.one('SELECT variables FROM trigger_calls'));
  assert.ok(stored.includes('SHOP') && !stored.includes('preview'), stored);
  const { triggerCalls } = test.temp.store;
  assert.equal(await triggerCalls.removeOld(test.now), 0, 'its runs may still need them');
  test.temp.clock.advance(2 * 3_600_000 + 1);
  const upkeep = createRemoveOldRows({
    store: test.temp.store.retention,
    rollUps: test.temp.store.rollUps,
    orphans: test.temp.store.orphans,
    subscribers: test.temp.store.subscriptionMails,
    checkSessions: test.temp.store.checkSessions,
    pageChanges: test.temp.store.pageChanges,
    scriptFiles: test.temp.store.scriptFiles,
    triggerCalls,
    auditLog: test.temp.store.auditLog,
    ledger: test.temp.store.ledger,
    clock: test.temp.clock,
    auditDays: 365,
    retentionDays: 30,
  });
  await upkeep();
  assert.equal(test.one('SELECT count(*) FROM trigger_calls'), 0, 'nobody waited for its end');
});

test('the runs of a call are listed while they run, in the order of the checks', async (newStore) => {
  await using test = await PathUnderTest.open(newStore);
  const saved = await test.add({ name: 'Cart' });
  const { triggers, caller } = opened(test);
  const target = { groupId: null, checkId: saved.id };
  const key = 'pipeline 7';
  const { call } = await triggers.call(caller, target, key);
  const { rows } = await triggers.runs(caller, target, null, { limit: 10, offset: 0 });
  const waiting = { outcome: null, message: null, responseTimeMs: null, resultLink: null };
  assert.deepEqual(rows, [{ id: call?.runIds[0], checkId: saved.id, name: 'Cart', location: 'local', ...waiting }]);
  assert.deepEqual((await triggers.call(caller, target, key)).call, call, 'a repeat names the same runs');
});
