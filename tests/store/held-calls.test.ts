// Calls by token while their account is on its way to another installation, on both engines: they wait, and are then answered
// as if they had come afterwards (docs/decisions/0109).
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { createHeldCalls, type HoldBounds } from '#actions/held-calls.ts';
import { createMovedAccounts } from '#actions/moved-accounts.ts';
import { createPingAllowance } from '#actions/ping-allowance.ts';
import { createPingActions, type PingFate } from '#actions/pings.ts';
import { Refusal } from '#actions/refusal.ts';
import { createTriggerCallActions } from '#actions/trigger-calls.ts';
import type { MoveState } from '#domain/account-move.ts';
import { newId } from '#lib/id.ts';
import { idBytes } from '#store/codec.ts';
import type { PingAnswer, ReceivedPing } from '#store/receive-pings.ts';
import { test } from '../support/each-engine.ts';
import { putCheck, putGroup } from '../support/rows.ts';
import { until } from '../support/until.ts';
import { HeartbeatUnderTest } from './heartbeat-under-test.ts';

const place = 'http://elsewhere.test';
const quick: HoldBounds = { mostMs: 30_000, most: 1000, lookMs: 20 };
const never = new AbortController().signal;

/** An account with a heartbeat and a trigger, and calls of both. */
function callsTo(beat: HeartbeatUnderTest, bounds: HoldBounds, stopping = never) {
  const { temp, accountId } = beat.test;
  const { raw, store, clock } = temp;
  let looks = 0;
  const all = () => {
    looks++;
    return store.accountMoves.all();
  };
  const heldCalls = createHeldCalls({ movedAccounts: createMovedAccounts({ all }, clock), stopping, bounds });
  const fates: PingFate[] = [];
  const receive = async (ping: ReceivedPing): Promise<PingAnswer> =>
    (await beat.test.path.receivePings([ping]))[0] ?? { outcome: 'unknown' };
  const pings = createPingActions({
    allowance: createPingAllowance(60),
    receive,
    heldCalls,
    clock,
    wake: () => undefined,
    onAnswered: (_, fate) => fates.push(fate),
  });
  const triggerCalls = createTriggerCallActions({
    triggers: store.triggers,
    triggerCalls: store.triggerCalls,
    batches: store.batches,
    links: { link: () => '' },
    servedLocations: () => ['local'],
    wake: () => undefined,
    clock,
    heldCalls,
    resultHints: () => () => undefined,
  });
  return {
    fates,
    looks: () => looks,
    count: (table: 'pings' | 'runs') => Number(beat.test.one(`SELECT count(*) FROM ${table}`)),
    move(state: MoveState | null): void {
      raw.prepare('DELETE FROM account_moves WHERE account_id = ?').run(idBytes(accountId));
      if (state === null) return;
      raw
        .prepare(`INSERT INTO account_moves (account_id, move_id, state, place, renewed_at) VALUES (?, ?, ?, ?, ?)`)
        .run(idBytes(accountId), idBytes(newId()), state, state === 'left' ? place : null, clock.now());
    },
    ping: (signal: string | null = null, client = never) =>
      fateOf(
        pings.receive({
          token: beat.token,
          signal,
          method: 'GET',
          source: null,
          userAgent: null,
          body: null,
          gone: () => client,
        }),
      ),
    trigger: (token: string, maxWaitSeconds = 60, signal = never) =>
      fateOf(triggerCalls.callGroup(1, token, { maxWaitSeconds, signal })),
  };
}

/** `done`, the code of a refusal, or where it says that the account lives. */
async function fateOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'done';
  } catch (error) {
    assert.ok(error instanceof Refusal, String(error));
    if (error.code === 'unavailable') assert.equal(error.retryAfterSeconds, 5);
    const movedTo = error.attributes?.['movedTo'];
    return typeof movedTo === 'string' ? movedTo : error.code;
  }
}

/** The token of a group with one check. */
async function makeTrigger({ test: { temp, accountId } }: HeartbeatUnderTest): Promise<string> {
  putGroup(temp.raw, accountId, 1);
  const order = { accountId, target: { groupId: 1, checkId: null }, idempotencyKey: null };
  const started = await temp.store.triggers.start({
    ...order,
    newToken: newId(),
    servedLocations: ['local'],
    now: temp.clock.now(),
  });
  assert.ok(started.outcome === 'started');
  // It had nothing to start yet.
  putCheck(temp.raw, accountId, { groupId: 1 });
  return started.trigger.token;
}

