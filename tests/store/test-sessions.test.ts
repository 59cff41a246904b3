// Test sessions on both engines: queued fairly, retried, cancelled, bounded, and deleted in time.
import assert from 'node:assert/strict';
import { plainCheck } from '#domain/checks/check.ts';
import {
  recordedMs,
  runsOfSession,
  sessionBytesKept,
  sessionMs,
  sessionsKept,
  type TestRun,
  type TestSession,
  testSessionStatus,
  unrecordedMs,
} from '#domain/sessions/test-session.ts';
import { bareFinding, type Finding } from '#domain/results/result.ts';
import { newId } from '#lib/id.ts';
import { onSqlite, test } from '../support/store/each-engine.ts';
import { PathUnderTest } from './path-under-test.ts';

const leaseMs = 10_000;

function opened(test: PathUnderTest) {
  const { store, clock } = test.temp;
  const { testSessions: sessions, testRuns: queue, testEvents: events } = store;
  const sessionOf = (more: Partial<TestSession> = {}): TestSession => ({
    accountId: test.accountId,
    id: newId(),
    suiteId: 'suite',
    name: 'Release',
    provider: 'API',
    isRecorded: true,
    location: 'local',
    metadata: { branchName: 'main' },
    createdAt: clock.now(),
    ...more,
  });
  const runOf = (session: TestSession, position: number, more: Partial<TestRun> = {}): TestRun => {
    const { accountId, createdAt, location } = session;
    const settings = { request: { url: 'https://canary.example' } };
    const id = newId();
    return {
      accountId,
      id,
      sessionId: session.id,
      position,
      location,
      createdAt,
      checkRunId: `run-${position}`,
      logicalId: null,
      check: {
        ...plainCheck,
        accountId,
        id: newId(),
        checkType: 'API',
        name: `Check ${position}`,
        settings,
        createdAt: 0,
      },
      group: null,
      variables: [{ key: 'TOKEN', value: 'canary of the session', locked: true, secret: true }],
      retryStrategy: null,
      ...more,
    };
  };
  const added = async (runs: number, more: Partial<TestSession> = {}, ofRuns: Partial<TestRun> = {}) => {
    const session = sessionOf(more);
    const queued = Array.from({ length: runs }, (_, position) => runOf(session, position, ofRuns));
    assert.equal(await sessions.add(session, queued), 'added');
    return { session, runs: queued };
  };
  const claim = (owner: string, max = 20) => queue.claim({ location: 'local', owner, now: clock.now(), leaseMs }, max);
  const findingOf = (verdict: Finding['verdict']): Finding => ({
    ...bareFinding(clock.now(), { verdict, reason: verdict === 'failed' ? 'status' : null, message: null }),
    exchange: '{"response":{"status":200}}',
  });
  const end = (run: TestRun, verdict: Finding['verdict'], owner = 'one') =>
    queue.end(run, owner, findingOf(verdict), clock.now());
  const kinds = async ({ accountId, id }: TestSession) =>
    (await events.after({ accountId, sessionId: id }, 0, 50)).map(
      ({ number, kind, attempt }) => `${number} ${kind} ${attempt}`,
    );
  const found = async ({ accountId, id }: TestSession) => {
    const session = await sessions.find(accountId, id);
    assert.ok(session !== null);
    return session;
  };
  return { sessions, queue, events, clock, sessionOf, runOf, added, claim, end, kinds, found };
}

test('a session is queued encrypted, run once, retried as it says, and ends with its last run', async (newStore) => {
  await using test = await PathUnderTest.open(newStore);
  const { added, claim, end, kinds, found, clock, events } = opened(test);
  const retryStrategy = {
    type: 'FIXED',
    baseBackoffSeconds: 5,
    maxRetries: 1,
    maxDurationSeconds: 600,
    sameRegion: true,
  } as const;
  const { session, runs } = await added(2, {}, { retryStrategy });
  assert.ok(!JSON.stringify(test.rows('SELECT definition FROM test_runs')).includes('canary'));
  const [first, second] = await claim('one');
  assert.deepEqual([first, second], runs);
  assert.deepEqual(await claim('two'), []);
  assert.ok(first !== undefined && second !== undefined);
  await end(first, 'failed');
  assert.deepEqual(await claim('one'), [], 'it waits for its retry');
  await end(second, 'degraded');
  clock.advance(5000);
  assert.deepEqual(await claim('two'), [first]);
  await end(first, 'passed', 'one');
  assert.equal(testSessionStatus(await found(session)), 'RUNNING', 'it is no longer its owner');
  await end(first, 'passed', 'two');
  const ended = await found(session);
  assert.deepEqual([testSessionStatus(ended), ended.endedAt], ['PASSED', clock.now()]);
  assert.deepEqual(
    ended.runs.map(({ outcome, attempt }) => [outcome, attempt]),
    [
      ['passed', 2],
      ['degraded', 1],
    ],
  );
  assert.deepEqual(await kinds(session), ['1 run-start 1', '2 run-start 1', '3 attempt 1', '4 result 1', '5 result 2']);
  assert.deepEqual(test.rows('SELECT definition FROM test_runs'), [{ definition: null }, { definition: null }]);
  const result = await events.ofResult(session.accountId, first.id);
  assert.deepEqual([result?.finding?.verdict, result?.attempt], ['passed', 2]);
  assert.equal(await events.ofResult(newId(), first.id), null, 'of another account');
});

