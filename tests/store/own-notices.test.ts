// Which problems of Tocsin its operator receives: those of every account, with their number and without names.
import assert from 'node:assert/strict';
import { ownNotices } from '#actions/operating/own-notices.ts';
import type { Check } from '#domain/checks/check.ts';
import { test } from '../support/store/each-engine.ts';
import { aCheck, aSign } from '../support/store/records.ts';
import { putAccount } from '../support/store/rows.ts';

test('the operator receives notices of gaps, silent locations and missing browsers of all accounts', async (newStore) => {
  await using temp = await newStore();
  const { store, raw, clock } = temp;
  const [own, one, two] = [putAccount(raw), putAccount(raw), putAccount(raw)];
  const silentSince = clock.now() - 60_000;
  const eu = { code: 'eu', name: 'Europe' };
  const deps = {
    ...store,
    serverTimeZone: 'UTC',
    ownFaultNotices: async () => [],
    processNotices: () => [],
    location: eu,
    locations: () => [
      { ...eu, silentSince: null, isPrivate: false },
      { code: 'oslo', name: 'Oslo', silentSince, isPrivate: false },
      { code: 'rome', name: 'Rome', silentSince, isPrivate: false },
    ],
    now: () => clock.now(),
  };
  const told = async () => (await ownNotices(deps, own)).map(({ id, message }) => [id, message]);
  assert.deepEqual(await told(), []);
  const add = async (owner: string, change: Partial<Check>): Promise<void> => {
    const check = aCheck(owner, change);
    assert.ok('saved' in (await store.checks.add({ check, subscriptions: null, isAutoAssigned: false })));
  };
  const browser = { checkType: 'BROWSER', settings: { script: 'await 1;' } } as const;
  await add(one, { locations: ['oslo', 'eu'] });
  await add(one, { locations: ['oslo'] });
  await add(two, { locations: ['oslo'] });
  await add(two, { locations: ['mars'] });
  await add(two, { ...browser });
  await add(one, { ...browser, locations: ['eu'] });
  await add(one, { ...browser, locations: ['rome'], activated: false });
  const hour = Math.floor(clock.now() / 3_600_000);
  await store.processes.sign(aSign({ location: eu, noBrowserSince: clock.now() }));
  const shown = await told();
  assert.deepEqual(
    shown.map(([id]) => id),
    ['location-silent:oslo', 'browser-missing:eu'],
  );
  assert.match(
    shown[0]?.[1] ?? '',
    /^No process runs checks at location oslo since .* UTC\. Affected: 3 active checks of 2 accounts\.$/,
  );
  assert.match(shown[1]?.[1] ?? '', / inconclusive\. Affected: 2 active browser checks of 2 accounts\.$/);
  for (const [index, id] of raw.prepare('SELECT id FROM accounts').all().entries()) {
    const counts = `INSERT INTO account_counts (account_id, hour, scheduled, missed, limited, unknown) VALUES (?, ?, 9, ?, ?, 0)`;
    raw.prepare(counts).run(id['id'] as Uint8Array, hour, index + 1, index === 0 ? 1 : 0);
  }
  const [gap] = await told();
  assert.match(String(gap), /^gap:.* 5 scheduled runs were missed and 0 results .*Affected: 2 accounts\.$/);
});
