// Which accounts are notified that Chromium is missing: those with browser checks at that location, on both engines.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { createMissingBrowsers } from '#actions/checks/missing-browsers.ts';
import { createNoticeActions, type Notice } from '#actions/operating/notices.ts';
import type { Check } from '#domain/checks/check.ts';
import type { CheckGroup } from '#domain/checks/check-group.ts';
import { type ProcessSign, silentAfterMs } from '#domain/accounts/process.ts';
import { newId } from '#lib/id.ts';
import { it, type NewStore, onSqlite } from '../support/store/each-engine.ts';
import { aCheck, aGroup } from '../support/store/records.ts';
import { putAccount } from '../support/store/rows.ts';

const startedAt = 1_800_000_000_000;
const eu = { code: 'eu', name: 'Europe' };
const asia = { code: 'asia', name: 'Asia' };

async function fixture(newStore: NewStore) {
  const temp = await newStore(startedAt);
  const { store, raw, clock } = temp;
  const missingBrowsers = createMissingBrowsers({ ...store, location: eu, now: () => clock.now() });
  const notices = createNoticeActions({
    missingVariables: { notices: async () => [] },
    silentCheckNotices: async () => [],
    stormNotices: async () => [],
    ...store,
    missingBrowsers,
    ownFaultNotices: async () => [],
    silentLocations: async () => [],
    runtimeEnds: async () => [],
    processNotices: () => [],
    brokenChannels: async () => [],
  });
  /** A process that sends a heartbeat if its last argument says so. */
  const runner = (change: Partial<ProcessSign>) => {
    const nothing = {
      publicUrl: null,
      listeners: [],
      scriptsRefused: null,
      stalled: [],
      notices: [],
      noBrowserSince: null,
      resolverDownSince: null,
      holds: { runs: 0, deliveries: 0 },
    };
    const own = { id: newId(), roles: ['runner'], version: '1', location: eu, host: 'cellar', pid: 1, startedAt };
    return (noBrowserSince: number | null) => store.processes.sign({ ...own, ...nothing, ...change, noBrowserSince });
  };
  const account = () => {
    const accountId = putAccount(raw);
    const draft = { subscriptions: null, isAutoAssigned: false };
    return {
      async group(change: Partial<CheckGroup>): Promise<number> {
        const saved = await store.checkGroups.add({ ...draft, group: aGroup(accountId, change) });
        assert.ok('saved' in saved);
        return saved.saved.group.id;
      },
      async browser(change: Partial<Check> = {}): Promise<string> {
        const check = aCheck(accountId, { checkType: 'BROWSER', settings: { script: 'await 1;' }, ...change });
        assert.ok('saved' in (await store.checks.add({ ...draft, check })));
        return check.id;
      },
      remove: (id: string) => store.checks.remove(accountId, id, () => assert.fail('nothing was alerted')),
      notices: (): Promise<Notice[]> =>
        notices.list({ principal: { kind: 'api-key', id: '' }, role: 'read-only', accountId, accountIds: [accountId] }),
    };
  };
  return { clock, account, runner, [Symbol.asyncDispose]: () => temp[Symbol.asyncDispose]() };
}

describe('the notice of a missing browser', () => {
  it('goes to the accounts whose browser checks are active, until it is there or they are gone', async (newStore) => {
    await using on = await fixture(newStore);
    const [user, other] = [on.account(), on.account()];
    const off = await other.group({ activated: false });
    const first = await user.browser();
    await user.browser();
    await other.browser({ activated: false });
    await other.browser({ groupId: off });
    await other.browser({ checkType: 'MULTI_STEP' });
    const sign = on.runner({});
    await sign(null);
    assert.deepEqual(await user.notices(), []);

    await sign(startedAt + 1000);
    assert.deepEqual(await other.notices(), []);
    assert.deepEqual(await user.notices(), [
      {
        id: 'browser-missing:eu',
        kind: 'browser-missing',
        since: startedAt + 1000,
        subject: 'eu',
        message:
          'Chromium is not installed on cellar, so browser checks end as unknown there, which counts as neither up nor down. 2 active browser checks of this account run at that location (eu).',
        action: 'Run npm ci on that host, or set TOCSIN_CHROMIUM to the path of Chromium and restart.',
      },
    ]);
    await user.remove(first);
    assert.match((await user.notices())[0]?.message ?? '', / 1 active browser check of this account runs at /);
    await sign(null);
    assert.deepEqual(await user.notices(), [], 'it is there');
    await sign(startedAt + 2000);
    on.clock.advance(silentAfterMs - 1);
    assert.equal((await user.notices()).length, 1);
    on.clock.advance(1);
    assert.deepEqual(await user.notices(), [], 'the process is silent');
  });

  onSqlite('is about the locations at which the checks run, by their groups, too', async (newStore) => {
    await using on = await fixture(newStore);
    const [here, there, everywhere, nowhere] = [on.account(), on.account(), on.account(), on.account()];
    await here.browser();
    await there.browser({ groupId: await there.group({ locations: ['asia'] }), locations: ['eu'] });
    await everywhere.browser({ locations: ['eu', 'asia'] });
    await nowhere.browser({ locations: ['moon'] });
    await on.runner({})(null);
    const [one, two] = [on.runner({ location: asia, host: 'a1' }), on.runner({ location: asia, host: 'a2' })];
    await one(startedAt + 2000);
    await two(startedAt + 1000);
    const notified = async (account: typeof here) => (await account.notices()).map(({ id, since }) => [id, since]);
    const ofAsia = [['browser-missing:asia', startedAt + 1000]];
    assert.deepEqual([await notified(here), await notified(nowhere)], [[], []]);
    assert.deepEqual([await notified(there), await notified(everywhere)], [ofAsia, ofAsia]);
    assert.match((await there.notices())[0]?.message ?? '', /^Chromium is not installed on a1, a2, /);
  });
});
