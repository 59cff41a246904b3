// What a change to many checks sets, and what takes it back.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Check, plainCheck } from '../checks/check.ts';
import { editedFields, previousFields, reasonAgainst, restoredFields, undoableUntil, undoMs } from './bulk-change.ts';

const check: Check = {
  ...plainCheck,
  accountId: 'a',
  id: 'c',
  checkType: 'URL',
  name: 'Shop',
  settings: {},
  createdAt: 0,
  tags: ['one', 'two'],
  mutedUntil: 50,
  mutedFrom: 7,
};
const subscriptions = [
  { alertChannelId: 1, activated: true, escalationMinutes: 0 },
  { alertChannelId: 2, activated: false, escalationMinutes: 30 },
];
const present = { check, subscriptions };

test('tags and channels are added to and removed from those that a check has', () => {
  const edit = { addTags: ['two', 'three'], removeTags: ['one', 'nine'], addChannels: [2, 3], removeChannels: [1] };
  assert.deepEqual(editedFields(edit, present), {
    tags: ['two', 'three'],
    alertChannelSubscriptions: [
      { alertChannelId: 2, activated: true, escalationMinutes: 30 },
      { alertChannelId: 3, activated: true, escalationMinutes: 0 },
    ],
  });
  assert.deepEqual(editedFields({ frequency: 5 }, present), { frequency: 5 });
});

test('the previous values restore a check, except the end of a mute that is over', () => {
  const edited = editedFields({ mutedUntilRecovery: true, mutedUntil: null, addChannels: [3] }, present);
  const previous = previousFields(edited, present);
  const fields = { mutedUntilRecovery: false, mutedUntil: 50, alertChannelSubscriptions: subscriptions };
  assert.deepEqual(previous, { ...fields, mutedFrom: 7 });
  assert.deepEqual(restoredFields(previous, 49), fields);
  assert.deepEqual(restoredFields(previous, 50), { ...fields, mutedUntil: null });
  assert.deepEqual(restoredFields({ tags: [] }, 50), { tags: [] });
});

test('a heartbeat has no interval and no location, and lists have an end', () => {
  const heartbeat = { ...check, checkType: 'HEARTBEAT' };
  assert.match(reasonAgainst({ frequency: 5 }, heartbeat) ?? '', /no interval/);
  assert.match(reasonAgainst({ runParallel: true }, heartbeat) ?? '', /no location/);
  assert.equal(reasonAgainst({ tags: ['a'] }, heartbeat), null);
  assert.equal(reasonAgainst({ frequency: 5, locations: [] }, check), null);
  assert.match(reasonAgainst({ tags: Array<string>(101).fill('a') }, check) ?? '', /100 tags/);
  const many = Array.from({ length: 201 }, (_, index) => ({
    alertChannelId: index + 1,
    activated: true,
    escalationMinutes: 0,
  }));
  assert.match(reasonAgainst({ alertChannelSubscriptions: many }, check) ?? '', /200 channels/);
});

test('only an ended edit that changed something can be undone, once', () => {
  const counts = { checks: 1, changed: 1, unchanged: 0, refused: 0 };
  const change = {
    accountId: 'a',
    id: 'b',
    edit: {},
    undoOf: null,
    ...counts,
    createdAt: 1,
    endedAt: 2,
    isUndone: false,
  };
  assert.equal(undoableUntil(change), 2 + undoMs);
  for (const other of [{ edit: null }, { endedAt: null }, { changed: 0 }, { isUndone: true }]) {
    assert.equal(undoableUntil({ ...change, ...other }), null);
  }
});
