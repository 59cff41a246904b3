// Changes to many checks on both engines: in parts, continued after a crash, undone, and bounded.
import assert from 'node:assert/strict';
import { changesKept, type PreviousFields, undoMs } from '#domain/changes/bulk-change.ts';
import { revisionOf } from '#domain/patch.ts';
import { newId } from '#lib/id.ts';
import { idBytes } from '#store/base/codec.ts';
import { runAs } from '#store/base/audit/acting.ts';
import type { OpenChange } from '#store/checks/check-changes.ts';
import type { ChangeRules, DueCheck } from '#store/checks/decide-changes.ts';
import { createApplyCheckChanges } from '#upkeep/apply-check-changes.ts';
import { test } from '../support/store/each-engine.ts';
import { aCheck, noNotifications } from '../support/store/records.ts';
import type { TempStore } from '../support/store/temp-store.ts';

const leaseMs = 10_000;
const nothing = { subscriptions: null, isAutoAssigned: false };
const closing = { render: noNotifications };
const edit = { frequency: 5 };

/** Sets the interval, or restores it. */
function rulesOf(due: readonly DueCheck[], isUndo: boolean): ChangeRules {
  const byId = new Map(due.map((one) => [one.checkId, one]));
  return {
    missing: 'missing',
    reasonOf: () => 'dangling',
    decide(present) {
      const { check } = present;
      const one = byId.get(check.id);
      if (isUndo && one?.revision !== revisionOf(check)) return { reason: 'changed again' };
      if (isUndo && one?.previous == null) return { reason: 'too large' };
      const fields: PreviousFields = isUndo ? (one?.previous ?? {}) : edit;
      if (check.frequency === fields.frequency) return null;
      return {
        write: { check: { ...check, ...fields }, ...nothing },
        previous: { frequency: check.frequency, tags: check.tags },
      };
    },
  };
}

function opened({ store, clock }: TempStore) {
  const changes = store.checkChanges;
  const accountId = newId();
  const claim = (owner: string) => changes.claim({ owner, now: clock.now(), leaseMs }, 10);
  const applyAs = async (owner: string, change: OpenChange): Promise<void> => {
    const due = await changes.nextPart(change);
    const isDeletion = change.edit === null && change.undoOf === null;
    const rules = rulesOf(due, change.undoOf !== null);
    await changes.applyPart(change, owner, due, isDeletion ? { ...rules, decide: null } : rules, closing);
  };
  const step = createApplyCheckChanges({
    store: changes,
    owner: 'step',
    applyPart: (change: OpenChange) => applyAs('step', change),
    clock,
    onError: (_change, error) => {
      throw error;
    },
  });
  /** Runs the step until nothing is in progress. */
  const finish = async (): Promise<void> => {
    while ((await step()) === 0);
  };
  const addChecks = async (count: number, change: object = {}): Promise<string[]> => {
    const checks = Array.from({ length: count }, () => aCheck(accountId, change));
    const writes = checks.map((check) => ({ check, ...nothing }));
    await store.checks.addAll(accountId, writes);
    return checks.map(({ id }) => id);
  };
  const start = async (checkIds: readonly string[], wanted: typeof edit | null = edit): Promise<string> => {
    const id = newId();
    assert.equal(await changes.add({ accountId, id, edit: wanted, checkIds, createdAt: clock.now() }), 'added');
    return id;
  };
  const counts = async (id: string) => {
    const change = await changes.find(accountId, id);
    return change && [change.checks, change.changed, change.unchanged, change.refused, change.endedAt !== null];
  };
  return { changes, accountId, claim, applyAs, finish, addChecks, start, counts };
}

test('a change that a process left is continued by another, and each check is changed once', async (newStore) => {
  await using temp = await newStore();
  const { changes, accountId, claim, applyAs, finish, addChecks, start, counts } = opened(temp);
  const ids = [...(await addChecks(50)), ...(await addChecks(5, edit)), newId()];
  const actor = { kind: 'api-key', id: newId(), name: null } as const;
  const acting = { actor, accountId, operation: 'createCheckChange', address: null, requestId: null };
  const id = await runAs(acting, () => start(ids));
  const [first] = await claim('one');
  assert.ok(first);
  assert.deepEqual(first.acting, acting, 'the next process acts for the same person or key');
  await runAs(acting, () => applyAs('one', first));
  assert.deepEqual(await counts(id), [56, 10, 0, 0, false]);
  // It dies.
  assert.deepEqual(await claim('step'), []);
  temp.clock.advance(leaseMs);
  await finish();
  assert.deepEqual(await counts(id), [56, 50, 5, 1, true]);
  await runAs(acting, () => applyAs('one', first));
  assert.deepEqual(await counts(id), [56, 50, 5, 1, true], 'a late part has no effect');
  assert.deepEqual(await changes.refused(accountId, id, 10), [{ checkId: ids[55], name: null, reason: 'missing' }]);
  const entries = temp.raw.prepare('SELECT DISTINCT resource_id FROM audit_log').all();
  assert.deepEqual(
    new Set(entries.map((row) => row['resource_id'])),
    new Set(ids.slice(0, 10)),
    'each check has an entry of its own',
  );
});

