// Retries at another location (docs/decisions/0098): who makes them, what their results say, and for which location of a
// parallel check they answer.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import * as fc from 'fast-check';
import type { StateRules } from '#domain/checks/check-state.ts';
import type { RetryStrategy } from '#domain/checks/check.ts';
import { retryLocation } from '#domain/checks/run.ts';
import type { Outcome } from '#domain/results/result.ts';
import { newId } from '#lib/id.ts';
import { createRunChecks } from '#pipeline/run-checks.ts';
import { idBytes } from '#store/base/codec.ts';
import type { ClaimedRun } from '#store/path/path.ts';
import { it } from '../support/store/each-engine.ts';
import { until } from '../support/until.ts';
import { leaseMs, PathUnderTest, rendered } from './path-under-test.ts';

const locations = ['lima', 'oslo', 'pune'];
const elsewhere: RetryStrategy = {
  type: 'FIXED',
  baseBackoffSeconds: 0,
  maxRetries: 3,
  maxDurationSeconds: 600,
  sameRegion: false,
};
const rules: StateRules = {
  escalation: { type: 'RUN_BASED', runs: 1 },
  isMuted: false,
  reminders: null,
  parallel: { locations, failingShare: 0.6 },
};

/** The waiting runs of every location, taken. */
async function claimAll(test: PathUnderTest): Promise<ClaimedRun[]> {
  const taken: ClaimedRun[] = [];
  for (const location of locations) taken.push(...(await test.claim('one', location)));
  return taken;
}

describe('a run that is tried again at another location', () => {
  it('is taken by who runs checks there, and each result says where it was made', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const checkId = await test.check({ locations: ['lima'] });
    await test.channel(checkId);
    await test.schedule('downtime', locations);
    const [first] = await test.claim('one', 'lima');
    assert.ok(first !== undefined);
    const retry = { at: test.now + 5_000, location: 'oslo' };
    await test.record([test.ended(first, 'failed', { retry })]);
    assert.equal((await test.claim('two', 'oslo')).length, 0, 'it is not due yet');
    test.temp.clock.advance(5_000);
    assert.equal((await test.claim('one', 'lima')).length, 0);
    const [second] = await test.claim('two', 'oslo');
    assert.ok(second !== undefined);
    const { id, attempt, location, dueAt, firstStartedAt } = second.run;
    assert.deepEqual(
      { id, attempt, location, dueAt, firstStartedAt },
      { id: first.run.id, attempt: 2, location: 'oslo', dueAt: retry.at, firstStartedAt: retry.at - 5_000 },
    );
    assert.equal((await test.record([test.ended(second, 'failed')], 'one'))[0]?.isRecorded, false, 'two holds it');
    const shown: string[] = [];
    const [final] = await test.record([test.ended(second, 'failed')], 'two', (facts) => {
      shown.push(facts.location);
      return rendered(facts);
    });
    assert.equal(final?.deliveries, 1);
    assert.deepEqual(shown, ['oslo'], 'where the check ran');
    assert.deepEqual(test.rows('SELECT attempt, location, run_id IS NULL AS is_final FROM results ORDER BY attempt'), [
      { attempt: 1, location: 'lima', is_final: 0 },
      { attempt: 2, location: 'oslo', is_final: 1 },
    ]);
    assert.equal(test.one('SELECT last_location FROM check_states'), 'oslo');
    assert.equal(test.one('SELECT location FROM alerts'), 'oslo');
    assert.equal(test.one('SELECT used FROM usage'), 1);
    assert.equal(test.difference(), 0);
    test.temp.raw.exec('UPDATE schedules SET next_due_at = next_due_at - interval_ms');
    assert.equal((await test.schedule('downtime', locations)).runs, 0, 'its slot has its outcome');
  });

  it('is taken over there when who took it is gone', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    await test.check({ locations: ['lima'] });
    await test.schedule('downtime', locations);
    const [first] = await test.claim('one', 'lima');
    assert.ok(first !== undefined);
    await test.record([test.ended(first, 'failed', { retry: { at: test.now, location: 'oslo' } })]);
    assert.equal((await test.claim('two', 'oslo')).length, 1);
    test.temp.clock.advance(leaseMs);
    assert.equal((await test.claim('one', 'lima')).length, 0);
    const [again] = await test.claim('three', 'oslo');
    assert.ok(again !== undefined);
    await test.record([test.ended(again, 'passed')], 'three');
    assert.deepEqual(test.rows('SELECT attempt, location FROM results ORDER BY attempt'), [
      { attempt: 1, location: 'lima' },
      { attempt: 2, location: 'oslo' },
    ]);
    assert.equal(test.difference(), 0);
  });

  it('goes to a location of its check that is served, as its strategy says, and stays where there is none', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const run = async (served: readonly string[]): Promise<unknown[]> => {
      const checkId = await test.check({ locations: ['lima', 'oslo'], retryStrategy: { ...elsewhere, maxRetries: 1 } });
      await test.schedule('downtime', ['lima']);
      for (const location of ['lima', 'oslo']) {
        const step = createRunChecks({
          store: test.path,
          clock: test.temp.clock,
          owner: location,
          location,
          locations: () => served,
          probe: () => Promise.resolve(test.finding('failed')),
          record: (attempt) => test.record([attempt], location),
          startedAt: 0,
          wake: () => {},
        });
        await step.tick();
        await until('runs in progress', () => step.inProgress === 0);
        test.temp.clock.advance(20);
        await step.tick();
        await until('runs in progress', () => step.inProgress === 0);
      }
      const of = test.temp.raw.prepare('SELECT attempt, location FROM results WHERE check_id = ? ORDER BY attempt');
      return of.all(idBytes(checkId)).map((row) => [row['attempt'], row['location']]);
    };
    assert.deepEqual(await run(['lima', 'oslo']), [
      [1, 'lima'],
      [2, 'oslo'],
    ]);
    assert.deepEqual(await run(['lima', 'pune']), [
      [1, 'lima'],
      [2, 'lima'],
    ]);
    assert.equal(test.difference(), 0);
  });
});