test('a run of a lost process starts again without a second start', async (newStore) => {
  await using test = await PathUnderTest.open(newStore);
  const { added, claim, kinds, clock, queue } = opened(test);
  const { session, runs } = await added(1);
  await claim('one');
  clock.advance(leaseMs + 1);
  assert.deepEqual(await claim('two'), runs);
  assert.deepEqual(await kinds(session), ['1 run-start 1']);
  const lease = { location: 'local', owner: 'one', now: clock.now(), leaseMs };
  assert.deepEqual(await queue.renew(runs, lease), [runs[0]?.id], 'the first owner lost it');
});

onSqlite('cancelling ends what waits and runs, of the whole session or of one run', async (newStore) => {
  await using test = await PathUnderTest.open(newStore);
  const { sessions, added, claim, end, found, kinds } = opened(test);
  const { session, runs } = await added(3);
  const [, second] = runs;
  assert.ok(second !== undefined);
  const [leased] = await claim('one', 1);
  assert.equal(await sessions.cancel(newId(), session.id, null), false);
  assert.equal(await sessions.cancel(session.accountId, session.id, second.id), true);
  assert.equal(testSessionStatus(await found(session)), 'RUNNING');
  assert.equal(await sessions.cancel(session.accountId, session.id, null), true);
  const cancelled = await found(session);
  assert.equal(testSessionStatus(cancelled), 'CANCELLED');
  assert.ok(cancelled.runs.every(({ outcome }) => outcome === 'cancelled'));
  assert.ok(leased !== undefined);
  await end(leased, 'passed');
  assert.deepEqual(await kinds(session), ['1 run-start 1', '2 result 1', '3 result 1', '4 result 1']);
  assert.equal(await sessions.cancel(session.accountId, session.id, null), true, 'nothing is left to cancel');
});

test('an account has a bounded number of runs and sessions, takes turns, and its runs count', async (newStore) => {
  await using test = await PathUnderTest.open(newStore);
  const { sessions, added, sessionOf, runOf, claim, end } = opened(test);
  const other = newId();
  test.temp.raw
    .prepare('INSERT INTO accounts (id, name, execution_limit, created_at) VALUES (?, ?, ?, ?)')
    .run(Buffer.from(other.replaceAll('-', ''), 'hex'), 'Other', 1, 0);
  const { runs } = await added(4);
  const limited = sessionOf({ accountId: other });
  assert.equal(await sessions.add(limited, [runOf(limited, 0), runOf(limited, 1)]), 'over-limit');
  assert.equal(await sessions.add(limited, [runOf(limited, 0)]), 'added');
  const taken = await claim('one', 2);
  assert.deepEqual(new Set(taken.map(({ accountId }) => accountId)), new Set([test.accountId, other]));
  const large = sessionOf();
  const many = Array.from({ length: runsOfSession - 3 }, (_, position) => runOf(large, position));
  assert.equal(await sessions.add(large, many), 'full');
  for (const run of [...taken, ...(await claim('one'))]) await end(run, 'passed');
  assert.equal(test.one('SELECT count(*) FROM test_runs WHERE ended_at IS NULL'), 0);
  const first = runs[0]?.sessionId ?? '';
  const bytesOf = (id: string): Buffer => Buffer.from(id.replaceAll('-', ''), 'hex');
  const values = "(?, ?, 'Release', 'API', 1, 'local', '{}', 1, 1, 0, 0, 0, 0)";
  const columns =
    'account_id, id, name, provider, is_recorded, location, metadata, created_at, ended_at, open_runs, failed_runs, events, bytes';
  test.temp.raw
    .prepare(
      `INSERT INTO test_sessions (${columns}) VALUES ${Array.from({ length: sessionsKept }, () => values).join()}`,
    )
    .run(...Array.from({ length: sessionsKept }, () => [bytesOf(test.accountId), bytesOf(newId())]).flat());
  await added(1);
  assert.equal(await sessions.find(test.accountId, first), null, 'the oldest gave way');
  assert.equal(test.one("SELECT count(*) FROM test_sessions WHERE name = 'Release'"), sessionsKept + 1);
  assert.ok((await sessions.find(other, limited.id)) !== null, 'of the other account');
  test.temp.raw.prepare(`UPDATE test_sessions SET bytes = ${sessionBytesKept}`).run();
  await added(1);
  assert.equal(test.one('SELECT count(*) FROM test_sessions WHERE ended_at IS NOT NULL'), 1, 'only that of the other');
});

