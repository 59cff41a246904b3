// A queued run, such as that of a browser check, uses the check's configuration at the time it starts.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { ProbeInput } from '#domain/checks/probe.ts';
import type { EndedAttempt } from '#domain/results/recording.ts';
import { newId } from '#lib/id.ts';
import { idBytes } from '#store/base/codec.ts';
import { createRunChecks } from '#pipeline/run-checks.ts';
import { StoreUnavailableError } from '#store/base/unavailable.ts';
import { it } from '../support/store/each-engine.ts';
import { aWindow } from '../support/store/records.ts';
import { insertRow, putAccount } from '../support/store/rows.ts';
import { until } from '../support/until.ts';
import { PathUnderTest } from './path-under-test.ts';

/** A run of a check that waits for room, taken by a step that probes nothing yet. */
async function waitingRun(test: PathUnderTest) {
  const checkId = await test.check({ tags: ['shop'] });
  const room = Promise.withResolvers<() => void>();
  const [probed, ended]: [ProbeInput[], EndedAttempt[]] = [[], []];
  const fault: { error: Error | null } = { error: null };
  let left = 0;
  const step = createRunChecks({
    store: {
      ...test.path,
      contextOf: (run) => (fault.error === null ? test.path.contextOf(run) : Promise.reject(fault.error)),
    },
    clock: test.temp.clock,
    owner: 'one',
    location: 'local',
    locations: () => ['local'],
    enter: () => room.promise,
    probe: (input) => {
      probed.push(input);
      return Promise.resolve(test.finding('failed'));
    },
    record: async (attempt) => {
      ended.push(attempt);
      await test.record([attempt]);
    },
    startedAt: 0,
    wake: () => {},
  });
  await test.schedule();
  await step.tick();
  assert.equal(step.inProgress, 1);
  return {
    checkId,
    fault,
    probed,
    ended,
    /** Admits it, and waits until nothing is in progress. */
    letIn: async () => {
      room.resolve(() => void left++);
      await until('its end', () => step.inProgress === 0);
      assert.equal(left, 1, 'its room is free again');
    },
  };
}

describe('a run that waits for room', () => {
  it('is probed as its check was edited meanwhile, and tells nobody once that is muted', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const { checkId, probed, letIn } = await waitingRun(test);
    const channel = await test.channel(checkId);
    await test.edit(checkId, { name: 'Edited', muted: true });
    await letIn();
    assert.deepEqual(
      probed.map(({ check }) => check.name),
      ['Edited'],
    );
    assert.equal(test.one('SELECT count(*) AS n FROM deliveries'), 0, `channel ${channel} hears nothing`);
    assert.equal(test.one('SELECT failed FROM account_counts WHERE failed > 0'), 1);
  });

  it('is not made where a window pauses its check meanwhile', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const { ended, probed, letIn } = await waitingRun(test);
    const times = { startsAt: test.now, endsAt: test.now + 60_000 };
    await test.temp.store.maintenanceWindows.add(
      test.accountId,
      aWindow(test.accountId, { ...times, tags: ['shop'], silenceAllAlerts: false }),
    );
    await letIn();
    assert.deepEqual(
      [probed.length, ended.map(({ outcome, finding }) => [outcome, finding.reason])],
      [0, [['missed', 'maintenance']]],
    );
  });

  it('is not made where its check is deactivated meanwhile, which is no gap of ours', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const { checkId, ended, probed, letIn } = await waitingRun(test);
    await test.edit(checkId, { activated: false });
    await letIn();
    assert.deepEqual(
      [probed.length, ended.map(({ outcome, finding }) => [outcome, finding.reason, finding.message])],
      [0, [['missed', 'deactivated', 'not run: the check was deactivated first']]],
    );
    assert.deepEqual(test.rows('SELECT scheduled, missed, limited FROM account_counts'), [
      { scheduled: 1, missed: 1, limited: 1 },
    ]);
  });

  it('ends with its check where that is deleted meanwhile', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const { checkId, ended, probed, letIn } = await waitingRun(test);
    await test.remove(checkId);
    await letIn();
    assert.deepEqual([probed, ended], [[], []]);
  });

  it('is made as it was claimed where the database is away when there is room', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const { checkId, fault, ended, probed, letIn } = await waitingRun(test);
    await test.edit(checkId, { name: 'Edited' });
    fault.error = new StoreUnavailableError('the database cannot be reached');
    await letIn();
    assert.deepEqual([probed.map(({ check }) => check.name === 'Edited'), ended.length], [[false], 1]);
  });

  it('is unknown where its check cannot be read for any other reason', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const { fault, ended, probed, letIn } = await waitingRun(test);
    fault.error = new Error('a fault of our own');
    await letIn();
    assert.deepEqual([probed, ended.map(({ finding }) => finding.reason)], [[], ['crashed']]);
  });
});

