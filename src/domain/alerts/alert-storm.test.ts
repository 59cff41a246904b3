// Start and end of an alert storm, the due times of its digests, and how many messages half an hour of outage sends.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  afterAlert,
  afterJoining,
  afterSending,
  afterTime,
  type AlertStorm,
  countedFrom,
  digestPauseMs,
  digestThresholdOf,
  isGrouped,
  isIdle,
  latestDueAt,
  newsDelayMs,
  noStorm,
} from './alert-storm.ts';

const now = Date.UTC(2026, 2, 10, 12);
const [second, minute] = [1000, 60_000];
const none: ReadonlySet<string> = new Set();

test('the threshold is 20 checks by default, and 0 switches grouping off', () => {
  assert.equal(digestThresholdOf(null), 20);
  assert.equal(digestThresholdOf({ reminders: {} }), 20);
  assert.equal(digestThresholdOf({ digestThreshold: 3 }), 3);
  assert.equal(digestThresholdOf({ digestThreshold: 0 }), null);
});

test('a storm begins with the check beyond the threshold', () => {
  assert.equal(afterAlert(noStorm, 20, 20, now), noStorm);
  const storm = afterAlert(noStorm, 21, 20, now);
  assert.equal(storm.startedAt, now);
  assert.equal(afterAlert(storm, 22, 20, now + second).startedAt, now);
});

test('a storm ends a minute after its wave, when grouping is switched off, and when the clock was set back', () => {
  const storm = afterAlert(noStorm, 21, 20, now);
  const after = (counted: number, threshold: number | null = 20, at = now + minute) =>
    afterTime(storm, { counted, threshold, collecting: none }, at).startedAt;
  assert.equal(after(10), now);
  assert.equal(after(9), null);
  assert.equal(after(1, 1), now);
  assert.equal(after(0, 1), null);
  assert.equal(after(500, null), null);
  assert.equal(after(500, 20, now - second), null);
});

test('alerts are grouped in a storm, and what closes or repeats a grouped alert is grouped at any time', () => {
  const [calm, storm] = [{ startedAt: null }, { startedAt: now }];
  for (const isNews of [true, false]) assert.ok(isGrouped(storm, { isNews, wasGrouped: false }));
  assert.ok(isGrouped(calm, { isNews: false, wasGrouped: true }));
  assert.ok(!isGrouped(calm, { isNews: false, wasGrouped: false }));
  assert.ok(!isGrouped(calm, { isNews: true, wasGrouped: true }), 'it fails again');
});

test('news leave within a minute; recoveries wait for the pause after the last digest', () => {
  const join = (storm: AlertStorm, isNews: boolean, at: number) =>
    afterJoining(storm, { alertChannelId: 7, isNews, newDigestId: `digest-${at}` }, at);
  const first = join(noStorm, true, now);
  assert.deepEqual([first.digestId, first.dueAt], [`digest-${now}`, now + newsDelayMs]);
  const second = join(first.storm, true, now + 10_000);
  assert.deepEqual([second.digestId, second.dueAt], [first.digestId, first.dueAt]);
  const sent = afterSending(second.storm, 7, now + minute);
  const recovery = join(sent, false, now + 2 * minute);
  assert.equal(recovery.dueAt, now + minute + digestPauseMs);
  assert.ok(recovery.dueAt <= latestDueAt(now + 2 * minute));
  const failure = join(recovery.storm, true, now + 3 * minute);
  assert.deepEqual([failure.digestId, failure.dueAt], [recovery.digestId, now + 3 * minute + newsDelayMs]);
  assert.equal(join(sent, false, now).dueAt, now + newsDelayMs, 'the clock was set back');
});

test('channels are forgotten after their pause, and digests that no longer collect are replaced', () => {
  const joined = afterJoining(noStorm, { alertChannelId: 7, isNews: true, newDigestId: 'd' }, now);
  const facts = { counted: 0, threshold: 20, collecting: new Set(['d']) };
  assert.deepEqual(afterTime(joined.storm, facts, now + 59 * minute), joined.storm);
  assert.ok(isIdle(afterTime(joined.storm, { ...facts, collecting: none }, now)), 'its channel was deleted');
  const sent = afterSending(joined.storm, 7, now);
  assert.ok(!isIdle(afterTime(sent, facts, now + digestPauseMs - 1)));
  assert.ok(isIdle(afterTime(sent, facts, now + digestPauseMs)));
});

