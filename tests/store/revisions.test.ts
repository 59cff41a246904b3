// Changes of checks that are meant for a revision, on both engines.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { requireRevision } from '#actions/refusal.ts';
import { revisionOf } from '#domain/patch.ts';
import { test } from '../support/store/each-engine.ts';
import { aCheck } from '../support/store/records.ts';

const nothing = { subscriptions: null, isAutoAssigned: false };

test('of changes at once that are meant for one revision, exactly one is saved', async (newStore) => {
  await using temp = await newStore();
  const accountId = randomUUID();
  const { store } = temp;
  const check = aCheck(accountId);
  await store.checks.add({ check, ...nothing });
  const first = (await store.checks.find(accountId, check.id))?.check;
  assert.ok(first);
  const ended = await Promise.allSettled(
    Array.from({ length: 20 }, (_, number) =>
      store.checks.change(accountId, check.id, (present) => {
        requireRevision(present.check, [revisionOf(first)]);
        return { check: { ...present.check, name: `Name ${number}` }, ...nothing };
      }),
    ),
  );
  assert.equal(ended.filter(({ status }) => status === 'fulfilled').length, 1);
});
