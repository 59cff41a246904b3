// Several processes that send to one channel over PostgreSQL (docs/decisions/0014).
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { idBytes } from '#store/base/codec.ts';
import { sharedPostgres } from '../support/postgres/shared-postgres.ts';
import { openTempPostgres } from '../support/store/temp-store.ts';
import { PathUnderTest } from './path-under-test.ts';

const server = await sharedPostgres();

describe('several processes that deliver', () => {
  it('find deliveries to settle and renew by key, not by scanning all in progress', async () => {
    await using test = await PathUnderTest.open((at) => openTempPostgres(server, at));
    const { raw } = test.temp;
    await test.channel(await test.check());
    await test.runAll('failed');
    raw.exec('CREATE TABLE more AS SELECT d.* FROM deliveries d, generate_series(1, 299)');
    raw.exec(`UPDATE more SET check_id = NULL, id = decode(md5(random()::text), 'hex')`);
    raw.exec('INSERT INTO deliveries SELECT * FROM more');
    raw.exec(`INSERT INTO delivery_requests (account_id, delivery_id, request)
      SELECT m.account_id, m.id, r.request FROM more m, delivery_requests r`);
    // The server plans with statistics from before any delivery was in progress.
    raw.exec('ANALYZE');
    const claimed = [];
    for (let claim = 0; claim < 3; claim++) claimed.push(...(await test.claimDeliveries('one', () => 300)));
    assert.equal(claimed.length, 300);
    const scanLimit =
      'SELECT coalesce(sum(idx_tup_read), 0) AS entries FROM pg_stat_user_indexes WHERE indexrelname = ?';
    for (const each of claimed.slice(0, 100)) assert.deepEqual(await test.settle(each, 200), [true]);
    const rest = claimed.slice(100).map(({ delivery }) => delivery);
    await test.path.renewDeliveries(rest, { owner: 'one', now: test.now, leaseMs: 10_000 });
    // What a connection has done is counted when it ends.
    await test.temp.rest();
    const { entries } = raw.prepare(scanLimit).get('deliveries_leased') ?? {};
    // A renewal looks once for what processes have left behind.
    assert.ok(Number(entries) <= 1000, `${String(entries)} entries in progress were read`);
  });

  it('send at most four deliveries of a channel together, and those of one check in order', async () => {
    await using test = await PathUnderTest.open((at) => openTempPostgres(server, at));
    const first = await test.check();
    const channel = await test.channel(first);
    const others: string[] = [];
    for (let more = 0; more < 7; more++) {
      const checkId = await test.check();
      others.push(checkId);
      const subscription = { checkId, groupId: null, activated: true };
      await test.temp.store.alertChannels.subscribe(test.accountId, channel, subscription);
    }
    await test.runAll('failed');
    const claim = (owner: string, own = 0) => test.claimDeliveries(owner, () => 4 - own, true);
    const taken = (await Promise.all(['one', 'two', 'three'].map((owner) => claim(owner)))).flat();
    // Who comes while another takes finds nothing, and looks again.
    assert.ok(taken.length >= 1 && taken.length <= 4, `${taken.length} at once`);
    const [holder = 'one'] = test
      .rows('SELECT leased_by AS owner FROM deliveries WHERE leased_by IS NOT NULL')
      .map(({ owner }) => String(owner));
    const other = holder === 'one' ? 'two' : 'one';
    taken.push(...(await claim(holder, taken.length)));
    assert.equal(taken.length, 4);
    assert.deepEqual(await claim(other), [], 'four are in progress');

    // The check of one in progress recovers: the recovery waits for that attempt, in any process.
    test.temp.clock.advance(10);
    const [held, ended] = taken;
    assert.ok(held !== undefined && ended !== undefined);
    assert.deepEqual(await test.settle(ended, 200, holder), [true]);
    test.temp.raw
      .prepare(
        `UPDATE deliveries SET check_id = ?, next_attempt_at = next_attempt_at - 1000
         WHERE id = (SELECT id FROM deliveries WHERE status = 0 AND leased_by IS NULL LIMIT 1)`,
      )
      .run(idBytes(held.delivery.checkId ?? ''));
    const [beside] = await claim(other);
    assert.ok(
      beside !== undefined && beside.delivery.checkId !== held.delivery.checkId,
      'the place is for other checks',
    );
    assert.deepEqual(await claim(other, 1), [], 'four are in progress again');
    assert.deepEqual(await test.settle(held, 500, holder), [true]);
    const [next] = await claim(other, 1);
    assert.equal(next?.delivery.checkId, held.delivery.checkId);
  });
});
