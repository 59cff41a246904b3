// Mutes that last until a check recovers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isMutedAt, lastsUntilRecovery, withMuteStart } from './effective-check.ts';

const now = 1_800_000_000_000;
const none = { muted: false, mutedUntil: null, mutedUntilRecovery: false, mutedFrom: null };

test('a mute until recovery lasts until the check recovers after it was set', () => {
  const set = { mutedUntilRecovery: true, mutedFrom: now };
  assert.ok(lastsUntilRecovery(set, null));
  assert.ok(lastsUntilRecovery(set, now - 1));
  assert.ok(!lastsUntilRecovery(set, now + 1));
  assert.ok(!lastsUntilRecovery(none, null));
});

test('it starts when it is set, also again, and is kept by other writes', () => {
  const set = { ...none, mutedUntilRecovery: true };
  assert.equal(withMuteStart(set, null, true, now).mutedFrom, now);
  assert.equal(withMuteStart(set, { mutedUntilRecovery: true, mutedFrom: 5 }, true, now).mutedFrom, now);
  assert.equal(withMuteStart(set, { mutedUntilRecovery: true, mutedFrom: 5 }, false, now).mutedFrom, 5);
  assert.equal(
    withMuteStart({ ...none, mutedFrom: 5 }, { mutedUntilRecovery: false, mutedFrom: 5 }, false, now).mutedFrom,
    null,
  );
});

test('a check counts as muted in each way', () => {
  assert.ok(!isMutedAt({ ...none, mutedUntil: now }, now));
  for (const change of [{ muted: true }, { mutedUntil: now + 1 }, { mutedUntilRecovery: true }])
    assert.ok(isMutedAt({ ...none, ...change }, now));
});
