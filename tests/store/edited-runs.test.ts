// Edits while a run is in progress: its result is judged by the settings at its recording (docs/decisions/0103).
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Check } from '#domain/checks/check.ts';
import type { CheckGroup } from '#domain/checks/check-group.ts';
import type { MaintenanceWindow } from '#domain/checks/maintenance-window.ts';
import type { EndedAttempt } from '#domain/results/recording.ts';
import { createRecordResults } from '#pipeline/record-results.ts';
import { it, onSqlite } from '../support/store/each-engine.ts';
import { aGroup, aWindow } from '../support/store/records.ts';
import { PathUnderTest, rendered } from './path-under-test.ts';

/** Records a result by the step. */
function record(test: PathUnderTest, attempt: EndedAttempt) {
  const step = createRecordResults({
    store: test.path,
    clock: test.temp.clock,
    owner: 'one',
    locations: () => ['local'],
    render: rendered,
    statusOf: () => null,
    onRecorded: () => {},
    onError: (error) => assert.fail(String(error)),
  });
  return step.record(attempt);
}

const request = { url: 'https://shop.example', method: 'GET', assertions: [] };
const assertions = [{ source: 'STATUS_CODE', comparison: 'EQUALS', target: '500' }];

interface Subject {
  readonly test: PathUnderTest;
  readonly id: string;
  readonly groupId: number;
}

const edited = (change: Partial<Check>) => (subject: Subject) => subject.test.edit(subject.id, change);
const regrouped = (change: Partial<CheckGroup>) => (subject: Subject) =>
  subject.test.temp.store.checkGroups.change(subject.test.accountId, subject.groupId, ({ group }) => ({
    group: { ...group, ...change },
    subscriptions: null,
    isAutoAssigned: false,
  }));
const maintained =
  (change: Partial<MaintenanceWindow>, after = 0) =>
  ({ test }: Subject) =>
    test.temp.store.maintenanceWindows.add(
      test.accountId,
      aWindow(test.accountId, { startsAt: test.now + after, endsAt: test.now + 60_000, ...change }),
    );

/** What a failed run comes to: the status of its check, deliveries, and runs that are asked for. */
type Effect = readonly [status: 'failing' | null, deliveries: number, firstRuns: number];
const alerts: Effect = ['failing', 1, 0];
const isSilent: Effect = ['failing', 0, 0];
const movesNothing: Effect = [null, 0, 0];
const runsAgain: Effect = [null, 0, 1];

/** A check in a group, with a failed attempt that is not recorded yet. */
async function runningCheck(test: PathUnderTest): Promise<{ subject: Subject; attempt: EndedAttempt }> {
  const group = aGroup(test.accountId);
  const added = await test.temp.store.checkGroups.add({ group, subscriptions: null, isAutoAssigned: false });
  assert.ok('saved' in added);
  const groupId = added.saved.group.id;
  const id = await test.check({ groupId, settings: { request } });
  await test.channel(id);
  await test.schedule();
  // Adding the check has asked for a run.
  await test.temp.store.firstRuns.start(test.now, []);
  const [claimed] = await test.claim();
  assert.ok(claimed !== undefined);
  return { subject: { test, id, groupId }, attempt: test.ended(claimed, 'failed') };
}

function effectOf(test: PathUnderTest): unknown[] {
  const [state] = test.rows('SELECT status FROM check_states WHERE status IS NOT NULL');
  const counts = ['deliveries', 'first_runs'].map((table) => test.one(`SELECT count(*) FROM ${table}`));
  return [state?.['status'] ?? null, ...counts];
}

describe('a run that fails, whose check changed while it ran', () => {
  const rows: readonly (readonly [what: string, change: (subject: Subject) => Promise<unknown>, Effect])[] = [
    ['is not edited', () => Promise.resolve(), alerts],
    ['gets another name', edited({ name: 'Edited' }), alerts],
    ['is muted', edited({ muted: true }), isSilent],
    ['is muted until later', edited({ mutedUntil: Number.MAX_SAFE_INTEGER }), isSilent],
    ['is muted by its group', regrouped({ muted: true }), isSilent],
    ['is silenced by a window', maintained({ silenceAllAlerts: true }), isSilent],
    ['has to fail twice now', edited({ alertSettings: twice(), useGlobalAlertSettings: false }), isSilent],
    ['is deactivated', edited({ activated: false }), movesNothing],
    ['is deactivated by its group', regrouped({ activated: false }), movesNothing],
    ['is paused by a window', maintained({ pauseAllChecks: true }), movesNothing],
    ['is paused by a window that was planned before', maintained({ pauseAllChecks: true }, 5000), movesNothing],
    ['has another URL', edited({ settings: { request: { ...request, url: 'https://new.example' } } }), runsAgain],
    ['has other assertions', edited({ settings: { request: { ...request, assertions } } }), runsAgain],
    ['gets other defaults of its group', regrouped({ apiCheckDefaults: { assertions } }), runsAgain],
  ];
  for (const [what, change, effect] of rows) {
    it(what, async (newStore) => {
      await using test = await PathUnderTest.open(newStore);
      const { subject, attempt } = await runningCheck(test);
      await change(subject);
      test.temp.clock.advance(6000);
      assert.equal((await record(test, attempt))?.isRecorded, true);
      assert.deepEqual(effectOf(test), effect);
      assert.equal(test.one('SELECT count(*) FROM results'), 1);
    });
  }

  onSqlite('asks for no other run if it was quiet', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const { subject, attempt } = await runningCheck(test);
    await edited({ settings: { request: { ...request, assertions } } })(subject);
    await record(test, { ...attempt, isQuiet: true });
    assert.deepEqual(effectOf(test), movesNothing);
  });

  onSqlite('counts all the same if it was triggered in spite of a pause', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const { subject, attempt } = await runningCheck(test);
    await maintained({ pauseAllChecks: true })(subject);
    await record(test, { ...attempt, run: { ...attempt.run, source: 'TRIGGER_API' } });
    assert.deepEqual(effectOf(test), isSilent);
  });
});

function twice() {
  return { escalationType: 'RUN_BASED', runBasedEscalation: { failedRunThreshold: 2 } } as const;
}
