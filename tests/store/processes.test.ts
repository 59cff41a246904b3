// The processes of an installation: who lives, what it holds, and who is forgotten.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { createOwnFaultNotices } from '#actions/operating/own-notices.ts';
import { sharedNotices } from '#actions/operating/processes.ts';
import { it } from '../support/store/each-engine.ts';
import { aSign } from '../support/store/records.ts';

const minuteMs = 60_000;
const notice = (id: string, since: number) => ({ id, kind: id, since, subject: 'Tocsin', message: 'm', action: 'a' });

describe('processes', () => {
  it('are listed as they last wrote of themselves, in the order of their start', async (newStore) => {
    await using temp = await newStore();
    const { processes } = temp.store;
    const [late, early] = [aSign({ startedAt: 2000, publicUrl: 'https://t.example.com' }), aSign({ startedAt: 1000 })];
    await processes.sign(late);
    await processes.sign(early);
    temp.clock.advance(5000);
    const busy = {
      ...early,
      holds: { runs: 7, deliveries: 3 },
      noBrowserSince: 1500,
      resolverDownSince: 1600,
      scriptsRefused: 'no containment',
      stalled: ['send-deliveries'],
      notices: [notice('database-damaged', 1700)],
      listeners: [{ host: '10.0.0.7', port: 3000 }],
    };
    await processes.sign(busy);
    const now = temp.clock.now();
    assert.deepEqual(await processes.list(), [
      { ...busy, seenAt: now },
      { ...late, seenAt: now - 5000 },
    ]);
  });

  it('report silent name servers in a notice of every account while they are alive', async (newStore) => {
    await using temp = await newStore();
    const { store, clock } = temp;
    const notices = createOwnFaultNotices({ ...store, now: () => clock.now() });
    await store.processes.sign(aSign());
    assert.deepEqual(await notices(), []);
    for (const resolverDownSince of [1700, 1600]) await store.processes.sign(aSign({ resolverDownSince }));
    const shown = (await notices()).map(({ kind, subject, since }) => [kind, subject, since]);
    assert.deepEqual(shown, [['resolver-down', 'eu', 1600]]);
    clock.advance(minuteMs);
    assert.deepEqual(await notices(), []);
  });

  it('show what only another one of them has seen, each problem once', async (newStore) => {
    await using temp = await newStore();
    const { processes } = temp.store;
    const [damage, refused] = [notice('database-damaged', 1700), notice('connections-refused:1', 1800)];
    const own = aSign({ notices: [notice('over', 1)] });
    await processes.sign(own);
    await processes.sign(aSign({ notices: [damage] }));
    await processes.sign(aSign({ notices: [refused, notice('database-damaged', 1600)] }));
    const all = await processes.list();
    const shown = sharedNotices([damage], { id: own.id, known: () => all });
    assert.deepEqual(shown, [{ ...damage, since: 1600 }, refused]);
  });

  it('make their location known while they run checks, and for 30 days after', async (newStore) => {
    await using temp = await newStore();
    const { processes } = temp.store;
    const lima = { code: 'lima', name: 'Lima' };
    const first = temp.clock.now();
    await processes.sign(aSign({ location: { code: 'old', name: 'Old' } }));
    temp.clock.advance(1000);
    await processes.sign(aSign({ location: { code: 'old', name: 'Renamed' } }));
    await processes.sign(aSign({ location: lima, roles: ['api', 'deliverer'] }));
    assert.deepEqual(await processes.locations(), [
      { code: 'old', name: 'Renamed', ownerId: null, seenAt: first + 1000 },
    ]);
    temp.clock.advance(30 * 24 * 60 * minuteMs + 1);
    const gone = aSign({ location: lima });
    await processes.sign(gone);
    await processes.leave(gone.id);
    assert.deepEqual(await processes.locations(), [{ ...lima, ownerId: null, seenAt: temp.clock.now() }]);
  });

  it('are forgotten after ten minutes of silence, and at once when they stop', async (newStore) => {
    await using temp = await newStore();
    const { processes } = temp.store;
    const [silent, stopped, living] = [aSign(), aSign(), aSign()];
    for (const one of [silent, stopped]) await processes.sign(one);
    await processes.leave(stopped.id);
    assert.deepEqual(
      (await processes.list()).map(({ id }) => id),
      [silent.id],
    );
    temp.clock.advance(10 * minuteMs + 1);
    assert.deepEqual(await processes.list(), []);
    await processes.sign(living);
    assert.equal(temp.raw.prepare('SELECT count(*) AS n FROM processes').get()?.['n'], 1, 'its row is gone');
  });
});