/** Where a check stands, as the retries of its runs leave it. */
function stateOf(test: PathUnderTest, checkId: string): Record<string, unknown> {
  const row = test.temp.raw.prepare('SELECT * FROM check_states WHERE check_id = ?').get(idBytes(checkId)) ?? {};
  const { status, since, failing_since, failed_in_a_row, degraded_in_a_row, alerted, by_location } = row;
  return { status, since, failing_since, failed_in_a_row, degraded_in_a_row, alerted, by_location };
}

/** What each location found last, `code status`. */
function foundAt(test: PathUnderTest, checkId: string): string[] {
  const shown = stateOf(test, checkId)['by_location'] as string;
  const found = JSON.parse(shown) as Record<string, { status: string }>;
  return Object.entries(found)
    .map(([code, { status }]) => `${code} ${status}`)
    .sort();
}

describe('a retry elsewhere of a check that runs in parallel', () => {
  it('answers for the location that its run was planned at', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const checkId = await test.check({ runParallel: true, locations });
    await test.schedule('downtime', locations);
    const [lima, oslo, pune] = await claimAll(test);
    assert.ok(lima !== undefined && oslo !== undefined && pune !== undefined);
    const retry = { at: test.now, location: 'oslo' };
    await test.record([test.ended(lima, 'failed', { retry }), test.ended(oslo, 'failed', { rules })]);
    const [again] = await claimAll(test);
    assert.ok(again?.run.location === 'oslo');
    await test.record([test.ended(again, 'passed', { rules })]);
    assert.deepEqual(foundAt(test, checkId), ['lima passing', 'oslo failing']);
    await test.record([test.ended(pune, 'passed', { rules })]);
    assert.equal(stateOf(test, checkId)['status'], 'passing', 'one of three fails');
    assert.equal(test.difference(), 0);
  });

  it('does so of a run that was started on demand, wherever its time was moved to', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const checkId = await test.check({ runParallel: true, locations });
    const target = { groupId: null, checkId };
    const order = { accountId: test.accountId, target, newToken: newId(), idempotencyKey: null };
    await test.temp.store.triggers.start({ ...order, servedLocations: locations, now: test.now });
    // As when the clock of the server is set.
    test.temp.raw.exec('UPDATE runs SET due_at = due_at - 3600000, available_at = available_at - 3600000');
    const [lima] = await test.claim('one', 'lima');
    assert.ok(lima !== undefined);
    await test.record([test.ended(lima, 'failed', { retry: { at: test.now, location: 'pune' } })]);
    const again = (await test.claim('one', 'pune')).find(({ run }) => run.attempt === 2);
    assert.ok(again !== undefined);
    await test.record([test.ended(again, 'failed', { rules })]);
    assert.deepEqual(foundAt(test, checkId), ['lima failing']);
    assert.equal(test.difference(), 0);
  });

  it('leaves the check, in every history, where retries at the same location leave it', async (newStore, engine) => {
    const answer = fc.record({
      outcome: fc.constantFrom<(Outcome | null)[]>('passed', 'degraded', 'failed', 'unknown', null),
      retries: fc.integer({ min: 0, max: 2 }),
    });
    const round = fc.record({
      answers: fc.tuple(answer, answer, answer),
      order: fc.shuffledSubarray([0, 1, 2], { minLength: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(round, { minLength: 1, maxLength: 4 }), async (rounds) => {
        await using test = await PathUnderTest.open(newStore);
        const own = { runParallel: true, locations };
        const moving = await test.check({ ...own, retryStrategy: elsewhere });
        const staying = await test.check({ ...own, retryStrategy: { ...elsewhere, sameRegion: true } });
        for (const { answers, order } of rounds) {
          await playRound(test, answers, order);
          assert.deepEqual(stateOf(test, moving), stateOf(test, staying));
          assert.equal(test.difference(), 0);
          test.temp.clock.advance(10_000);
        }
      }),
      { numRuns: engine === 'SQLite' ? 12 : 4 },
    );
  });
});

