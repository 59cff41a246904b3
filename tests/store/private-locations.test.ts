// Private locations and snippets in the store: who owns a code, and what runs there.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { newId } from '#lib/id.ts';
import { createRunChecks } from '#pipeline/run-checks.ts';
import { it } from '../support/store/each-engine.ts';
import { putAccount } from '../support/store/rows.ts';
import type { TempStore } from '../support/store/temp-store.ts';
import { until } from '../support/until.ts';
import { PathUnderTest } from './path-under-test.ts';

const none = { total: 0, listed: [] };
const noUsers = { checks: none, groups: none };
const office = { name: 'Office', slugName: 'office', icon: 'location' };

async function add({ store }: Pick<TempStore, 'store'>, accountId: string, write = office) {
  const id = newId();
  const key = { id: newId(), locationId: id, hash: Buffer.alloc(32, 7), prefix: 'pl_abc' };
  return store.privateLocations.add(accountId, id, write, key);
}

/** A heartbeat of a process that runs checks there. */
function serve({ store }: Pick<TempStore, 'store'>, code: string): Promise<void> {
  return store.processes.sign({
    id: newId(),
    roles: ['runner'],
    version: '1',
    location: { code, name: code },
    host: 'host',
    pid: 1,
    publicUrl: null,
    startedAt: 1,
    holds: { runs: 0, deliveries: 0 },
    noBrowserSince: null,
    resolverDownSince: null,
    scriptsRefused: null,
    stalled: [],
    notices: [],
    listeners: [],
  });
}

describe('the code of a private location', () => {
  it('belongs to one account, also if two take it at once, and until its processes are forgotten', async (newStore) => {
    await using temp = await newStore();
    const { processes, privateLocations } = temp.store;
    const [own, other] = [putAccount(temp.raw), putAccount(temp.raw)];
    const added = await Promise.all([add(temp, own), add(temp, other), add(temp, own)]);
    const [winner, ...more] = added.filter((one) => one !== null);
    assert.ok(winner !== undefined && more.length === 0, 'one has it');
    assert.deepEqual(await processes.locations(), [], 'nothing served it');
    await serve(temp, 'office');
    assert.deepEqual(
      (await processes.locations()).map(({ code, ownerId }) => [code, ownerId]),
      [['office', winner.accountId]],
    );
    const loser = winner.accountId === own ? other : own;
    assert.equal(await privateLocations.remove(loser, winner.id), null);
    assert.deepEqual(await privateLocations.remove(winner.accountId, winner.id), noUsers);
    assert.deepEqual(await privateLocations.keys(winner.accountId), []);
    assert.equal(await add(temp, loser), null, 'a process of the other serves it');
    assert.equal((await processes.locations())[0]?.ownerId, winner.accountId);
    assert.deepEqual(await processes.owners(['office', 'elsewhere']), new Map([['office', winner.accountId]]));
    assert.deepEqual(await processes.owners([]), new Map());
    temp.clock.advance(31 * 86_400_000);
    await serve(temp, 'local');
    assert.notEqual(await add(temp, loser), null, 'free again');
  });

  it('is not one that processes serve for all accounts', async (newStore) => {
    await using temp = await newStore();
    await serve(temp, 'shared');
    assert.equal(await add(temp, putAccount(temp.raw), { ...office, slugName: 'shared' }), null);
  });

  it('stays with its location however long nothing serves it', async (newStore) => {
    await using temp = await newStore();
    const [own, other] = [putAccount(temp.raw), putAccount(temp.raw)];
    await add(temp, own);
    temp.clock.advance(90 * 86_400_000);
    await serve(temp, 'local');
    assert.equal(await add(temp, other), null);
  });
});

describe('a check with a private location', () => {
  for (const isForeign of [false, true]) {
    const what = isForeign ? 'is not run by a process whose location another account has' : 'runs there';
    it(what, async (newStore) => {
      await using test = await PathUnderTest.open(newStore);
      await test.check({ privateLocations: ['office'] });
      await test.schedule('downtime', ['local', 'office']);
      let probes = 0;
      const step = createRunChecks({
        store: test.path,
        clock: test.temp.clock,
        owner: 'one',
        location: 'office',
        locationOwner: () => (isForeign ? newId() : test.accountId),
        locations: () => ['local', 'office'],
        probe: () => {
          probes += 1;
          return Promise.resolve(test.finding('passed'));
        },
        record: (attempt) => test.record([attempt]),
        startedAt: 0,
        wake: () => {},
      });
      await step.tick();
      await until('its end', () => step.inProgress === 0);
      const [result] = test.rows('SELECT location, message FROM results');
      if (isForeign) {
        assert.equal(probes, 0);
        assert.match(String(result?.['message']), /location office belongs to another account/);
      } else assert.deepEqual([probes, result?.['location']], [1, 'office']);
      assert.equal(test.difference(), 0);
    });
  }
});

describe('a snippet', () => {
  it('is part of what a run knows, in its newest version', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const { snippets } = test.temp.store;
    await test.check();
    const known = async () => {
      await test.schedule();
      const [claimed] = await test.claim(newId());
      const found = claimed?.context?.snippets?.map(({ id, name, script }) => [id, name, script]);
      test.temp.clock.advance(60_000);
      return found;
    };
    assert.deepEqual(await known(), []);
    const { id } = await snippets.add(test.accountId, { name: 'Log in', script: '1;' });
    assert.deepEqual(await known(), [[id, 'Log in', '1;']]);
    await snippets.change(test.accountId, id, { script: '2;' });
    assert.deepEqual(await known(), [[id, 'Log in', '2;']]);
    assert.deepEqual(await snippets.remove(test.accountId, id), noUsers);
    assert.deepEqual(await known(), []);
  });
});