describe('a run whose predecessor is still in progress', () => {
  it('waits for it at the same location, and is missed when its slot is over', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    await test.check();
    const answers: PromiseWithResolvers<ReturnType<typeof test.finding>>[] = [];
    const ended: EndedAttempt[] = [];
    const step = createRunChecks({
      store: test.path,
      clock: test.temp.clock,
      owner: 'one',
      location: 'local',
      locations: () => ['local'],
      probe: () => {
        const answer = Promise.withResolvers<ReturnType<typeof test.finding>>();
        answers.push(answer);
        return answer.promise;
      },
      record: async (attempt) => {
        ended.push(attempt);
        await test.record([attempt]);
      },
      startedAt: 0,
      wake: () => {},
    });
    const from = test.now;
    for (const passedMs of [0, 10_000, 10_000]) {
      test.temp.clock.advance(passedMs);
      await test.schedule();
      await step.tick();
    }
    assert.deepEqual([step.inProgress, answers.length], [3, 1], 'one is probed, two wait');
    test.temp.clock.advance(5000);
    answers[0]?.resolve(test.finding('failed'));
    await until('the next one', () => answers.length === 2);
    answers[1]?.resolve(test.finding('passed'));
    await until('its end', () => step.inProgress === 0);
    assert.deepEqual(
      ended.map(({ run, outcome, finding }) => [(run.slotAt ?? 0) - from, outcome, finding.reason]),
      [
        [0, 'failed', 'status'],
        [10_000, 'missed', 'overlap'],
        [20_000, 'passed', null],
      ],
    );
    assert.deepEqual(test.rows('SELECT missed, limited FROM account_counts WHERE missed > 0'), [
      { missed: 1, limited: 1 },
    ]);
  });
});

describe('runs of an account that holds its share', () => {
  it('are left to later claims, and those of others are taken', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    await test.check();
    await test.schedule();
    const claim = { location: 'local', owner: 'one', now: test.now, leaseMs: 10_000, max: 10 };
    const none = await test.path.claimRuns({ ...claim, without: [test.accountId] });
    assert.deepEqual([none.runs, none.nextAvailableAt], [[], null]);
    const other = '0198a000-0000-7000-8000-0000000000ff';
    const { runs } = await test.path.claimRuns({ ...claim, without: [other] });
    assert.equal(runs.length, 1);
  });
});

describe('a backlog of runs', () => {
  it('is taken from the accounts in turn, and runs that were asked for come after the slots of others', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const { raw } = test.temp;
    const runOf = (accountId: string, source: number, dueAt: number): string => {
      const id = newId();
      insertRow(raw, 'runs', {
        account_id: idBytes(accountId),
        id: idBytes(id),
        check_id: idBytes(newId()),
        location: 'local',
        source,
        attempt: 1,
        due_at: dueAt,
        available_at: dueAt,
      });
      return id;
    };
    const [many, flood, few] = [putAccount(raw), putAccount(raw), putAccount(raw)];
    const asked = Array.from({ length: 6 }, (_, index) => runOf(flood, 1, test.now - 900 + index));
    const slots = Array.from({ length: 6 }, (_, index) => runOf(many, 0, test.now - 500 + index));
    const late = Array.from({ length: 2 }, (_, index) => runOf(few, 0, test.now - 100 + index));
    const claim = { location: 'local', owner: 'one', now: test.now, leaseMs: 10_000, isBacklog: true };
    const taken = async (max: number) =>
      (await test.path.claimRuns({ ...claim, max })).runs.map(({ run }) => run.id).toSorted();
    assert.deepEqual(await taken(4), [...slots.slice(0, 2), ...late].toSorted());
    assert.deepEqual(await taken(6), [...slots.slice(2), ...asked.slice(0, 2)].toSorted());
    assert.deepEqual(await taken(100), asked.slice(2).toSorted());
  });
});