test('sessions are listed by what they say of themselves, and deleted in time', async (newStore) => {
  await using test = await PathUnderTest.open(newStore);
  const { sessions, added, claim, end, clock, found, kinds } = opened(test);
  const { session: stuck } = await added(1, { suiteId: null, metadata: {} });
  clock.advance(sessionMs + 1);
  assert.equal(await sessions.removeOld(clock.now()), 1);
  assert.deepEqual([testSessionStatus(await found(stuck)), await kinds(stuck)], ['CANCELLED', ['1 result 1']]);
  const { session: recorded } = await added(1, { name: 'Nightly' });
  const { session: unrecorded } = await added(1, { isRecorded: false });
  for (const run of await claim('one')) await end(run, 'failed');
  const list = async (filter: Parameters<typeof sessions.list>[1], after: string | null = null) =>
    (await sessions.list(test.accountId, filter, after, 10)).map(({ id }) => id);
  assert.deepEqual(await list({}), [recorded.id, stuck.id]);
  assert.deepEqual(await list({}, recorded.id), [stuck.id]);
  assert.deepEqual(await list({ statuses: ['FAILED'], branches: ['main'], providers: ['API'] }), [recorded.id]);
  assert.deepEqual(await list({ statuses: ['CANCELLED'] }), [stuck.id]);
  assert.deepEqual(await list({ text: 'nightLY' }), [recorded.id]);
  assert.deepEqual(await list({ from: recorded.createdAt, to: recorded.createdAt }), []);
  const followed = async (accountId: string, suite: string | null, since: number) =>
    (await sessions.followed(accountId, suite, since)).map(({ id, events }) => [id, events]);
  const both = [recorded.id, unrecorded.id].map((id) => [id, 2]);
  assert.deepEqual(await followed(test.accountId, 'suite', clock.now() + 1), both);
  assert.deepEqual(await followed(test.accountId, null, recorded.createdAt), both);
  assert.deepEqual(await followed(test.accountId, null, recorded.createdAt + 1), []);
  assert.deepEqual(await followed(newId(), 'suite', 0), []);
  clock.advance(unrecordedMs + 1);
  await sessions.removeOld(clock.now());
  assert.equal(await sessions.find(test.accountId, unrecorded.id), null);
  clock.advance(recordedMs);
  await sessions.removeOld(clock.now());
  assert.equal(test.one('SELECT count(*) FROM test_events'), 0);
  assert.equal(test.one('SELECT count(*) FROM test_runs'), 0);
});

test('check sessions are started together, found by their account, and deleted after their retention', async (newStore) => {
  await using test = await PathUnderTest.open(newStore);
  const { clock } = test.temp;
  const { checkSessions } = test.temp.store;
  const saved = await test.add({ name: 'Shop' });
  const order = { accountId: test.accountId, checkIds: [saved.id], servedLocations: ['local'], now: clock.now() };
  const started = await checkSessions.start(order);
  assert.equal(started.outcome, 'started');
  const [session] = started.outcome === 'started' ? started.sessions : [];
  assert.ok(session !== undefined);
  assert.deepEqual(
    session.runs.map(({ location }) => location),
    ['local'],
  );
  assert.deepEqual(await checkSessions.find(test.accountId, session.id), session);
  assert.equal(await checkSessions.find(newId(), session.id), null);
  assert.equal(await checkSessions.cancel(newId(), session.id), false);
  assert.equal(await checkSessions.cancel(test.accountId, session.id), true);
  const none = await checkSessions.start({ ...order, accountId: newId() });
  assert.deepEqual(none.outcome === 'started' && none.sessions, [], 'of another account');
  clock.advance(30 * 86_400_000 + 1);
  assert.equal(await checkSessions.removeOld(clock.now()), 1);
});
