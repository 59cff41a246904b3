// The checks and groups that name a private location or a snippet, in the store.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Check } from '#domain/checks/check.ts';
import { newId } from '#lib/id.ts';
import { it } from '../support/store/each-engine.ts';
import { aCheck, aGroup } from '../support/store/records.ts';
import { putAccount } from '../support/store/rows.ts';

describe('the users of a private location or snippet', () => {
  it('are the checks and groups that name exactly it, the first fifty by name with their number', async (newStore) => {
    await using temp = await newStore();
    const { privateLocations, snippets, checks, checkGroups } = temp.store;
    const [accountId, other] = [putAccount(temp.raw), putAccount(temp.raw)];
    const draft = { subscriptions: [], isAutoAssigned: false };
    const add = (name: string, change: Partial<Check>, owner = accountId) =>
      checks.add({ ...draft, check: aCheck(owner, { id: newId(), name, ...change }) });
    for (let number = 10; number < 62; number++) await add(`Check ${number}`, { privateLocations: ['office'] });
    await add('Another', { privateLocations: ['office-2'], settings: { note: '"office"', setupSnippetId: 12 } });
    await add('Before', { privateLocations: ['lab', 'office'], settings: { setupSnippetId: 1 } });
    await add('After', { settings: { tearDownSnippetId: 1, text: '"setupSnippetId":12' } });
    await add('Foreign', { privateLocations: ['office'], settings: { setupSnippetId: 1 } }, other);
    const group = aGroup(accountId, { privateLocations: ['office'], tearDownSnippetId: 1 });
    const added = await checkGroups.add({ ...draft, group });
    assert.ok('saved' in added);
    const none = { total: 0, listed: [] };
    const groups = { total: 1, listed: [{ id: added.saved.group.id, name: group.name }] };

    const ofOffice = await privateLocations.uses(accountId, 'office');
    assert.deepEqual(ofOffice.groups, groups);
    assert.equal(ofOffice.checks.total, 53);
    const names = ofOffice.checks.listed.map(({ name }) => name);
    assert.deepEqual(names, ['Before', ...Array.from({ length: 49 }, (_, index) => `Check ${index + 10}`)]);
    const ofFirst = await snippets.uses(accountId, 1);
    assert.deepEqual(ofFirst.groups, groups);
    assert.deepEqual([ofFirst.checks.total, ...ofFirst.checks.listed.map(({ name }) => name)], [2, 'After', 'Before']);
    assert.deepEqual((await snippets.uses(accountId, 2)).checks, none);
    assert.equal((await snippets.uses(other, 1)).checks.total, 1);
  });
});
