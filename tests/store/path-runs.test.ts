// Schedules, leases and retries of runs on a real file (design §2: lease, don't lock; slots, not timers).
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import * as fc from 'fast-check';
import { outcomes } from '#domain/results/result.ts';
import type { Run } from '#domain/checks/run.ts';
import { newId } from '#lib/id.ts';
import { idBytes, idBytesOrNull } from '#store/base/codec.ts';
import { sourceCodes } from '#store/base/codes.ts';
import { it } from '../support/store/each-engine.ts';
import { leaseMs, PathUnderTest } from './path-under-test.ts';

/** A second account's id. */
function anotherAccount({ temp }: PathUnderTest): string {
  const id = newId();
  temp.raw.prepare('INSERT INTO accounts (id, name, created_at) VALUES (?, ?, ?)').run(idBytes(id), 'Other', 0);
  return id;
}

/** A run that waits, as its row: of the first account when not told, due now. */
function waiting(test: PathUnderTest, checkId: string, change: Partial<Run> = {}): Run {
  const run: Run = {
    accountId: test.accountId,
    id: newId(),
    checkId,
    location: 'local',
    source: 'SCHEDULER',
    slotAt: test.now,
    intervalMs: 10_000,
    attempt: 1,
    dueAt: test.now,
    firstStartedAt: null,
    batchId: null,
    ...change,
  };
  const ids = [run.accountId, run.id, run.checkId].map(idBytes);
  test.temp.raw
    .prepare(
      `INSERT INTO runs (account_id, id, check_id, location, source, slot_at, interval_ms, attempt, due_at, available_at,
         first_started_at, batch_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(
      ...ids,
      run.location,
      sourceCodes.encode(run.source),
      run.slotAt,
      run.intervalMs,
      run.attempt,
      run.dueAt,
      run.dueAt,
      run.firstStartedAt,
      idBytesOrNull(run.batchId),
    );
  return run;
}

describe('scheduling', () => {
  it('makes one run of a slot, however often the slot is due', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    await test.check();
    assert.equal((await test.schedule()).runs, 1);
    assert.equal((await test.schedule()).runs, 0);
    test.temp.raw.exec('UPDATE schedules SET next_due_at = next_due_at - interval_ms');
    assert.equal((await test.schedule()).runs, 0, 'its run waits');
    await test.record((await test.claim()).map((claimed) => test.ended(claimed, 'passed')));
    test.temp.raw.exec('UPDATE schedules SET next_due_at = next_due_at - interval_ms');
    assert.equal((await test.schedule()).runs, 0, 'its result is there');
    assert.equal(test.one('SELECT scheduled FROM account_counts'), 1);
    assert.equal(test.one('SELECT used FROM usage'), 1);
    assert.equal(test.difference(), 0);
  });

  it('records the slots of a standstill as one stretch, with their number and reason', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    await test.check();
    const slotAt = test.now;
    test.temp.clock.advance(65_000);
    const done = await test.schedule('downtime');
    assert.deepEqual([done.runs, done.missed], [1, 6]);
    assert.deepEqual(test.rows('SELECT slots, message, started_at FROM results'), [
      { slots: 6, message: 'not run: Tocsin was not running', started_at: test.now },
    ]);
    assert.deepEqual(test.rows('SELECT scheduled, missed FROM account_counts'), [{ scheduled: 7, missed: 6 }]);
    assert.equal(test.one('SELECT slot_at FROM runs'), slotAt + 60_000);
    assert.equal(done.nextDueAt, slotAt + 70_000);
    assert.equal(test.difference(), 0);
  });

  it('misses what is over the execution limit of the month, and starts again with the next', async (newStore) => {
    await using test = await PathUnderTest.open(newStore, Date.UTC(2026, 2, 31, 23, 59, 50));
    await test.check();
    await test.check();
    test.temp.raw.exec('UPDATE accounts SET execution_limit = 3');
    assert.deepEqual(await test.schedule().then(({ runs, missed }) => [runs, missed]), [2, 0]);
    test.temp.clock.advance(9_999);
    test.temp.raw.prepare('UPDATE schedules SET next_due_at = ?, phase_ms = ? % interval_ms').run(test.now, test.now);
    assert.deepEqual(await test.schedule().then(({ runs, missed }) => [runs, missed]), [1, 1]);
    assert.equal(
      test.one('SELECT message FROM results'),
      'not run: the account has used up its execution limit for this month',
    );
    assert.deepEqual(await test.temp.store.accounts.usage(test.accountId, test.now).then((usage) => usage?.used), 3);
    test.temp.clock.advance(10_000);
    assert.deepEqual(await test.schedule().then(({ runs, missed }) => [runs, missed]), [2, 0]);
    assert.equal(test.difference(), 0);
  });

  it('does not charge for a run that could not be started in its slot', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    await test.check();
    await test.runAll('missed');
    assert.equal(test.one('SELECT used FROM usage'), 0);
    assert.equal(test.difference(), 0);
  });

  it('makes a run per location of a parallel check', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    await test.check({ runParallel: true, locations: ['local', 'lima'] });
    assert.equal((await test.schedule('downtime', ['local', 'lima'])).runs, 2);
    assert.equal((await test.claim('one', 'lima')).length, 1);
    assert.equal((await test.claim('one', 'local')).length, 1);
  });
});

describe('a run', () => {
  it('is taken by one owner until its lease runs out', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    await test.check();
    await test.schedule();
    const [first] = await test.claim('one');
    assert.ok(first !== undefined);
    assert.equal((await test.claim('two')).length, 0);
    test.temp.clock.advance(leaseMs - 1);
    assert.equal((await test.claim('two')).length, 0);
    await test.path.renewRuns([first.run], { owner: 'one', now: test.now, leaseMs });
    test.temp.clock.advance(leaseMs - 1);
    assert.equal((await test.claim('two')).length, 0, 'it was renewed');
    test.temp.clock.advance(1);
    const [second] = await test.claim('two');
    assert.ok(second !== undefined);
    await test.path.renewRuns([first.run], { owner: 'one', now: test.now, leaseMs: 1_000_000 });

    const [late] = await test.record([test.ended(first, 'failed')], 'one');
    assert.equal(late?.isRecorded, false, 'who lost the lease records nothing');
    assert.equal(test.one('SELECT count(*) FROM results'), 0);
    const [good] = await test.record([test.ended(second, 'passed')], 'two');
    assert.equal(good?.isRecorded, true);
    assert.equal(good?.resultId, first.run.id);
    const [again] = await test.record([test.ended(second, 'passed')], 'two');
    assert.equal(again?.isRecorded, false);
    assert.deepEqual(test.rows('SELECT passed, failed FROM account_counts WHERE passed > 0'), [
      { passed: 1, failed: 0 },
    ]);
    assert.equal(test.difference(), 0);
  });

  it('is claimed with all columns of its row, oldest due first, in any account', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const other = anotherAccount(test);
    const [own, theirs] = [await test.add({}), await test.add({ accountId: other })];
    const batchId = newId();
    const onDemand = { source: 'TRIGGER_API', slotAt: null, intervalMs: null } as const;
    const runs = [
      waiting(test, own.id, { dueAt: test.now - 400, slotAt: test.now - 700, intervalMs: 86_400_000 }),
      waiting(test, theirs.id, { accountId: other, dueAt: test.now - 900, ...onDemand, batchId }),
      waiting(test, own.id, { dueAt: test.now - 300, attempt: 3, firstStartedAt: test.now - 60_000 }),
      waiting(test, theirs.id, { accountId: other, dueAt: test.now - 200, ...onDemand, source: 'SCHEDULE_NOW' }),
      waiting(test, newId(), { dueAt: test.now - 100, batchId, intervalMs: null }),
    ].sort((a, b) => a.dueAt - b.dueAt);
    const claimed = await test.claim();
    assert.deepEqual(
      claimed.map(({ run }) => run),
      runs,
    );
    assert.deepEqual(
      claimed.map(({ context }) => context?.check.id ?? null),
      [theirs.id, own.id, own.id, theirs.id, null],
    );
    assert.deepEqual(await test.claim(), []);
  });

  it('is claimed with its current check, also in an account without a revision', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const other = anotherAccount(test);
    const checks = [await test.add({}), await test.add({ accountId: other, name: 'Bank' })];
    test.temp.raw.prepare(`DELETE FROM counters WHERE noun = 'revision' AND account_id = ?`).run(idBytes(other));
    const claimNames = async (): Promise<unknown[]> => {
      for (const [index, { id, accountId }] of checks.entries())
        waiting(test, id, { accountId, dueAt: test.now + index });
      test.temp.clock.advance(1);
      return (await test.claim()).map(({ context }) => context?.check.name);
    };
    assert.deepEqual(await claimNames(), ['Shop', 'Bank']);
    assert.deepEqual(await claimNames(), ['Shop', 'Bank'], 'from memory');
    await test.temp.store.checks.change(other, checks[1]?.id ?? '', ({ check }) => ({
      check: { ...check, name: 'Banks' },
      subscriptions: null,
      isAutoAssigned: false,
    }));
    assert.deepEqual(await claimNames(), ['Shop', 'Banks']);
  });

  it('that is given back can be taken at once', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    await test.check();
    await test.schedule();
    const taken = await test.claim('one');
    await test.path.returnRuns(
      taken.map(({ run }) => run),
      'two',
    );
    assert.equal((await test.claim('two')).length, 0, 'only its owner can give it back');
    await test.path.returnRuns(
      taken.map(({ run }) => run),
      'one',
    );
    assert.equal((await test.claim('two')).length, 1);
  });

  it('is due again when the process that held it is gone: at once where it was the only one', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    await test.check();
    await test.schedule();
    assert.equal((await test.claim('one')).length, 1);
    await test.path.takeOver(test.now);
    if (test.temp.isShared) {
      assert.equal((await test.claim('two')).length, 0, 'it may live');
      test.temp.clock.advance(leaseMs);
    }
    assert.equal((await test.claim('two')).length, 1);
  });

  it('is tried again when it shall be, each attempt on record, with one verdict', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const checkId = await test.check();
    const channel = await test.channel(checkId);
    await test.schedule();
    const [first] = await test.claim();
    assert.ok(first !== undefined);
    const retryAt = test.now + 5_000;
    const [recorded] = await test.record([test.ended(first, 'failed', { retry: { at: retryAt, location: 'local' } })]);
    assert.deepEqual([recorded?.isRecorded, recorded?.deliveries], [true, 0]);
    assert.equal(test.one('SELECT count(*) FROM check_states'), 0, 'an attempt moves no state');
    assert.equal((await test.claim()).length, 0);
    test.temp.clock.advance(5_000);
    const [second] = await test.claim();
    assert.ok(second !== undefined);
    assert.deepEqual([second.run.attempt, second.run.dueAt, second.run.id], [2, retryAt, first.run.id]);
    assert.equal(second.run.firstStartedAt, retryAt - 5_000);
    const [final] = await test.record([test.ended(second, 'failed')]);
    assert.equal(final?.deliveries, 1, `channel ${channel}`);
    assert.deepEqual(test.rows('SELECT attempt, run_id IS NULL AS is_final FROM results ORDER BY attempt'), [
      { attempt: 1, is_final: 0 },
      { attempt: 2, is_final: 1 },
    ]);
    assert.deepEqual(test.rows('SELECT scheduled, failed FROM account_counts WHERE scheduled > 0'), [
      { scheduled: 1, failed: 1 },
    ]);
    assert.equal(test.one('SELECT used FROM usage'), 1, 'retries are not counted again');
  });
});

describe('in every history', () => {
  it('what was scheduled is what has an outcome and what is still open', async (newStore, engine) => {
    const move = fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({ kind: fc.constant('advance' as const), ms: fc.integer({ min: 0, max: 25_000 }) }),
      },
      { weight: 4, arbitrary: fc.record({ kind: fc.constant('schedule' as const) }) },
      {
        weight: 3,
        arbitrary: fc.record({ kind: fc.constant('claim' as const), owner: fc.constantFrom('one', 'two') }),
      },
      {
        weight: 6,
        arbitrary: fc.record({
          kind: fc.constant('record' as const),
          outcome: fc.constantFrom(...outcomes),
          isRetried: fc.boolean(),
          retriedAt: fc.constantFrom('local', 'lima'),
          owner: fc.constantFrom('one', 'two'),
        }),
      },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
      {
        weight: 1,
        arbitrary: fc.record({
          kind: fc.constant('set clock' as const),
          ms: fc.integer({ min: -90_000, max: 90_000 }),
        }),
      },
      {
        weight: 1,
        arbitrary: fc.record({ kind: fc.constant('give back' as const), owner: fc.constantFrom('one', 'two') }),
      },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('limit' as const), max: fc.constantFrom(null, 5, 20) }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(move, { maxLength: 40 }), async (moves) => {
        await using test = await PathUnderTest.open(newStore);
        const checkId = await test.check();
        await test.channel(checkId, { sendDegraded: true });
        await test.check({ runParallel: true, locations: ['local', 'lima'] });
        const held = new Map<string, Awaited<ReturnType<typeof test.claim>>[number]>();
        for (const given of moves) {
          if (given.kind === 'advance') test.temp.clock.advance(given.ms);
          else if (given.kind === 'schedule') await test.schedule('overload', ['local', 'lima']);
          else if (given.kind === 'claim') {
            for (const location of ['local', 'lima']) {
              for (const claimed of await test.claim(given.owner, location)) held.set(claimed.run.id, claimed);
            }
          } else if (given.kind === 'record') {
            const isRetried = given.isRetried && given.outcome === 'failed';
            const retry = isRetried ? { at: test.now + 1_000, location: given.retriedAt } : null;
            const ended = [...held.values()].map((claimed) => test.ended(claimed, given.outcome, { retry }));
            for (const recorded of await test.record(ended, given.owner))
              if (recorded.isRecorded) held.delete(recorded.resultId);
          } else if (given.kind === 'restart') await test.path.takeOver(test.now);
          else if (given.kind === 'give back')
            await test.path.returnRuns(
              [...held.values()].map(({ run }) => run),
              given.owner,
            );
          else if (given.kind === 'limit')
            test.temp.raw.prepare('UPDATE accounts SET execution_limit = ?').run(given.max);
          else {
            test.temp.clock.advance(given.ms);
            await test.path.moveWithClock(given.ms, test.now);
          }
          assert.equal(test.difference(), 0, given.kind);
        }
        const perSlot = `SELECT coalesce(sum(slots), 0) FROM results WHERE run_id IS NULL`;
        const counted = 'SELECT coalesce(sum(passed + degraded + failed + unknown + missed), 0) FROM account_counts';
        assert.equal(test.one(perSlot), test.one(counted), 'each outcome that was counted is a result that is there');
      }),
      { numRuns: engine === 'SQLite' ? 40 : 10 },
    );
  });
});
