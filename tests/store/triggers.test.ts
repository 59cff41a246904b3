// Triggers: which runs a call starts, what it counts, and the path of the token.
import assert from 'node:assert/strict';
import { Refusal } from '#actions/refusal.ts';
import { createTriggerCallActions } from '#actions/checks/trigger-calls.ts';
import { createTriggerActions } from '#actions/checks/triggers.ts';
import type { Caller } from '#domain/accounts/api-key.ts';
import type { Outcome } from '#domain/results/result.ts';
import { newId } from '#lib/id.ts';
import { idBytes, idText } from '#store/base/codec.ts';
import { onSqlite, test } from '../support/store/each-engine.ts';
import type { RawRows } from '../support/store/raw-rows.ts';
import { putAccount, putCheck, putGroup, putResult } from '../support/store/rows.ts';
import type { TempStore } from '../support/store/temp-store.ts';

function open({ store, clock }: TempStore, stopping = new AbortController().signal) {
  const hints = new Set<() => void>();
  let woken = 0;
  const deps = {
    triggers: store.triggers,
    triggerCalls: store.triggerCalls,
    batches: store.batches,
    links: { link: (_: string, checkId: string) => `http://tocsin.test/results/${checkId}` },
    servedLocations: () => ['local', 'eu'],
    wake: () => {
      woken++;
    },
    clock,
    stopping,
    resultHints: (wake: () => void) => {
      hints.add(wake);
      return () => hints.delete(wake);
    },
  };
  return {
    triggers: createTriggerActions(deps),
    calls: createTriggerCallActions(deps),
    hint: () => {
      for (const wake of hints) wake();
    },
    isWaited: () => hints.size > 0,
    woken: () => woken,
  };
}

const callerOf = (accountId: string, role: Caller['role'] = 'read-run'): Caller => ({
  principal: { kind: 'api-key', id: newId() },
  role,
  accountId,
  accountIds: [accountId],
});
const group = (groupId: number) => ({ groupId, checkId: null });
const runRows = (raw: RawRows) => raw.prepare('SELECT * FROM runs ORDER BY id').all();
const refusedWith = (code: string) => (error: unknown) => error instanceof Refusal && error.code === code;

/** Ends every open run as the step `run-checks` would. */
function closeRuns({ raw }: TempStore, outcomeOf: (checkId: string) => Outcome): void {
  for (const row of runRows(raw)) {
    const checkId = idText(row['check_id'] as Uint8Array);
    const [accountId, id] = [idText(row['account_id'] as Uint8Array), idText(row['id'] as Uint8Array)];
    raw.exec('BEGIN');
    raw.prepare('DELETE FROM runs WHERE id = ?').run(row['id'] as Uint8Array);
    const outcome = outcomeOf(checkId);
    putResult(raw, accountId, checkId, 5, {
      id,
      outcome,
      responseUs: outcome === 'missed' ? null : 41_600,
      location: String(row['location']),
    });
    raw.exec('COMMIT');
  }
}