interface Event {
  readonly at: number;
  readonly check: string;
  /** An email channel gets the changes of a check that flaps from the rules of flapping. */
  readonly isFlapping?: boolean;
  readonly isFailure: boolean;
}

/** Replays the alerts of an account to one email channel, second by second. */
function replay(events: readonly Event[], until: number) {
  let storm: AlertStorm = noStorm;
  let due = null as { readonly digestId: string; readonly dueAt: number; readonly members: readonly Event[] } | null;
  const grouped = new Set<string>();
  const messages: { at: number; events: readonly Event[] }[] = [];
  const counted: Event[] = [];
  const countedAt = (at: number) =>
    new Set(counted.flatMap((event) => (event.at > countedFrom(at) && event.at <= at ? event.check : []))).size;
  for (let at = now; at <= until; at += second) {
    for (const event of events.filter((one) => one.at === at)) {
      const { check, isFailure: isNews } = event;
      if (event.isFlapping !== true) counted.push(event);
      storm = afterAlert(storm, countedAt(at), 20, at);
      const isMember = isGrouped(storm, { isNews, wasGrouped: grouped.has(check) });
      if (isNews && isMember) grouped.add(check);
      else grouped.delete(check);
      if (!isMember) {
        messages.push({ at, events: [event] });
        continue;
      }
      const joined = afterJoining(storm, { alertChannelId: 1, isNews, newDigestId: `digest-${at}-${check}` }, at);
      storm = joined.storm;
      due = { digestId: joined.digestId, dueAt: joined.dueAt, members: [...(due?.members ?? []), event] };
    }
    if (due !== null && due.dueAt <= at) {
      messages.push({ at, events: due.members });
      storm = afterSending(storm, 1, at);
      due = null;
    }
    const collecting = new Set(due === null ? [] : [due.digestId]);
    storm = afterTime(storm, { counted: countedAt(at), threshold: 20, collecting }, at);
  }
  return { messages, storm };
}

test('30 failures, a flapper, a new failure and all recoveries in half an hour: at most 45 messages and the flapper, each failure within a minute', () => {
  const wave = Array.from({ length: 30 }, (_, at) => `site-${at}`);
  const events: Event[] = [
    ...wave.map((check, at) => ({ at: now + 2 * at * second, check, isFailure: true })),
    ...Array.from({ length: 28 }, (_, at) => ({
      at: now + (at + 1) * minute,
      check: 'flapper',
      isFlapping: true,
      isFailure: at % 2 === 0,
    })),
    { at: now + 5 * minute, check: 'new', isFailure: true },
    ...[...wave, 'new'].map((check, at) => ({ at: now + 20 * minute + at * second, check, isFailure: false })),
  ];
  const { messages, storm } = replay(events, now + 30 * minute);
  const others = messages.filter((message) => message.events.some(({ check }) => check !== 'flapper'));
  assert.ok(others.length <= 45, `${others.length} messages`);
  for (const event of events.filter(({ isFailure }) => isFailure)) {
    const told = messages.find((message) => message.events.includes(event)) ?? assert.fail(event.check);
    assert.ok(told.at - event.at <= minute, `${event.check} after ${told.at - event.at} ms`);
  }
  assert.equal(messages.flatMap((message) => message.events).length, events.length, 'every alert is sent once');
  const fresh = messages.find((message) => message.events.some(({ check }) => check === 'new'));
  assert.deepEqual([fresh?.at, fresh?.events.length], [now + 5 * minute, 1], 'the storm is over, whatever flaps');
  assert.equal(storm.startedAt, null);
});

test('recoveries that trickle in after a storm are few messages', () => {
  const checks = Array.from({ length: 300 }, (_, at) => `site-${at}`);
  const events = checks.flatMap((check, at) => [
    { at: now, check, isFailure: true },
    { at: now + 10 * minute + 6 * at * second, check, isFailure: false },
  ]);
  const { messages } = replay(events, now + 60 * minute);
  const singles = messages.filter((message) => message.events.length === 1);
  assert.ok(singles.length <= 40, `${singles.length} single messages`);
  assert.ok(messages.length <= 50, `${messages.length} messages`);
});
