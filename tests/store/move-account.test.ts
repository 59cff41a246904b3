// One account from an installation to another while both run: nothing lost, nothing doubled, whatever is cut off.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { createMovedAccounts } from '#actions/moved-accounts.ts';
import { openBeside } from '#commands/move-sides.ts';
import { pauseLapsesMs } from '#domain/account-move.ts';
import { newId } from '#lib/id.ts';
import { idBytes } from '#store/codec.ts';
import { sharedTables } from '#store/move/account-tables.ts';
import { moveAccount } from '#store/move/move-account.ts';
import type { AccountOrder } from '#store/move/moving.ts';
import type { Side, Writing } from '#store/move/side.ts';
import { createSeal } from '#store/seal.ts';
import { it, type NewStore } from '../support/each-engine.ts';
import { rowsOf } from '../support/every-table.ts';
import { aCheck } from '../support/records.ts';
import { insertRow, putAccount, putResult } from '../support/rows.ts';
import { secretKey, type TempStore } from '../support/temp-store.ts';
import { PathUnderTest } from './path-under-test.ts';

const hourMs = 3_600_000;
const seals = { fromSeal: createSeal(secretKey), toSeal: createSeal(new Uint8Array(32).fill(9)) };
const place = 'https://cell-2.tocsin.example';

/** Source and target, each with its service, and the clock that both live by. */
class Scene implements AsyncDisposable {
  readonly source: PathUnderTest;
  readonly target: PathUnderTest;

  private constructor(source: PathUnderTest, target: PathUnderTest) {
    this.source = source;
    this.target = target;
  }

  static async open(newStore: NewStore): Promise<Scene> {
    return new Scene(await PathUnderTest.open(newStore), await PathUnderTest.open(newStore));
  }

  turn(ms: number): void {
    for (const { temp } of [this.source, this.target]) temp.clock.turn(ms);
  }

  /** Moves the account; the sides may be wrapped, so that something happens between two writes. */
  async move(
    accountId: string,
    {
      wrap = (side) => side,
      pause = () => Promise.resolve(),
      order = {},
      back = false,
    }: {
      wrap?: (side: Side) => Side;
      pause?: () => Promise<void>;
      order?: Partial<AccountOrder>;
      back?: boolean;
    } = {},
  ): Promise<string[]> {
    const [from, to] = back ? [this.target, this.source] : [this.source, this.target];
    const sides = [await openBeside(from.temp.address), await openBeside(to.temp.address)] as const;
    const steps: string[] = [];
    // Time is what the stores take for it.
    const at = (side: Side, path: PathUnderTest): Side => wrap({ ...side, now: () => Promise.resolve(path.now) });
    try {
      await moveAccount(
        at(sides[0], from),
        at(sides[1], to),
        {
          accountId,
          moveId: newId(),
          place,
          ...(back ? { fromSeal: seals.toSeal, toSeal: seals.fromSeal } : seals),
          graceMs: 10_000,
          pause: async (ms) => {
            await pause();
            this.turn(ms);
          },
          ...order,
        },
        { onStep: (step) => steps.push(step), onTable: () => {}, onRows: () => {} },
      );
      return steps;
    } finally {
      for (const side of sides) await side.close();
    }
  }

  /** Where the account is active: what a service would work on. */
  activeIn(accountId: string): string[] {
    const isActive = ({ temp: { raw } }: PathUnderTest): boolean => {
      const id = idBytes(accountId);
      const move = raw.prepare('SELECT state FROM account_moves WHERE account_id = ?').get(id)?.['state'];
      const there = raw.prepare('SELECT id FROM accounts WHERE id = ?').get(id) !== undefined;
      return there && (move === undefined || move === 'arrived');
    };
    return [...(isActive(this.source) ? ['source'] : []), ...(isActive(this.target) ? ['target'] : [])];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.source[Symbol.asyncDispose]();
    await this.target[Symbol.asyncDispose]();
  }
}

