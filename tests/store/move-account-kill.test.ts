// A move of an account that is cut off, or hangs, at any moment: it is active in one installation at most.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { pauseLapsesMs } from '#domain/account-move.ts';
import { it } from '../support/each-engine.ts';
import { ownRows, putWhole, Scene, stateIn, statesByWrite, wrapWrites } from './move-scene.ts';

describe('an account that moves', () => {
  it('is active in one installation at most after a kill at any moment, and in the new one after a repetition', async (newStore) => {
    await using scene = await Scene.open(newStore);
    const { source, target } = scene;
    const states = await statesByWrite(scene);
    assert.ok(states.length > 30, `${states.length} writes`);
    // Every one about which the account changes hands, and some of the others.
    const kills = states.flatMap((state, index) => {
      const isTurn = state === 'handing' || state !== states[index - 1] || state !== states[index + 1];
      return isTurn || index % 9 === 0 ? [index + 1] : [];
    });
    const seen = new Set<string>();
    for (const kill of kills) {
      const { accountId } = await putWhole(source);
      let left = kill;
      const wrap = wrapWrites(() => {
        left--;
        if (left === 0) throw new Error('killed');
        return Promise.resolve();
      });
      await scene.move(accountId, { wrap }).catch((error: unknown) => assert.match(String(error), /killed/));
      const state = stateIn(source, accountId);
      seen.add(state);
      assert.ok(scene.activeIn(accountId).length <= 1, `kill ${kill}`);
      // Every other one is left alone until its pause lapses.
      if (kill % 2 === 0 && state === 'leaving') {
        scene.turn(pauseLapsesMs + 1000);
        await source.temp.store.accountMoves.resumeLapsed();
        assert.deepEqual(scene.activeIn(accountId), ['source'], `kill ${kill}: it goes on by itself`);
        assert.equal(
          source.temp.raw.prepare('SELECT next_due_at FROM schedules WHERE next_due_at > 2e15').get(),
          undefined,
        );
      }
      await scene.move(accountId);
      assert.deepEqual(scene.activeIn(accountId), ['target'], `kill ${kill}`);
      assert.equal(ownRows(target, 'results', accountId).length, 5, `kill ${kill}`);
      for (const table of ['results', 'checks', 'schedules']) assert.deepEqual(ownRows(source, table, accountId), []);
    }
    assert.deepEqual([...seen].sort(), ['handing', 'leaving', 'left', 'none']);
    assert.deepEqual([source.difference(), target.difference()], [0, 0]);
  });

  it('is told of in both installations when its command was cut off, with the one that goes on', async (newStore) => {
    await using scene = await Scene.open(newStore);
    const { source, target } = scene;
    const states = await statesByWrite(scene);
    const { accountId } = await putWhole(source);
    let left = states.indexOf('handing') + 1;
    const wrap = wrapWrites(() => {
      left--;
      if (left === 0) throw new Error('killed');
      return Promise.resolve();
    });
    await assert.rejects(scene.move(accountId, { wrap }), /killed/);
    const told = async (): Promise<unknown[]> =>
      [...(await source.temp.store.accountMoves.stalled()), ...(await target.temp.store.accountMoves.stalled())].map(
        ({ state, command }) => [state, command],
      );
    assert.deepEqual(await told(), [], 'a command that has just given a sign may live');
    scene.turn(31_000);
    const command = `migrate --account ${accountId}`;
    assert.deepEqual(await told(), [
      ['handing', command],
      ['arriving', command],
    ]);
    await source.temp.store.accountMoves.resumeLapsed();
    assert.equal(stateIn(source, accountId), 'handing', 'it goes on nowhere by itself');
    await scene.move(accountId);
    scene.turn(31_000);
    assert.deepEqual(await told(), []);
    assert.deepEqual(scene.activeIn(accountId), ['target']);
  });

  it('is not harmed by a command that hung while another one did its work', async (newStore) => {
    await using scene = await Scene.open(newStore);
    const { source, target } = scene;
    const states = await statesByWrite(scene);
    for (let hang = 2; hang <= states.length; hang += states[hang] === 'handing' ? 2 : 9) {
      const { accountId } = await putWhole(source);
      let left = hang;
      const wrap = wrapWrites(async () => {
        left--;
        if (left === 0) await scene.move(accountId);
      });
      await scene
        .move(accountId, { wrap })
        .catch((error: unknown) =>
          assert.match(
            String(error),
            /another command|run the command again|no such account|has an account of that id/,
          ),
        );
      assert.deepEqual(scene.activeIn(accountId), ['target'], `hang ${hang}`);
      assert.equal(ownRows(target, 'results', accountId).length, 5, `hang ${hang}`);
      assert.equal(ownRows(target, 'checks', accountId).length, 1, `hang ${hang}`);
    }
    assert.deepEqual([source.difference(), target.difference()], [0, 0]);
  });
});
