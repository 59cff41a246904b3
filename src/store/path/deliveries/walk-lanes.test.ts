// The rotation of claims over channels.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { walkStart } from '../../channels/delivery-rows.ts';
import { isDueAgain, type Lane, nextClaimAt, walkLanes } from './walk-lanes.ts';

const now = 1000;

function* lanes(count: number, isWhole: boolean, dueAt = now): Generator<Lane, boolean> {
  for (let id = 1; id <= count; id++) {
    yield { account_id: new Uint8Array([id]), accountId: `a${id}`, alert_channel_id: id, next_attempt_at: dueAt };
  }
  return isWhole;
}

function claim(max: number, room = 1) {
  return { now, max, room: (_: string, channel: number) => (channel === 2 ? 0 : room), place: walkStart() };
}

const one = () => ({ count: 1, nextAt: null });

it('A claim ends when it is full, and the next one starts at the channel after.', () => {
  const full = claim(2);
  const walk = walkLanes(lanes(5, true), full, one);
  assert.equal(walk.end, 'full');
  assert.equal(full.place.alertChannelId, 3, 'the second has no room');
  assert.equal(nextClaimAt(walk, 2, now), now);
});

it('A channel without room is passed over, and is no reason to claim again.', () => {
  const walk = walkLanes(lanes(2, true, now + 50), claim(9), () => assert.fail('nothing is due'));
  assert.deepEqual(walk, { dueTimes: [now + 50], end: 'whole' });
  assert.equal(nextClaimAt(walk, 0, now), now + 50);
});

it('If there are more channels than one claim covers, the next follows at once, or soon if nothing was claimed.', () => {
  const walk = walkLanes(lanes(3, false), claim(9), one);
  assert.equal(nextClaimAt(walk, 2, now), now);
  assert.equal(nextClaimAt({ ...walk, dueTimes: [] }, 0, now), now + 20);
});

it('A channel is due again at once if it has capacity that was not used.', () => {
  const sent = { due: 3, firsts: 3, superseded: 0, unsent: 0, isFull: true };
  assert.equal(isDueAgain(sent), false, 'as many were sent as there is room');
  assert.equal(isDueAgain({ ...sent, firsts: 2 }), true);
  assert.equal(isDueAgain({ ...sent, firsts: 2, isFull: false }), false, 'the third waits for an attempt');
  assert.equal(isDueAgain({ ...sent, superseded: 1, isFull: false }), true);
  assert.equal(isDueAgain({ ...sent, unsent: 1, isFull: false }), true);
});
