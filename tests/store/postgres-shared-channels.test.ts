// Several processes that send to one channel over PostgreSQL (docs/decisions/0071).
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { idBytes } from '#store/codec.ts';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';
import { openTempPostgres } from '../support/temp-store.ts';
import { PathUnderTest } from './path-under-test.ts';

let server: PostgresServer;
before(async () => {
  server = await startPostgres();
});
after(() => server.stop());

describe('several processes that deliver', () => {
  it('have four deliveries of a channel under way together, and those of one check in their order', async () => {
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
    assert.deepEqual(await claim(other), [], 'four are under way');

    // The check of one that is under way recovers: its recovery waits for that attempt, whoever takes it.
    test.temp.clock.turn(10);
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
    assert.deepEqual(await claim(other, 1), [], 'four are under way again');
    assert.deepEqual(await test.settle(held, 500, holder), [true]);
    const [next] = await claim(other, 1);
    assert.equal(next?.delivery.checkId, held.delivery.checkId);
  });
});
