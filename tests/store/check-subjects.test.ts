// Checks as reports name them: those of one account, by their ids or one page behind the other.
import assert from 'node:assert/strict';
import type { Check } from '#domain/checks/check.ts';
import { newId } from '#lib/id.ts';
import type { CheckSubject } from '#store/checks/check-subjects.ts';
import type { Store } from '#store/store.ts';
import { test } from '../support/store/each-engine.ts';
import { aCheck, noNotifications } from '../support/store/records.ts';

async function add(store: Store, accountId: string, change: Partial<Check> = {}): Promise<CheckSubject> {
  const saved = await store.checks.add({
    check: aCheck(accountId, change),
    subscriptions: null,
    isAutoAssigned: false,
  });
  assert.ok('saved' in saved);
  const { id, name, checkType, activated, tags } = saved.saved.check;
  return { checkId: id, name, checkType, activated, tags };
}

function idsOf(subjects: readonly CheckSubject[]): string[] {
  return subjects.map(({ checkId }) => checkId);
}

test('checks are named in the order in which they are asked for, without those that the account does not have', async (newStore) => {
  await using temp = await newStore();
  const { store } = temp;
  const { checkSubjects } = store;
  const [accountId, foreign] = [newId(), newId()];
  const first = await add(store, accountId, { name: 'Größe ✓', tags: ['web', 'a"b'], activated: false });
  const second = await add(store, accountId, { checkType: 'TCP', name: 'Port' });
  const gone = await add(store, accountId);
  const theirs = await add(store, foreign, { name: 'Theirs' });
  assert.equal(await store.checks.remove(accountId, gone.checkId, noNotifications), true);
  const asked = [second.checkId, gone.checkId, theirs.checkId, newId(), first.checkId.toUpperCase()];
  assert.deepEqual(await checkSubjects.ofIds(accountId, asked), [second, first]);
  assert.deepEqual(await checkSubjects.ofIds(accountId, asked.toReversed()), [first, second]);
  assert.deepEqual(await checkSubjects.ofIds(foreign, asked), [theirs]);
  assert.deepEqual(await checkSubjects.ofIds(accountId, []), []);
});

test('all checks of an account are walked by their ids, each once, none of another account among them', async (newStore) => {
  await using temp = await newStore();
  const { store } = temp;
  const [accountId, foreign] = [newId(), newId()];
  const all: CheckSubject[] = [];
  // Ids in no order, as those of checks that were moved from elsewhere may be.
  for (const digit of ['7', '1', 'c', '4', 'e', '2', 'a']) {
    all.push(await add(store, accountId, { id: digit + newId().slice(1), name: `check ${digit}`, tags: ['web'] }));
    await add(store, foreign, { id: digit + newId().slice(1), tags: ['web'] });
  }
  const ordered = all.toSorted((a, b) => (a.checkId < b.checkId ? -1 : 1));
  const filter = { tags: ['web'], activated: true };
  const next = (after: string | null, max: number) => store.checkSubjects.after(accountId, filter, after, max);
  for (const max of [1, 3, 7, 100]) {
    const seen: CheckSubject[] = [];
    for (let page = await next(null, max); page.length > 0; page = await next(page.at(-1)?.checkId ?? '', max)) {
      assert.ok(page.length <= max);
      seen.push(...page);
      assert.ok(seen.length <= ordered.length, 'the walk comes to the same again');
    }
    assert.deepEqual(seen, ordered, `${max} at a time`);
  }
  const third = ordered[2];
  assert.ok(third !== undefined);
  assert.equal(await store.checks.remove(accountId, third.checkId, noNotifications), true);
  assert.deepEqual(await next(third.checkId, 100), ordered.slice(3), 'the walk goes on behind a check that is gone');
  assert.deepEqual(await next(null, 3), [...ordered.slice(0, 2), ...ordered.slice(3, 4)]);
  assert.deepEqual(await store.checkSubjects.after(newId(), filter, null, 100), []);
});

test('checks are walked that have all of the tags and are activated, or are not', async (newStore) => {
  await using temp = await newStore();
  const { store } = temp;
  const [accountId, foreign] = [newId(), newId()];
  const web = await add(store, accountId, { id: `1${newId().slice(1)}`, tags: ['web'] });
  const both = await add(store, accountId, { id: `2${newId().slice(1)}`, tags: ['de', 'web'] });
  const off = await add(store, accountId, { id: `3${newId().slice(1)}`, tags: ['web'], activated: false });
  const plain = await add(store, accountId, { id: `4${newId().slice(1)}` });
  // The same id in two accounts: a tag there is none here.
  await add(store, foreign, { id: plain.checkId, tags: ['web', 'de'] });
  const found = async (tags: readonly string[], activated = true) =>
    idsOf(await store.checkSubjects.after(accountId, { tags, activated }, null, 100));
  assert.deepEqual(await found([]), idsOf([web, both, plain]));
  assert.deepEqual(await found(['web']), idsOf([web, both]));
  assert.deepEqual(await found(['web', 'de']), idsOf([both]));
  assert.deepEqual(await found(['web', 'web', 'we']), []);
  assert.deepEqual(await found(['web'], false), idsOf([off]));
  assert.deepEqual(await found(['de'], false), []);
});