/** A round of all checks: what each location finds in the end, null = it does not answer; and in which order they do. */
async function playRound(
  test: PathUnderTest,
  answers: readonly { readonly outcome: Outcome | null; readonly retries: number }[],
  order: readonly number[],
): Promise<void> {
  await test.schedule('overload', locations);
  const newest = (all: readonly ClaimedRun[]) => all.filter(({ run }) => Number(run.slotAt) > test.now - 10_000);
  let claimed = newest(await claimAll(test));
  /** Which location each run was planned at. */
  const plannedAt = new Map(claimed.map(({ run }) => [run.id, locations.indexOf(run.location)]));
  const answerOf = ({ run }: ClaimedRun) => answers[plannedAt.get(run.id) ?? -1];
  const last = new Map(claimed.map((one) => [one.run.id, one]));
  for (let attempt = 1; attempt < 3; attempt++) {
    const again = claimed.filter((one) => (answerOf(one)?.retries ?? 0) >= attempt);
    await test.record(
      again.map((one) => {
        assert.ok(one.context !== null);
        const location = retryLocation(one.context.check, one.run.location, locations);
        return test.ended(one, 'failed', { retry: { at: test.now, location } });
      }),
    );
    claimed = newest(await claimAll(test));
    for (const one of claimed) last.set(one.run.id, one);
  }
  for (const index of order) {
    const outcome = answers[index]?.outcome ?? null;
    const ended = [...last.values()].filter(({ run }) => plannedAt.get(run.id) === index);
    assert.equal(ended.length, 2, 'a run of each check');
    if (outcome !== null) await test.record(ended.map((one) => test.ended(one, outcome, { rules })));
  }
}
