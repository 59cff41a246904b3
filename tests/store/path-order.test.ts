// Deliveries of one channel and check: one begins after the other, also over a crash (docs/decisions/0014).
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { it } from '../support/store/each-engine.ts';
import { newId } from '#lib/id.ts';
import { idBytes } from '#store/base/codec.ts';
import { failing, leaseMs, scannedFrom } from './path-under-test.ts';

describe('a delivery', () => {
  it('that waits behind one of its check is not begun: after a crash only that one is interrupted, and repeated first', async (newStore) => {
    const { test } = await failing(newStore, 1);
    await using _ = test;
    test.temp.clock.advance(10_000);
    await test.runAll('passed');
    const begun = await test.claimDeliveries('one');
    const [first] = begun;
    assert.ok(first !== undefined);
    assert.deepEqual(
      begun.map(({ delivery }) => delivery.alertType),
      ['ALERT_FAILURE'],
    );
    assert.deepEqual(await test.claimDeliveries('one', () => 4, false, begun), [], 'the recovery waits');

    // The process dies; who comes after it does not pass over what it left.
    test.temp.clock.advance(10);
    await test.path.takeOver(test.now);
    if (test.temp.isShared) {
      assert.deepEqual(await test.claimDeliveries('two', () => 4, true), [], 'it may live');
      test.temp.clock.advance(leaseMs);
    }
    const [repeated, ...none] = await test.claimDeliveries('two', () => 4, true);
    assert.ok(repeated !== undefined);
    assert.deepEqual([repeated.delivery.id, repeated.number, none], [first.delivery.id, 1, []]);
    assert.deepEqual(await test.settle(repeated, 200, 'two'), [true]);
    const [recovery] = await test.claimDeliveries('two', () => 4, true);
    assert.ok(recovery !== undefined);
    assert.deepEqual([recovery.delivery.alertType, recovery.number], ['ALERT_RECOVERY', 1]);
    assert.deepEqual(await test.settle(recovery, 200, 'two'), [true]);
    assert.deepEqual(
      test.rows(
        `SELECT d.alert_type, a.number, a.error_class FROM deliveries d
         JOIN attempts a ON a.account_id = d.account_id AND a.delivery_id = d.id ORDER BY d.id, a.position`,
      ),
      [
        { alert_type: 'ALERT_FAILURE', number: 1, error_class: 'interrupted' },
        { alert_type: 'ALERT_FAILURE', number: 1, error_class: null },
        { alert_type: 'ALERT_RECOVERY', number: 1, error_class: null },
      ],
    );
  });

  it('that was left behind long ago is found at a start, and goes before what was made after it', async (newStore) => {
    const { test } = await failing(newStore, 1);
    await using _ = test;
    test.temp.clock.advance(10_000);
    await test.runAll('passed');
    const [begun] = await test.claimDeliveries('one');
    test.temp.clock.advance(3_600_000);
    await test.path.takeOver(test.now);
    const claimed = await test.claimDeliveries('two');
    assert.deepEqual(
      claimed.map(({ delivery }) => delivery.id),
      [begun?.delivery.id],
    );
  });
});

describe('over PostgreSQL, what a process left behind', () => {
  it('goes before its recovery, although its channel had no place while its lease ran out, and for long after', async (newStore) => {
    const { test, channel } = await failing(newStore, 1);
    await using _ = test;
    if (!test.temp.isShared) return;
    test.temp.clock.advance(10_000);
    await test.runAll('passed');
    const [begun] = await test.claimDeliveries('dead');
    for (let second = 0; second < 40; second += 3) {
      test.temp.clock.advance(3_000);
      await test.path.renewDeliveries([], { owner: 'two', now: test.now, leaseMs });
      assert.deepEqual(await test.claimDeliveries('two', () => 0, second < 30), []);
    }
    const [first, ...none] = await test.claimDeliveries('two', (id) => (id === channel ? 4 : 0));
    assert.deepEqual([first?.delivery.id, first?.number, none], [begun?.delivery.id, 1, []]);
  });

  it('goes before its recovery as soon as its lease has run out, however much else is due', async (newStore) => {
    const { test } = await failing(newStore, 40);
    await using _ = test;
    if (!test.temp.isShared) return;
    test.temp.clock.advance(10_000);
    await test.runAll('passed');
    const begun = await test.claimDeliveries('dead', () => 30);
    const lost = begun.at(-1);
    assert.ok(lost !== undefined);
    test.temp.clock.advance(leaseMs);
    const again = await test.claimDeliveries('two', () => 100, true);
    assert.ok(again.some(({ delivery }) => delivery.id === lost.delivery.id));
    assert.ok(again.every(({ delivery }) => delivery.alertType === 'ALERT_FAILURE'));
  });

  it('is not overtaken while somebody else is just bringing it forward', async (newStore) => {
    const { test } = await failing(newStore, 1);
    await using _ = test;
    if (!test.temp.isShared) return;
    test.temp.clock.advance(10_000);
    await test.runAll('passed');
    const [begun] = await test.claimDeliveries('dead');
    assert.ok(begun !== undefined);
    test.temp.clock.advance(leaseMs);
    test.temp.raw.exec('BEGIN');
    test.temp.raw
      .prepare('UPDATE deliveries SET next_attempt_at = created_at WHERE id = ?')
      .run(idBytes(begun.delivery.id));
    assert.deepEqual(await test.claimDeliveries('two', () => 4, true), []);
    test.temp.raw.exec('COMMIT');
    const claimed = await test.claimDeliveries('two', () => 4, true);
    assert.deepEqual(
      claimed.map(({ delivery }) => delivery.id),
      [begun.delivery.id],
    );
  });

  it('goes first also when it was this one that took it, and the answer to its claim was lost', async (newStore) => {
    const { test } = await failing(newStore, 1);
    await using _ = test;
    if (!test.temp.isShared) return;
    test.temp.clock.advance(10_000);
    await test.runAll('passed');
    const [begun] = await test.claimDeliveries('one');
    assert.ok(begun !== undefined);
    await test.path.renewDeliveries([begun.delivery], { owner: 'one', now: test.now, leaseMs });
    assert.deepEqual(await test.claimDeliveries('one', () => 4, false, [begun]), [], 'as long as it knows of it');
    await test.path.renewDeliveries([], { owner: 'one', now: test.now, leaseMs });
    const claimed = await test.claimDeliveries('one');
    assert.deepEqual(
      claimed.map(({ delivery }) => delivery.id),
      [begun.delivery.id],
    );
  });

  it('is settled by its owner, if that one was only slow and nobody has taken it yet', async (newStore) => {
    const { test } = await failing(newStore, 1);
    await using _ = test;
    const [begun] = await test.claimDeliveries('slow');
    assert.ok(begun !== undefined);
    test.temp.clock.advance(leaseMs);
    await test.path.renewDeliveries([], { owner: 'two', now: test.now, leaseMs });
    assert.deepEqual(await test.settle(begun, 200, 'slow'), [true]);
    assert.deepEqual(await test.claimDeliveries('two', () => 4, true), []);
  });
});