test('a change is undone for checks that are still as it left them', async (newStore) => {
  await using temp = await newStore();
  const { store } = temp;
  const { changes, accountId, finish, addChecks, start, counts } = opened(temp);
  const large = Array.from({ length: 100 }, (_, index) => `${index}`.padStart(190, 'x'));
  const ids = [...(await addChecks(30)), ...(await addChecks(5, { tags: large }))];
  const id = await start(ids);
  assert.equal(await changes.addUndo(accountId, newId(), id), 'busy', 'it is in progress');
  await finish();
  const [renamed = '', removed = ''] = ids;
  await store.checks.change(accountId, renamed, ({ check }) => ({ check: { ...check, name: 'New' }, ...nothing }));
  await store.checks.remove(accountId, removed, noNotifications);
  const undo = newId();
  assert.equal(await changes.addUndo(newId(), undo, id), 'unknown', 'other accounts cannot undo it');
  assert.equal(await changes.addUndo(accountId, undo, id), 'added');
  await finish();
  const refused = await changes.refused(accountId, undo, 100);
  const tooLarge = refused.filter(({ reason }) => reason === 'too large').length;
  // 64 kB of previous values are stored per part: three lists of 20 kB.
  assert.deepEqual([tooLarge, await counts(undo)], [2, [35, 31, 0, 4, true]]);
  assert.deepEqual(refused.slice(0, 2), [
    { checkId: renamed, name: 'New', reason: 'changed again' },
    { checkId: removed, name: null, reason: 'missing' },
  ]);
  const [, , restored = '', last = ''] = ids;
  const stored = await Promise.all([renamed, restored, last].map((one) => store.checks.find(accountId, one)));
  assert.deepEqual(
    stored.map((one) => one?.check.frequency),
    [5, 10, 10],
  );
  assert.equal((await changes.find(accountId, id))?.isUndone, true);
  assert.equal(await changes.addUndo(accountId, newId(), id), 'unknown', 'once only');
  assert.equal(await changes.addUndo(accountId, newId(), undo), 'unknown', 'an undo is not undone');
  const kept = temp.raw.prepare('SELECT changed FROM check_change_parts WHERE change_id = ?').all(idBytes(undo));
  assert.ok(kept.length > 0 && kept.every(({ changed }) => changed === null), 'nor stored values for that');
});

test('an account has one change in progress and a few stored ones, which go after ten minutes', async (newStore) => {
  await using temp = await newStore();
  const { changes, accountId, finish, addChecks, start } = opened(temp);
  const other = opened(temp);
  const ids = await addChecks(1);
  const first = await start(ids);
  const waiting = { accountId, id: newId(), edit, checkIds: ids, createdAt: temp.clock.now() };
  assert.equal(await changes.add(waiting), 'busy');
  const foreign = await other.start(ids);
  await finish();
  assert.deepEqual(await other.counts(foreign), [1, 0, 0, 1, true], 'checks of other accounts are unknown');
  assert.equal(await changes.find(accountId, foreign), null);
  for (let count = 0; count < changesKept; count++) {
    temp.clock.advance(1);
    await start(ids);
    await finish();
  }
  assert.equal(await changes.find(accountId, first), null, 'the oldest one gave way');
  const stored = (table: string) => temp.raw.prepare(`SELECT count(*) AS rows FROM ${table}`).get()?.['rows'];
  assert.deepEqual([stored('check_changes'), stored('check_change_parts')], [changesKept + 1, changesKept + 1]);
  temp.clock.advance(undoMs + 1);
  await finish();
  assert.deepEqual([stored('check_changes'), stored('check_change_parts')], [0, 0]);
});

test('checks are deleted in parts, and those that are gone are named', async (newStore) => {
  await using temp = await newStore();
  const { changes, accountId, claim, applyAs, finish, addChecks, start, counts } = opened(temp);
  const ids = await addChecks(10);
  const id = await start(ids, null);
  const [change] = await claim('step');
  assert.ok(change);
  await applyAs('step', change);
  assert.deepEqual(await counts(id), [10, 3, 0, 0, false], 'a few at a time');
  const [, , , , , , , , , last = ''] = ids;
  await temp.store.checks.remove(accountId, last, noNotifications);
  await finish();
  assert.deepEqual(await counts(id), [10, 9, 0, 1, true]);
  assert.equal(await temp.store.checks.find(accountId, ids[0] ?? ''), null);
  assert.deepEqual(await changes.refused(accountId, id, 10), [{ checkId: last, name: null, reason: 'missing' }]);
  assert.equal(await changes.addUndo(accountId, newId(), id), 'unknown');
});
