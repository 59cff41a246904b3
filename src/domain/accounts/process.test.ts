// Live processes and served locations.
import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { isAlive, type ProcessSign, servedLocations, shownLocations, silentAfterMs } from './process.ts';

const now = 1_800_000_000_000;
const own = { code: 'local', name: 'Local' };
const eu = { code: 'eu', name: 'Europe' };
const asia = { code: 'asia', name: 'Asia' };

function sign(location: ProcessSign['location'], roles: string[], seenAt = now): ProcessSign {
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
  return { id: 'p', roles, version: '1', location, host: 'h', pid: 1, startedAt: 0, seenAt, ...nothing };
}

describe('served locations', () => {
  it('are those of live processes that run checks, this process first', () => {
    const processes = [
      sign(eu, ['runner']),
      sign(own, ['runner', 'api']),
      sign(asia, ['runner']),
      sign(eu, ['runner']),
    ];
    assert.deepEqual(servedLocations(processes, own, [], now), [own, asia, eu]);
  });

  it('exclude processes that are silent or run no checks', () => {
    const processes = [sign(eu, ['runner'], now - silentAfterMs), sign(own, ['api']), sign(asia, ['runner'])];
    assert.deepEqual(servedLocations(processes, own, [], now), [asia]);
    assert.equal(isAlive({ seenAt: now - silentAfterMs + 1 }, now), true);
  });

  it('are this process’s own if no process runs checks', () => {
    assert.deepEqual(servedLocations([sign(eu, ['deliverer'])], own, [], now), [own]);
  });

  it('name private ones last, so that checks without a location do not run there', () => {
    const processes = [sign(eu, ['runner']), sign(own, ['runner']), sign(asia, ['runner'])];
    const isPrivate = [{ ...own, ownerId: 'an account', seenAt: now }];
    assert.deepEqual(servedLocations(processes, own, isPrivate, now), [asia, eu, own]);
    assert.deepEqual(servedLocations([sign(own, ['runner'])], own, isPrivate, now), [own]);
  });
});

test('the available locations are shown first, then those without a runner and since when', () => {
  const known = [
    { ...asia, ownerId: 'an account', seenAt: now - 60_000 },
    { ...eu, ownerId: null, seenAt: now - 5000 },
  ];
  assert.deepEqual(shownLocations([own, eu], known), [
    { ...own, silentSince: null, isPrivate: false },
    { ...eu, silentSince: null, isPrivate: false },
    { ...asia, silentSince: now - 60_000, isPrivate: true },
  ]);
});