/** Goes on when `isSo`. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise(setImmediate);
}

onSqlite(
  'the first call makes the trigger, later ones use it, and each starts every activated check of the group',
  async (newStore) => {
    await using temp = await newStore();
    const accountId = putAccount(temp.raw);
    putGroup(temp.raw, accountId, 1);
    putGroup(temp.raw, accountId, 2);
    putCheck(temp.raw, accountId, { groupId: 1 });
    putCheck(temp.raw, accountId, { groupId: 1 });
    putCheck(temp.raw, accountId, { groupId: 1, activated: false });
    putCheck(temp.raw, accountId, { groupId: 1, checkType: 'HEARTBEAT' });
    putCheck(temp.raw, accountId, { groupId: 2 });
    const { triggers, woken } = open(temp);
    const { call: firstCall, ...first } = await triggers.call(callerOf(accountId), group(1), null);
    const madeAt = temp.clock.now();
    assert.deepEqual(
      firstCall?.runIds.toSorted(),
      runRows(temp.raw).map((row) => idText(row['id'] as Uint8Array)),
    );
    assert.deepEqual(
      { ...first, token: '' },
      { accountId, id: 1, token: '', groupId: 1, checkId: null, createdAt: madeAt, calledAt: madeAt, updatedAt: null },
    );
    assert.match(first.token, /^[\w-]{22,}$/);
    assert.equal(runRows(temp.raw).length, 2);
    temp.clock.advance(60_000);
    const { call: _, ...second } = await triggers.call(callerOf(accountId), group(1), null);
    assert.deepEqual(second, { ...first, calledAt: madeAt + 60_000 });
    assert.equal(runRows(temp.raw).length, 4);
    assert.equal(woken(), 2);
    const other = await triggers.call(callerOf(accountId), group(2), null);
    assert.deepEqual([other.id, other.token === first.token], [2, false]);
    assert.deepEqual(await triggers.find(callerOf(accountId), group(1)), second);
  },
);

test('a run started so is due at once, on demand, and counted', async (newStore) => {
  await using temp = await newStore();
  const accountId = putAccount(temp.raw);
  putGroup(temp.raw, accountId, 1);
  const checkId = putCheck(temp.raw, accountId, { groupId: 1 });
  const now = temp.clock.now();
  await open(temp).triggers.call(callerOf(accountId), group(1), null);
  const [row] = runRows(temp.raw);
  assert.deepEqual(
    { ...row, id: null, batch_id: null },
    {
      account_id: new Uint8Array(idBytes(accountId)),
      id: null,
      check_id: new Uint8Array(idBytes(checkId)),
      location: 'local',
      source: 1,
      slot_at: null,
      interval_ms: null,
      attempt: 1,
      due_at: now,
      first_started_at: null,
      batch_id: null,
      available_at: now,
      leased_by: null,
      held_back: null,
    },
  );
  assert.equal((await temp.store.accounts.usage(accountId, now))?.used, 1);
  const counts = temp.raw.prepare('SELECT hour, scheduled, on_demand FROM account_counts').get();
  assert.deepEqual({ ...counts }, { hour: Math.floor(now / 3_600_000), scheduled: 0, on_demand: 1 });
});

test('a parallel check runs at all its locations, a round-robin one where its turn is; at an unavailable location the run waits', async (newStore) => {
  await using temp = await newStore();
  const accountId = putAccount(temp.raw);
  putGroup(temp.raw, accountId, 1);
  const locations = ['local', 'eu'];
  putCheck(temp.raw, accountId, { groupId: 1, locations, runParallel: true, createdAt: 1 });
  putCheck(temp.raw, accountId, { groupId: 1, locations, createdAt: 2 });
  putCheck(temp.raw, accountId, { groupId: 1, locations: ['mars'], createdAt: 3 });
  // Its slots go round: the next minute is the second location's.
  temp.clock.advance(60_000);
  await open(temp).triggers.call(callerOf(accountId), group(1), null);
  const seen = temp.raw
    .prepare('SELECT location FROM runs r JOIN checks c ON c.id = r.check_id ORDER BY c.created_at, location DESC')
    .all();
  assert.deepEqual(
    seen.map((row) => row['location']),
    ['local', 'eu', 'eu', 'mars'],
  );
});

onSqlite('a limit of 5 and a group of 6: refused with the figures, and none starts', async (newStore) => {
  await using temp = await newStore();
  const accountId = putAccount(temp.raw, 5);
  putGroup(temp.raw, accountId, 1);
  for (let index = 0; index < 6; index++) putCheck(temp.raw, accountId, { groupId: 1 });
  const { triggers } = open(temp);
  await assert.rejects(triggers.call(callerOf(accountId), group(1), 'k'), (error: unknown) => {
    assert.ok(error instanceof Refusal);
    assert.deepEqual([error.code, error.attributes], ['limit', { limit: 5, used: 0, wanted: 6 }]);
    return true;
  });
  assert.equal(runRows(temp.raw).length, 0);
  await assert.rejects(triggers.find(callerOf(accountId), group(1)), refusedWith('not-found'));
  assert.equal((await temp.store.accounts.usage(accountId, temp.clock.now()))?.used, 0);
  temp.raw.prepare('UPDATE accounts SET execution_limit = 6').run();
  await triggers.call(callerOf(accountId), group(1), 'k');
  assert.equal(runRows(temp.raw).length, 6);
  await assert.rejects(triggers.call(callerOf(accountId), group(1), null), refusedWith('limit'));
});

test('a repeat with the same idempotency key starts nothing for 24 hours, for the same group only', async (newStore) => {
  await using temp = await newStore();
  const accountId = putAccount(temp.raw);
  const foreign = putAccount(temp.raw);
  for (const owner of [accountId, foreign]) {
    putGroup(temp.raw, owner, 1);
    putCheck(temp.raw, owner, { groupId: 1 });
  }
  putGroup(temp.raw, accountId, 2);
  const checkId = putCheck(temp.raw, accountId, { groupId: 2 });
  const { triggers } = open(temp);
  const caller = callerOf(accountId);
  const first = await triggers.call(caller, group(1), 'retry');
  temp.clock.advance(86_399_999);
  assert.deepEqual(await triggers.call(caller, group(1), 'retry'), first);
  assert.equal(runRows(temp.raw).length, 1);
  await triggers.call(caller, group(2), 'retry');
  await triggers.call(caller, { groupId: null, checkId }, 'retry');
  await triggers.call(callerOf(foreign), group(1), 'retry');
  assert.equal(runRows(temp.raw).length, 4);
  temp.clock.advance(1);
  assert.notDeepEqual(await triggers.call(caller, group(1), 'retry'), first);
  assert.equal(runRows(temp.raw).length, 5);
});

test('two calls at once with one idempotency key start the group once', async (newStore) => {
  await using temp = await newStore();
  const accountId = putAccount(temp.raw);
  putGroup(temp.raw, accountId, 1);
  putCheck(temp.raw, accountId, { groupId: 1 });
  const { triggers } = open(temp);
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => triggers.call(callerOf(accountId), group(1), 'double click')),
  );
  for (const answer of answers) assert.deepEqual(answer, answers[0]);
  assert.equal(runRows(temp.raw).length, 1);
});

test('groups that do not exist or belong to another account are not found', async (newStore) => {
  await using temp = await newStore();
  const accountId = putAccount(temp.raw);
  const foreign = putAccount(temp.raw);
  putGroup(temp.raw, foreign, 1);
  const checkId = putCheck(temp.raw, foreign, { groupId: 1 });
  const { triggers } = open(temp);
  const caller = callerOf(accountId, 'admin');
  for (const target of [group(1), group(99), { groupId: null, checkId }]) {
    await assert.rejects(triggers.call(caller, target, null), refusedWith('not-found'));
    await assert.rejects(triggers.find(caller, target), refusedWith('not-found'));
    await assert.rejects(triggers.remove(caller, target), refusedWith('not-found'));
  }
});

onSqlite('a key that may only read cannot start checks, nor see the token that would', async (newStore) => {
  await using temp = await newStore();
  const accountId = putAccount(temp.raw);
  putGroup(temp.raw, accountId, 1);
  const { triggers } = open(temp);
  await triggers.call(callerOf(accountId), group(1), null);
  await assert.rejects(triggers.call(callerOf(accountId, 'read-only'), group(1), null), refusedWith('forbidden'));
  await assert.rejects(triggers.find(callerOf(accountId, 'read-only'), group(1)), refusedWith('forbidden'));
  await assert.rejects(triggers.remove(callerOf(accountId), group(1)), refusedWith('forbidden'));
});

onSqlite('a removed trigger is dead, and the next call makes another', async (newStore) => {
  await using temp = await newStore();
  const accountId = putAccount(temp.raw);
  putGroup(temp.raw, accountId, 1);
  const { triggers, calls } = open(temp);
  const first = await triggers.call(callerOf(accountId), group(1), null);
  await triggers.remove(callerOf(accountId, 'read-write'), group(1));
  const signal = new AbortController().signal;
  await assert.rejects(calls.callGroup(1, first.token, { maxWaitSeconds: 1, signal }), refusedWith('not-found'));
  const second = await triggers.call(callerOf(accountId), group(1), null);
  assert.notEqual(second.id, first.id);
  assert.notEqual(second.token, first.token);
});

test('500 checks of a group are due at one moment, at each call', async (newStore) => {
  await using temp = await newStore();
  const accountId = putAccount(temp.raw);
  putGroup(temp.raw, accountId, 1);
  temp.raw.exec('BEGIN');
  for (let index = 0; index < 500; index++) putCheck(temp.raw, accountId, { groupId: 1 });
  temp.raw.exec('COMMIT');
  const { triggers } = open(temp);
  for (let call = 0; call < 3; call++) {
    await triggers.call(callerOf(accountId), group(1), null);
    temp.clock.advance(1000);
  }
  const byMoment = Map.groupBy(temp.raw.prepare('SELECT due_at FROM runs').all(), (row) => Number(row['due_at']));
  assert.deepEqual(
    [...byMoment.values()].map((runs) => runs.length),
    [500, 500, 500],
  );
});

test('a call by token waits for all checks of the group and tells which failed', async (newStore) => {
  await using temp = await newStore();
  const accountId = putAccount(temp.raw);
  putGroup(temp.raw, accountId, 7);
  const good = putCheck(temp.raw, accountId, { groupId: 7, name: 'good', createdAt: 1 });
  const bad = putCheck(temp.raw, accountId, { groupId: 7, name: 'bäd', createdAt: 2 });
  const unseen = putCheck(temp.raw, accountId, { groupId: 7, name: 'unseen', createdAt: 3 });
  const { triggers, calls, hint, isWaited } = open(temp);
  const { token } = await triggers.call(callerOf(accountId), group(7), null);
  closeRuns(temp, () => 'passed');
  temp.clock.advance(1000);
  const answer = calls.callGroup(7, token, { maxWaitSeconds: 30, signal: new AbortController().signal });
  await until(() => isWaited() && runRows(temp.raw).length === 3);
  const failed = (checkId: string) => ({ message: '', resultLink: `http://tocsin.test/results/${checkId}` });
  const outcomes: Record<string, Outcome> = { [good]: 'degraded', [bad]: 'failed', [unseen]: 'missed' };
  closeRuns(temp, (checkId) => outcomes[checkId] ?? 'passed');
  hint();
  assert.deepEqual(await answer, [
    { checkId: good, name: 'good', hasFailures: false, responseTime: 42 },
    { checkId: bad, name: 'bäd', hasFailures: true, responseTime: 42, ...failed(bad) },
    { checkId: unseen, name: 'unseen', hasFailures: true, responseTime: 0, ...failed(unseen) },
  ]);
  assert.equal((await triggers.find(callerOf(accountId), group(7))).calledAt, temp.clock.now());
  assert.equal(isWaited(), false);
});

onSqlite('a call by token finds the verdict by looking, when no hint comes', async (newStore) => {
  await using temp = await newStore();
  const accountId = putAccount(temp.raw);
  const checkId = putCheck(temp.raw, accountId, { name: 'alone' });
  const { triggers, calls, isWaited } = open(temp);
  const { token } = await triggers.call(callerOf(accountId), { groupId: null, checkId }, null);
  closeRuns(temp, () => 'passed');
  const answer = calls.callCheck(checkId, token, { maxWaitSeconds: 30, signal: new AbortController().signal });
  await until(() => isWaited() && runRows(temp.raw).length === 1);
  closeRuns(temp, () => 'passed');
  assert.deepEqual(await answer, { checkId, name: 'alone', hasFailures: false, responseTime: 42 });
});

test('a call by token ends when time is up, and when the client goes away', async (newStore) => {
  await using temp = await newStore();
  const accountId = putAccount(temp.raw);
  putGroup(temp.raw, accountId, 1);
  putCheck(temp.raw, accountId, { groupId: 1 });
  const { triggers, calls, isWaited } = open(temp);
  const { token } = await triggers.call(callerOf(accountId), group(1), null);
  const signal = new AbortController().signal;
  await assert.rejects(calls.callGroup(1, token, { maxWaitSeconds: 0.05, signal }), refusedWith('timeout'));
  const gone = new AbortController();
  const answer = calls.callGroup(1, token, { maxWaitSeconds: 600, signal: gone.signal });
  await until(isWaited);
  gone.abort();
  await assert.rejects(answer, refusedWith('timeout'));
  assert.equal(isWaited(), false);
});

test('a call by token does not hold up a process that stops', async (newStore) => {
  await using temp = await newStore();
  const accountId = putAccount(temp.raw);
  putGroup(temp.raw, accountId, 1);
  putCheck(temp.raw, accountId, { groupId: 1 });
  const stop = new AbortController();
  const { triggers, calls, isWaited } = open(temp, stop.signal);
  const { token } = await triggers.call(callerOf(accountId), group(1), null);
  const answer = calls.callGroup(1, token, { maxWaitSeconds: 600, signal: new AbortController().signal });
  await until(isWaited);
  stop.abort();
  await assert.rejects(answer, refusedWith('unavailable'));
});

onSqlite('a token works for its own group only, ten times a minute', async (newStore) => {
  await using temp = await newStore();
  const accountId = putAccount(temp.raw);
  putGroup(temp.raw, accountId, 1);
  putGroup(temp.raw, accountId, 2);
  const { triggers, calls } = open(temp);
  const { token } = await triggers.call(callerOf(accountId), group(1), null);
  const call = { maxWaitSeconds: 1, signal: new AbortController().signal };
  await assert.rejects(calls.callGroup(2, token, call), refusedWith('not-found'));
  await assert.rejects(calls.callCheck(newId(), token, call), refusedWith('not-found'));
  await assert.rejects(calls.callGroup(1, 'x'.repeat(32), call), refusedWith('not-found'));
  // Refused for another reason, they count all the same.
  for (let index = 0; index < 10; index++) {
    await assert.rejects(calls.callGroup(1, token, call), refusedWith('conflict'));
  }
  await assert.rejects(calls.callGroup(1, token, call), (error: unknown) => {
    assert.ok(error instanceof Refusal);
    assert.deepEqual([error.code, error.retryAfterSeconds], ['too-many', 60]);
    return true;
  });
  temp.clock.advance(60_000);
  await assert.rejects(calls.callGroup(1, token, call), refusedWith('conflict'));
});
