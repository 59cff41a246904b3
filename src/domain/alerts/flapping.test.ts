// When a check flaps, and what its channels receive.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { calm, type Flapping, flappingDueAt, type FlappingEvent, flappingStep } from './flapping.ts';
import type { CheckState } from '../checks/check-state.ts';

const minute = 60_000;
const start = Date.UTC(2026, 10, 27, 3);

/** Replays changes, and every time that falls due between them, as the service does. */
class Replay {
  state: Flapping = calm;
  alerted: CheckState['alerted'] = null;
  readonly sent: string[] = [];
  readonly everyMs: number;
  muted = false;
  acknowledged = false;

  constructor(everyMs = minute) {
    this.everyMs = everyMs;
  }

  change(atMinute: number, after: CheckState['alerted']): this {
    this.until(atMinute);
    const before = this.alerted;
    this.alerted = after;
    return this.#fold(start + atMinute * minute, { type: 'judged', before, after, isRecovered: after === null });
  }

  until(atMinute: number): this {
    for (;;) {
      const dueAt = flappingDueAt(this.state, this.alerted, this.everyMs);
      if (dueAt === null || dueAt > start + atMinute * minute) return this;
      const before = this.state;
      const [isSilenced, isAcknowledged] = [this.muted && this.alerted !== null, this.acknowledged];
      this.#fold(dueAt, { type: 'time', alerted: this.alerted, isSilenced, isAcknowledged });
      if (JSON.stringify(before) === JSON.stringify(this.state)) return this;
    }
  }

  #fold(now: number, event: FlappingEvent): this {
    const { state, message, changes } = flappingStep(this.state, event, now, this.everyMs);
    this.state = state;
    const at = Math.floor((now - start) / minute);
    if (message !== null) this.sent.push(`${at} ${message} ${changes} ${this.alerted ?? 'passing'}`);
    return this;
  }
}

/** Fails and recovers each minute. */
function flap(replay: Replay, from: number, to: number): Replay {
  for (let at = from; at < to; at++) replay.change(at, replay.alerted === null ? 'failing' : null);
  return replay;
}

test('the fifth change within fifteen minutes announces it', () => {
  assert.deepEqual(flap(new Replay(), 0, 4).sent, []);
  assert.deepEqual(flap(new Replay(), 0, 5).sent, ['4 began 5 failing']);
  const slow = new Replay();
  for (let at = 0; at < 60; at += 4) slow.change(at, slow.alerted === null ? 'failing' : null);
  assert.deepEqual(slow.until(60).sent, []);
});

test('a check that runs every ten minutes flaps within ten intervals', () => {
  const replay = new Replay(10 * minute);
  for (let at = 0; at < 90; at += 20) replay.change(at, replay.alerted === null ? 'failing' : null);
  assert.deepEqual(replay.until(120).sent, ['80 began 5 failing', '100 lasts 0 failing', '110 ended 0 failing']);
});

test('its changes come once in ten minutes until it is calm, and the end reports the rest', () => {
  const replay = flap(new Replay(), 0, 26).until(60);
  assert.deepEqual(replay.sent, [
    '4 began 5 failing',
    '14 changed 9 passing',
    '24 changed 10 passing',
    '34 changed 2 passing',
    '35 ended 0 passing',
  ]);
  assert.equal(replay.state.since, null);
  assert.deepEqual(
    replay.change(61, 'failing').change(62, null).sent.length,
    5,
    'the next changes are reported at once',
  );
});

test('a failure that lasts longer than all in the window is reported at once, and once', () => {
  const replay = flap(new Replay(), 0, 7).until(8);
  assert.deepEqual(replay.sent, ['4 began 5 failing', '7 lasts 2 failing']);
  assert.deepEqual(replay.until(30).sent.slice(2), ['16 ended 0 failing']);
});

test('a failure as short as the others waits', () => {
  const replay = flap(new Replay(), 0, 8);
  assert.deepEqual(replay.sent, ['4 began 5 failing']);
});

test('the first failure of a check that flaps between passing and degraded is reported at once', () => {
  const replay = new Replay();
  for (let at = 0; at < 6; at++) replay.change(at, replay.alerted === null ? 'degraded' : null);
  assert.deepEqual(replay.change(6, 'failing').sent, ['4 began 5 degraded', '6 lasts 2 failing']);
});

test('while it is muted nothing is sent before the end; an acknowledged failure does not come back', () => {
  const muted = flap(new Replay(), 0, 7);
  muted.muted = true;
  assert.deepEqual(muted.until(15).sent, ['4 began 5 failing']);
  assert.equal(muted.alerted, 'failing');
  const acknowledged = flap(new Replay(), 0, 7);
  acknowledged.acknowledged = true;
  assert.deepEqual(acknowledged.until(13).sent, ['4 began 5 failing']);
});

test('a recovery without an alert to close is part of the next message', () => {
  const { state } = flap(new Replay(), 0, 6).until(5);
  const event = { type: 'judged', before: null, after: null, isRecovered: true } as const;
  assert.equal(flappingStep({ ...state, isWaiting: false }, event, start + 6 * minute, minute).state.isWaiting, true);
  assert.equal(flappingStep(calm, event, start, minute).state.isWaiting, false);
});

test('after the clock was set back messages and the end come no later than usual', () => {
  const { state } = flap(new Replay(), 0, 6);
  const back = start - 24 * 60 * minute;
  const event = { type: 'time', alerted: null, isSilenced: false, isAcknowledged: false } as const;
  const moved = flappingStep(state, event, back, minute).state;
  assert.equal(flappingDueAt(moved, null, minute), back + 10 * minute);
  assert.equal(flappingStep(moved, event, back + 10 * minute, minute).message, 'ended');
});

test('what is remembered stays small', () => {
  const replay = new Replay();
  for (let at = 0; at < 2000; at++) replay.change(at / 100, replay.alerted === null ? 'failing' : null);
  assert.ok(JSON.stringify(replay.state).length < 2500);
});
