// Pings beyond the allowance of their address, on both engines: none of them changes what a check comes to (docs/decisions/0090).
import assert from 'node:assert/strict';
import { createPingAllowance, createPingActions, type PingActions, type PingFate } from '#actions/heartbeats/pings.ts';
import { Refusal } from '#actions/refusal.ts';
import type { PingAnswer, ReceivedPing } from '#store/path/heartbeats/receive-pings.ts';
import { onSqlite, test } from '../support/store/each-engine.ts';
import { HeartbeatUnderTest, minute } from './heartbeat-under-test.ts';

/** The address of a heartbeat, behind the allowance of the product; it answers with what became of the call. */
function addressOf({ test, token }: HeartbeatUnderTest) {
  const fates: PingFate[] = [];
  const gone = (): AbortSignal => new AbortController().signal;
  const { clock } = test.temp;
  const receive = async (ping: ReceivedPing): Promise<PingAnswer> =>
    (await test.path.receivePings([ping]))[0] ?? { outcome: 'unknown' };
  const pings: PingActions = createPingActions({
    allowance: createPingAllowance(60, () => clock.now()),
    receive,
    clock,
    wake: () => undefined,
    onAnswered: (_, fate) => fates.push(fate),
  });
  return async (signal: string | null = null): Promise<PingFate | undefined> => {
    const call = { token, signal, method: 'GET', source: null, userAgent: null, body: null, gone };
    await pings.receive(call).catch((error: unknown) => assert.ok(error instanceof Refusal, String(error)));
    return fates.at(-1);
  };
}

onSqlite(
  'a job that called too often, and stopped with a call that was refused, is not late a period later',
  async (newStore) => {
    await using beat = await HeartbeatUnderTest.open(newStore);
    const ping = addressOf(beat);
    for (let call = 0; call < 60; call++) assert.equal(await ping(), 'kept');
    assert.equal(await ping(), 'refused');
    beat.test.temp.clock.advance(1000);
    assert.equal(await ping(), 'kept');
    // As far behind one that was kept as it can be.
    beat.test.temp.clock.advance(999);
    assert.equal(await ping(), 'refused');
    // Its next call comes as late as period and grace allow after the one that was refused.
    await beat.after(15 * minute);
    assert.deepEqual([beat.outcomes(), beat.alerts()], [['passed'], []]);
    assert.equal(await ping(), 'kept');
    await beat.judge();
    assert.deepEqual([beat.outcomes(), beat.alerts()], [['passed', 'passed'], []]);
    assert.equal(beat.test.one('SELECT count(*) FROM pings'), 62, 'and what was refused fills no table');
  },
);

test('a failure is heard through a flood of pings, and so are the start and the end of a job', async (newStore) => {
  await using beat = await HeartbeatUnderTest.open(newStore);
  const ping = addressOf(beat);
  const flood = async (): Promise<void> => {
    for (let call = 0; call < 100; call++) await ping();
    assert.equal(await ping(), 'refused');
  };
  await flood();
  assert.deepEqual([await ping('start'), await ping('log'), await ping('3')], ['kept', 'kept', 'kept']);
  await flood();
  await beat.judge();
  assert.deepEqual([beat.outcomes(), beat.alerts()], [['passed', 'failed'], ['ALERT_FAILURE']]);
  // The flood goes on: within two seconds one of it ends the failure.
  for (let step = 0; step < 2; step++) {
    beat.test.temp.clock.advance(1000);
    await flood();
  }
  await beat.judge();
  assert.deepEqual(beat.alerts(), ['ALERT_FAILURE', 'ALERT_RECOVERY']);
});

onSqlite('a flood of failures is one failure, and a success after it is heard', async (newStore) => {
  await using beat = await HeartbeatUnderTest.open(newStore);
  const ping = addressOf(beat);
  const fates: unknown[] = [];
  for (let call = 0; call < 200; call++) fates.push(await ping('fail'));
  assert.equal(fates.filter((fate) => fate === 'kept').length, 60);
  await beat.judge();
  assert.deepEqual([beat.outcomes(), beat.alerts()], [['failed'], ['ALERT_FAILURE']]);
  beat.test.temp.clock.advance(1000);
  assert.equal(await ping('0'), 'kept');
  await beat.judge();
  assert.deepEqual(beat.alerts(), ['ALERT_FAILURE', 'ALERT_RECOVERY']);
});