/** An account with a check, results of today and of long ago, a secret and a key. */
async function putWhole({ temp }: PathUnderTest): Promise<{ accountId: string; checkId: string; hash: Uint8Array }> {
  const accountId = putAccount(temp.raw);
  const phase = { frequency: 0, frequencyOffset: 10 };
  const saved = await temp.store.checks.add({
    check: aCheck(accountId, phase),
    subscriptions: null,
    isAutoAssigned: false,
  });
  assert.ok('saved' in saved);
  const { id: checkId } = saved.saved.check;
  const now = temp.clock.now();
  temp.raw.prepare('UPDATE schedules SET next_due_at = ? WHERE check_id = ?').run(now + 1000, idBytes(checkId));
  for (const hours of [1, 2, 30, 40, 700]) putResult(temp.raw, accountId, checkId, now - hours * hourMs);
  insertRow(temp.raw, 'variables', {
    account_id: idBytes(accountId),
    key: 'TOKEN',
    value: seals.fromSeal.seal('canary'),
    locked: 0,
    secret: 1,
    created_at: 1,
  });
  const [keyId, hash] = [idBytes(newId()), Buffer.from(newId().replaceAll('-', '').repeat(2), 'hex')];
  insertRow(temp.raw, 'api_keys', { id: keyId, hash, prefix: 'tsn_x', name: 'CI', role: 'admin', created_at: 1 });
  insertRow(temp.raw, 'api_key_accounts', { api_key_id: keyId, account_id: idBytes(accountId), position: 0 });
  insertRow(temp.raw, 'triggers', {
    account_id: idBytes(accountId),
    id: 1,
    token: newId(),
    created_at: 1,
    group_id: 1,
  });
  return { accountId, checkId, hash };
}

const tablesOf = async ({ temp }: { temp: TempStore }) => {
  const side = await openBeside(temp.address);
  await side.close();
  return side.tables;
};

/** The account's rows of a table as text, secrets opened. */
function ownRows({ temp: { raw } }: PathUnderTest, table: string, accountId: string): string[] {
  const hex = accountId.replaceAll('-', '');
  return rowsOf(raw, table).filter((row) => row.includes(`account_id=${hex}`));
}

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
    const tables = ['checks', 'results', 'variables', 'schedules', 'triggers', 'run_counts'];
    const before = new Map(tables.map((table) => [table, ownRows(source, table, accountId)]));
    await scene.move(accountId);
    assert.deepEqual(scene.activeIn(accountId), ['target']);
    for (const table of ['checks', 'results', 'triggers', 'run_counts']) {
      assert.deepEqual(ownRows(target, table, accountId), before.get(table), table);
    }
    assert.equal(ownRows(target, 'results', accountId).length, 5);
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

  it('ends what is under way, and records what it could not run as missed by the move', async (newStore) => {
    await using scene = await Scene.open(newStore);
    const { source, target } = scene;
    const { accountId, checkId } = await putWhole(source);
    const channel = await source.temp.store.alertChannels.add({
      channel: { ...(await channelOf(accountId)) },
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
    assert.deepEqual(missed, [{ slots: 2, message: 'not run: its account was being moved to another installation' }]);
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

  it('comes back', async (newStore) => {
    await using scene = await Scene.open(newStore);
    const { source, target } = scene;
    const { accountId, hash } = await putWhole(source);
    const before = ownRows(source, 'results', accountId);
    await scene.move(accountId);
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
});

async function channelOf(accountId: string) {
  const { aChannel } = await import('../support/records.ts');
  return aChannel(accountId, {});
}

/** The writes of a move, each as what the source says of the account before it. */
async function statesByWrite(scene: Scene): Promise<string[]> {
  const { source } = scene;
  const { accountId } = await putWhole(source);
  const states: string[] = [];
  const wrap = wrapWrites(() => {
    states.push(stateIn(source, accountId));
    return Promise.resolve();
  });
  await scene.move(accountId, { wrap });
  return states;
}

function stateIn({ temp: { raw } }: PathUnderTest, accountId: string): string {
  const row = raw.prepare('SELECT state FROM account_moves WHERE account_id = ?').get(idBytes(accountId));
  return String(row?.['state'] ?? 'none');
}

/** A side before whose every write something happens. */
function wrapWrites(before: () => Promise<void>): (side: Side) => Side {
  return (side) => ({
    ...side,
    write: async <Answer>(work: (writing: Writing) => Promise<Answer>): Promise<Answer> => {
      await before();
      return side.write(work);
    },
  });
}