describe('a channel', () => {
  it('with much that waits for one attempt is not walked through again, and tells when more is due', async (newStore) => {
    const { test, channel } = await failing(newStore, 2);
    await using _ = test;
    const [other, hanging] = await test.claimDeliveries('one');
    assert.ok(hanging !== undefined && other !== undefined);
    await test.settle(other, 500);
    await test.settle(hanging, 200);
    for (const _time of [1, 2, 3]) {
      await test.temp.store.deliveries.replay(test.accountId, hanging.delivery.id, newId());
    }
    let from = 0;
    const busy = (): string[] => [hanging.delivery.checkId ?? ''];
    const claim = { owner: 'one', leaseMs, max: 10, room: () => 3, isShared: false, scannedFrom: () => from };
    const first = await test.path.claimDeliveries({ ...claim, now: test.now, busy });
    assert.deepEqual(first.claimed, []);
    const retryAt = Number(test.one('SELECT max(next_attempt_at) FROM deliveries WHERE attempts = 1'));
    assert.equal(first.nextDueAt, retryAt, 'the retry of the other check');
    assert.deepEqual(first.scanned, [{ accountId: test.accountId, alertChannelId: channel }]);
    // A claim that skips scanned channels finds nothing, also where nothing waits any more.
    from = test.now + 1;
    const later = { ...claim, now: test.now + 1, busy: () => [] };
    assert.deepEqual((await test.path.claimDeliveries(later)).claimed, []);
    from = test.now;
    assert.equal((await test.path.claimDeliveries(later)).claimed.length, 1);
  });

  it('is looked at anew for what comes to it of a check of which something older was passed over', async (newStore) => {
    const { test } = await failing(newStore, 1);
    await using _ = test;
    test.temp.clock.advance(10_000);
    await test.runAll('passed');
    const claim = { owner: 'one', leaseMs, max: 10, room: () => 3, isShared: false, busy: () => [] };
    // As after a look at which the failure could not be seen yet.
    const [older, newer] = test
      .rows('SELECT next_attempt_at AS at FROM deliveries ORDER BY id')
      .map(({ at }) => Number(at));
    assert.ok(older !== undefined && newer !== undefined && older < newer);
    const between = { ...claim, now: test.now, scannedFrom: () => newer };
    assert.deepEqual((await test.path.claimDeliveries(between)).claimed, []);
    const [first] = (await test.path.claimDeliveries({ ...between, scannedFrom })).claimed;
    assert.equal(first?.delivery.alertType, 'ALERT_FAILURE');
  });

  it('whose places are asked for by one check gives the others to what waits for other checks', async (newStore) => {
    const { test } = await failing(newStore, 3);
    await using _ = test;
    // The first check has three deliveries before the others have one.
    test.temp.raw.exec(
      `UPDATE deliveries SET next_attempt_at = next_attempt_at + 3
       WHERE check_id <> (SELECT check_id FROM deliveries ORDER BY id LIMIT 1)`,
    );
    const first = await test.claimDeliveries('one', () => 1);
    const [flapping] = first;
    assert.ok(flapping !== undefined);
    await test.settle(flapping, 200);
    for (const _time of [1, 2, 3]) {
      await test.temp.store.deliveries.replay(test.accountId, flapping.delivery.id, newId());
    }
    test.temp.raw
      .prepare('UPDATE deliveries SET next_attempt_at = next_attempt_at - 10 WHERE replay_of = ?')
      .run(idBytes(flapping.delivery.id));
    test.temp.clock.advance(3);
    const claim = {
      owner: 'one',
      now: test.now,
      leaseMs,
      max: 10,
      scannedFrom,
      isShared: false,
      room: () => 3,
    };
    const taken = await test.path.claimDeliveries({ ...claim, busy: () => [] });
    assert.deepEqual(
      taken.claimed.map(({ delivery }) => delivery.checkId),
      [flapping.delivery.checkId],
      'three of its deliveries are due first, and one of them is sent',
    );
    assert.equal(taken.nextDueAt, test.now, 'it is looked again at once');
    const busy = (): string[] => [flapping.delivery.checkId ?? ''];
    const more = await test.path.claimDeliveries({ ...claim, busy, room: () => 2 });
    assert.equal(new Set(more.claimed.map(({ delivery }) => delivery.checkId)).size, 2);
    assert.ok(more.claimed.every(({ delivery }) => delivery.checkId !== flapping.delivery.checkId));
  });
});
