// Which accounts are notified of a location without a runner: those whose active checks name it, on both engines.
import assert from 'node:assert/strict';
import { createSilentLocations } from '#actions/checks/silent-locations.ts';
import { test } from '../support/store/each-engine.ts';
import { aCheck } from '../support/store/records.ts';
import { putAccount } from '../support/store/rows.ts';

test('a location without a runner is a notice for the accounts whose active checks name it', async (newStore) => {
  await using temp = await newStore();
  const { store, raw, clock } = temp;
  const silentSince = clock.now() - 60_000;
  const accountId = putAccount(raw);
  const other = putAccount(raw);
  const add = async (owner: string, locations: string[], activated = true): Promise<void> => {
    const check = aCheck(owner, { locations, activated });
    assert.ok('saved' in (await store.checks.add({ check, subscriptions: null, isAutoAssigned: false })));
  };
  await add(other, []);
  await add(other, ['lima']);
  await add(other, ['oslo'], false);
  await add(accountId, ['oslo']);
  await add(accountId, ['oslo']);
  await add(accountId, ['lima', 'oslo']);
  await add(accountId, ['mars', 'oslo']);
  const notices = createSilentLocations({
    ...store,
    locations: () => [
      { code: 'lima', name: 'Lima', silentSince: null, isPrivate: false },
      { code: 'oslo', name: 'Oslo', silentSince, isPrivate: false },
      { code: 'rome', name: 'Rome', silentSince, isPrivate: false },
    ],
    now: () => clock.now(),
  });
  assert.deepEqual(await notices(other), []);
  const found = await notices(accountId);
  assert.deepEqual(
    found
      .map(({ id, kind, since, subject }) => [id, kind, since, subject])
      .toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
    [
      ['location-silent:mars', 'location-silent', clock.now(), 'mars'],
      ['location-silent:oslo', 'location-silent', silentSince, 'oslo'],
    ],
  );
  assert.equal(
    found.find(({ subject }) => subject === 'oslo')?.message,
    `No process runs checks at location oslo since ${new Date(silentSince).toISOString()}. 3 active checks cannot run: ` +
      'their runs wait, and end without a verdict after ten minutes. 1 active check runs only at other locations.',
  );
});
