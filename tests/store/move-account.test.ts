// One account from an installation to another while both run: nothing lost, nothing doubled.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { createMovedAccounts } from '#actions/moved-accounts.ts';
import { hourMs, hourOf } from '#domain/roll-up.ts';
import { newId } from '#lib/id.ts';
import { idBytes } from '#store/codec.ts';
import { sharedTables } from '#store/move/account-tables.ts';
import { it } from '../support/each-engine.ts';
import { aChannel, aCheck } from '../support/records.ts';
import { insertRow } from '../support/rows.ts';
import { ownRows, place, putProgress, putWhole, Scene, seals, tablesOf } from './move-scene.ts';

describe('an account that moves', () => {
  it('owns its rows by its id in every table but those that are named', async (newStore) => {
    await using scene = await Scene.open(newStore);
    const without = (await tablesOf(scene.source)).filter(({ columns }) => !columns.includes('account_id'));
    assert.deepEqual(without.map(({ name }) => name).sort(), ['accounts', ...sharedTables].sort());
  });

  it('arrives with everything it has, its secrets readable, and leaves nothing but the way', async (newStore) => {
    await using scene = await Scene.open(newStore);
    const { source, target } = scene;
    const { accountId, checkId, hash } = await putWhole(source);
    const other = await putWhole(source);
    const tables = ['checks', 'results', 'roll_ups', 'variables', 'schedules', 'triggers', 'run_counts'];
    const before = new Map(tables.map((table) => [table, ownRows(source, table, accountId)]));
    await scene.move(accountId);
    assert.deepEqual(scene.activeIn(accountId), ['target']);
    for (const table of ['checks', 'results', 'roll_ups', 'triggers', 'run_counts']) {
      assert.deepEqual(ownRows(target, table, accountId), before.get(table), table);
    }
    assert.equal(ownRows(target, 'results', accountId).length, 5);
    assert.equal(ownRows(target, 'roll_ups', accountId).length, 8);
    const sealed = String(target.one(`SELECT value FROM variables WHERE key = 'TOKEN'`));
    assert.equal(seals.toSeal.open(sealed), 'canary');
    const key = await target.temp.store.apiKeys.findByHash(hash);
    assert.deepEqual([key?.accountIds, key?.role], [[accountId], 'admin']);
    const [move] = await source.temp.store.accountMoves.all();
    assert.deepEqual(move, { accountId, state: 'left', place });
    for (const { name, columns } of await tablesOf(source)) {
      if (!columns.includes('account_id') || ['account_moves', 'triggers', 'api_key_accounts'].includes(name)) continue;
      assert.deepEqual(ownRows(source, name, accountId), [], name);
      if (tables.includes(name) && name !== 'run_counts') {
        assert.ok(ownRows(source, name, other.accountId).length > 0, `${name} of another account is still there`);
      }
    }
    assert.deepEqual([source.difference(), target.difference()], [0, 0]);
    assert.ok(checkId);
  });

  it('has the hours rolled up anew there that the two installations may differ about', async (newStore) => {
    await using scene = await Scene.open(newStore);
    const { source, target } = scene;
    const { accountId, checkId } = await putWhole(source);
    const present = hourOf(source.now);
    putProgress(source, present - hourMs);
    for (const hours of [5, 60]) {
      const key = { account_id: idBytes(accountId), check_id: idBytes(checkId) };
      insertRow(source.temp.raw, 'late_hours', { ...key, start_at: present - hours * hourMs, touched: 4 });
    }
    const old = ownRows(source, 'roll_ups', accountId);
    await scene.move(accountId);
    const marked = target
      .rows('SELECT start_at FROM late_hours ORDER BY start_at')
      .map((row) => Number(row['start_at']));
    const hoursAgo = marked.map((startAt) => (present - startAt) / hourMs);
    assert.deepEqual(
      hoursAgo,
      [60, 5, 3, 2, 1, 0],
      'those that were marked, and those from the last that is rolled up on',
    );
    assert.deepEqual(ownRows(target, 'roll_ups', accountId), old);
  });

  it('ends what is under way, and records what it could not run as missed by the move', async (newStore) => {
    await using scene = await Scene.open(newStore);
    const { source, target } = scene;
    const { accountId, checkId } = await putWhole(source);
    const channel = await source.temp.store.alertChannels.add({
      channel: aChannel(accountId, {}),
      subscriptions: [{ checkId, groupId: null, activated: true }],
    });
    assert.ok('saved' in channel);
    scene.turn(1000);
    await source.schedule('overload');
    const [claimed] = await source.claim();
    assert.ok(claimed !== undefined);
    let ended = false;
    await scene.move(accountId, {
      pause: async () => {
        if (ended) return;
        ended = true;
        assert.deepEqual([(await source.schedule()).runs, await source.claim('two')], [0, []], 'nothing new is begun');
        await source.record([source.ended(claimed, 'failed')]);
        scene.turn(35_000);
      },
    });
    assert.equal(source.one('SELECT count(*) FROM deliveries'), 0);
    const deliveries = await target.claimDeliveries();
    assert.deepEqual(
      deliveries.map(({ delivery }) => [delivery.accountId, delivery.alertType]),
      [[accountId, 'ALERT_FAILURE']],
      'the alert that came of it is sent from the new place, once',
    );
    const done = await target.schedule('overload');
    assert.equal(done.runs, 1);
    const missed = target.rows(`SELECT slots, message FROM results WHERE outcome = 4`);
    assert.deepEqual(missed, [{ slots: 2, message: 'not run: the account was being moved to another installation' }]);
    assert.deepEqual([source.difference(), target.difference()], [0, 0]);
    assert.deepEqual((await source.schedule()).schedules, 0);
  });

  it('closes runs that waited and whose slot is over by then', async (newStore) => {
    await using scene = await Scene.open(newStore);
    const { source, target } = scene;
    const { accountId } = await putWhole(source);
    scene.turn(1000);
    await source.schedule('overload');
    assert.equal(source.one('SELECT count(*) FROM runs'), 1);
    await scene.move(accountId, { pause: () => Promise.resolve(scene.turn(10_000)) });
    assert.equal(target.one('SELECT count(*) FROM runs'), 0);
    assert.match(String(target.one('SELECT message FROM results WHERE outcome = 4')), /was being moved/);
    assert.deepEqual([source.difference(), target.difference()], [0, 0]);
  });

  it('sends what was cut off again in the new place, before what was made after it', async (newStore) => {
    await using scene = await Scene.open(newStore);
    const { source, target } = scene;
    const { accountId, checkId } = await putWhole(source);
    const channel = await source.temp.store.alertChannels.add({
      channel: aChannel(accountId, {}),
      subscriptions: [{ checkId, groupId: null, activated: true }],
    });
    assert.ok('saved' in channel);
    scene.turn(1000);
    await source.runAll('failed');
    const [begun] = await source.claimDeliveries();
    assert.equal(begun?.delivery.alertType, 'ALERT_FAILURE');
    scene.turn(10_000);
    await source.runAll('passed');
    const lease = { owner: 'one', leaseMs: 10_000 };
    await scene.move(accountId, {
      pause: () => source.path.renewDeliveries([begun.delivery], { ...lease, now: source.now }),
      order: { graceMs: 5000, toSeal: seals.fromSeal },
    });
    const repeated = await target.claimDeliveries();
    assert.deepEqual(
      repeated.map(({ delivery, number }) => [delivery.id, number]),
      [[begun.delivery.id, 1]],
      'the recovery waits behind the failure',
    );
    assert.deepEqual(target.rows('SELECT number, error_class FROM attempts'), [
      { number: 1, error_class: 'interrupted' },
    ]);
    for (const each of repeated) await target.settle(each, 200);
    const next = await target.claimDeliveries();
    assert.deepEqual(
      next.map(({ delivery }) => delivery.alertType),
      ['ALERT_RECOVERY'],
    );
    assert.deepEqual(await source.settle(begun, 200), [false], 'what the old place ends late changes nothing');
  });

  it('repeats in the new place what could not end in time, and only there', async (newStore) => {
    await using scene = await Scene.open(newStore);
    const { source, target } = scene;
    const { accountId } = await putWhole(source);
    scene.turn(1000);
    await source.schedule('overload');
    const [claimed] = await source.claim();
    assert.ok(claimed !== undefined);
    await scene.move(accountId, {
      pause: async () => {
        await source.path.renewRuns([claimed.run], { owner: 'one', now: source.now, leaseMs: 10_000 });
      },
      order: { graceMs: 5000, toSeal: seals.fromSeal },
    });
    const late = await source.record([source.ended(claimed, 'passed')]);
    assert.deepEqual(
      late.map(({ isRecorded }) => isRecorded),
      [false],
      'its finding comes too late',
    );
    const again = await target.claim();
    assert.deepEqual(
      again.map(({ run }) => run.id),
      [claimed.run.id],
    );
    await target.record(again.map((one) => target.ended(one, 'passed')));
    assert.deepEqual([source.difference(), target.difference()], [0, 0]);
  });

  it('comes back', async (newStore) => {
    await using scene = await Scene.open(newStore);
    const { source, target } = scene;
    const { accountId, hash } = await putWhole(source);
    const before = ownRows(source, 'results', accountId);
    await scene.move(accountId);
    putProgress(target, hourOf(target.now) - hourMs);
    await scene.move(accountId, { back: true });
    assert.deepEqual(scene.activeIn(accountId), ['source']);
    assert.deepEqual(ownRows(source, 'results', accountId), before);
    assert.equal(seals.fromSeal.open(String(source.one(`SELECT value FROM variables WHERE key = 'TOKEN'`))), 'canary');
    assert.deepEqual((await source.temp.store.apiKeys.findByHash(hash))?.accountIds, [accountId]);
    assert.deepEqual([source.difference(), target.difference()], [0, 0]);
  });

  it('takes no change while it moves, and shows the way afterwards', async (newStore) => {
    await using scene = await Scene.open(newStore);
    const { source } = scene;
    const { accountId } = await putWhole(source);
    const { store, clock } = source.temp;
    const here = createMovedAccounts(store.accountMoves, clock);
    let asked = 0;
    await scene.move(accountId, {
      pause: async () => {
        if (asked++ > 4) return;
        const add = store.checks.add({ check: aCheck(accountId), subscriptions: null, isAutoAssigned: false });
        await assert.rejects(add, /being moved/);
        if (asked < 5) return;
        await assert.rejects(async () => here.requireHere(accountId, false), /is being moved: try again/);
        await here.requireHere(accountId, true);
      },
    });
    assert.ok(asked > 4);
    scene.turn(1001);
    await assert.rejects(
      async () => here.requireHere(accountId, true),
      /has moved to https:\/\/cell-2\.tocsin\.example/,
    );
    await here.requireHere(newId(), false);
  });

  it('is refused where there is none, or one of that id', async (newStore) => {
    await using scene = await Scene.open(newStore);
    const { source, target } = scene;
    await assert.rejects(scene.move(newId()), /there is no such account/);
    const { accountId } = await putWhole(source);
    insertRow(target.temp.raw, 'accounts', { id: idBytes(accountId), name: 'Shop', created_at: 1 });
    await assert.rejects(scene.move(accountId), /has an account of that id already/);
  });

  it('waits until the source is not far behind with roll-ups', async (newStore) => {
    await using scene = await Scene.open(newStore);
    const { source } = scene;
    const { accountId } = await putWhole(source);
    const behind = (hours: number): void => putProgress(source, hourOf(source.now) - hours * hourMs);
    behind(49);
    const refused = /49 hours behind with roll-ups, and the account's figures would lack them/;
    await assert.rejects(scene.move(accountId), refused);
    source.temp.raw.exec(`DELETE FROM installation WHERE key = 'rolled-up'`);
    await assert.rejects(scene.move(accountId), /700 hours behind/, 'as long as nothing at all is rolled up');
    assert.deepEqual(scene.activeIn(accountId), ['source']);
    behind(48);
    await scene.move(accountId);
    assert.deepEqual(scene.activeIn(accountId), ['target']);
  });
});