/** What is answered so far. */
async function answered(calls: readonly Promise<string>[]): Promise<readonly string[]> {
  const none = Promise.resolve('held');
  return Promise.all(calls.map((call) => Promise.race([call, none])));
}

test('a ping and a trigger call that come while their account is on its way wait, and are taken once when it stays', async (newStore) => {
  await using beat = await HeartbeatUnderTest.open(newStore);
  const on = callsTo(beat, quick);
  const token = await makeTrigger(beat);
  const client = new AbortController();
  on.move('leaving');
  const leaving = [on.ping('fail', client.signal), on.trigger(token, 60, client.signal)];
  // The trigger waits for its verdict once it has started: nobody runs it here.
  const waiting = new AbortController();
  const staying = [on.ping(), on.ping(), on.trigger(token, 60, waiting.signal)];
  const begun = on.looks();
  await until('some looks', () => on.looks() > begun + 10);
  on.move('handing');
  const later = on.looks();
  await until('some more', () => on.looks() > later + 2);
  assert.deepEqual(await answered([...leaving, ...staying]), ['held', 'held', 'held', 'held', 'held']);
  assert.deepEqual([on.count('pings'), on.count('runs')], [0, 0]);

  client.abort();
  assert.deepEqual(await Promise.all(leaving), ['unavailable', 'unavailable']);
  on.move(null);
  assert.deepEqual(await Promise.all(staying.slice(0, 2)), ['done', 'done']);
  await until('the run', () => on.count('runs') > 0);
  waiting.abort();
  assert.equal(await staying[2], 'timeout');
  assert.deepEqual([on.count('pings'), on.count('runs')], [2, 1], 'of who went away nothing is left');
  assert.deepEqual(on.fates, ['elsewhere', 'kept', 'kept']);

  const looked = on.looks();
  await sleep(10 * quick.lookMs);
  assert.equal(on.looks(), looked, 'nobody looks while nobody waits');
});

test('what waited while its account left is shown the way, and is not kept where it was', async (newStore) => {
  await using beat = await HeartbeatUnderTest.open(newStore);
  const on = callsTo(beat, quick);
  const token = await makeTrigger(beat);
  on.move('handing');
  const calls = [...Array.from({ length: 20 }, () => on.ping('3')), on.trigger(token)];
  await until('some looks', () => on.looks() > 3);
  assert.ok((await answered(calls)).every((fate) => fate === 'held'));
  on.move('left');
  assert.deepEqual(new Set(await Promise.all(calls)), new Set([place]));
  assert.deepEqual([on.count('pings'), on.count('runs')], [0, 0]);
});

test('so many wait at once and no longer than is said, no trigger longer than it was to take, and none when the process stops', async (newStore) => {
  await using beat = await HeartbeatUnderTest.open(newStore);
  const token = await makeTrigger(beat);
  const few = callsTo(beat, { ...quick, most: 2 });
  few.move('handing');
  const first = [few.ping(), few.ping()];
  await until('both to be held', () => few.looks() > 3);
  assert.equal(await few.ping(), 'unavailable');
  assert.deepEqual(await answered(first), ['held', 'held'], 'the third was refused before them');
  few.move(null);
  assert.deepEqual(await Promise.all(first), ['done', 'done']);

  const short = callsTo(beat, { ...quick, mostMs: 300 });
  short.move('handing');
  const begunAt = performance.now();
  assert.deepEqual(await Promise.all([short.ping(), short.ping()]), ['unavailable', 'unavailable']);
  const waitedMs = performance.now() - begunAt;
  assert.ok(waitedMs > 290 && waitedMs < 20_000, `${waitedMs} ms`);

  const stopping = new AbortController();
  const long = callsTo(beat, quick, stopping.signal);
  const calledAt = performance.now();
  assert.equal(await long.trigger(token, 1), 'unavailable');
  const tookMs = performance.now() - calledAt;
  assert.ok(tookMs > 900 && tookMs < 20_000, `${tookMs} ms`);
  const looked = long.looks();
  const held = long.ping();
  await until('it to be held', () => long.looks() > looked + 3);
  const stoppedAt = performance.now();
  stopping.abort();
  assert.deepEqual([await held, await long.ping()], ['unavailable', 'unavailable']);
  assert.ok(performance.now() - stoppedAt < 20_000, 'neither waits for its time to be over');
  assert.equal(long.count('pings'), 2, 'those of the first two alone');
});
