// Occurrences of maintenance windows, including daylight saving time and short months.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  lastPause,
  longestOf,
  maintenanceAt,
  type MaintenanceWindow,
  maxSkipped,
  nextOccurrence,
  occurrence,
  occurrenceAt,
  occurrenceFrom,
  occurrencesIn,
  type RepeatUnit,
  withSkipped,
} from './maintenance-window.ts';
import { wallTimeOf } from './wall-time.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

function aWindow(startsAt: string, endsAt: string, change: Partial<MaintenanceWindow> = {}): MaintenanceWindow {
  return {
    accountId: 'a',
    id: 1,
    name: 'Restart',
    description: null,
    tags: [],
    startsAt: Date.parse(startsAt),
    endsAt: Date.parse(endsAt),
    repeatInterval: null,
    repeatUnit: null,
    repeatEndsAt: null,
    timezone: 'UTC',
    pauseAllChecks: true,
    silenceAllAlerts: false,
    isPublic: false,
    silenceAlertsTags: [],
    skippedOccurrences: [],
    checkIds: [],
    groupIds: [],
    createdAt: 0,
    updatedAt: null,
    ...change,
  };
}

/** The first occurrences of a window in its local time. */
function times(window: MaintenanceWindow, count: number): string[] {
  const shown = (at: number): string => new Date(wallTimeOf(at, window.timezone)).toISOString().slice(0, 16);
  return Array.from({ length: count }, (_, index) => occurrence(window, index)).map((span) =>
    span === null ? 'none' : `${shown(span.from)} ${shown(span.to)}`,
  );
}

const tagged = (tags: readonly string[]) => ({ id: 'c', groupId: 4, tags });

describe('a maintenance window', () => {
  it('without a repeat occurs once, and excludes its end', () => {
    const window = aWindow('2026-03-10T22:00:00Z', '2026-03-10T23:00:00Z');
    assert.deepEqual(times(window, 2), ['2026-03-10T22:00 2026-03-10T23:00', 'none']);
    const isOn = [-1, 0, hourMs - 1, hourMs].map((after) => occurrenceAt(window, window.startsAt + after) !== null);
    assert.deepEqual(isOn, [false, true, true, false]);
  });

  it('that repeats daily keeps its local time when daylight saving time begins', () => {
    const window = aWindow('2026-03-27T23:00:00Z', '2026-03-28T04:00:00Z', {
      repeatInterval: 1,
      repeatUnit: 'DAY',
      timezone: 'Europe/Berlin',
    });
    assert.deepEqual(times(window, 3), [
      '2026-03-28T00:00 2026-03-28T05:00',
      '2026-03-29T00:00 2026-03-29T05:00',
      '2026-03-30T00:00 2026-03-30T05:00',
    ]);
    const lengths = [0, 1, 2].map((index) => {
      const span = occurrence(window, index);
      return span === null ? 0 : (span.to - span.from) / hourMs;
    });
    assert.deepEqual(lengths, [5, 4, 5], 'the night in which the clocks go forward is an hour shorter');
  });

  it('that begins in the skipped hour is delayed with its start and keeps its duration', () => {
    const change = { repeatInterval: 1, repeatUnit: 'DAY', timezone: 'Europe/Berlin' } as const;
    const hour = aWindow('2026-03-28T01:00:00Z', '2026-03-28T02:00:00Z', change);
    assert.deepEqual(times(hour, 3), [
      '2026-03-28T02:00 2026-03-28T03:00',
      '2026-03-29T03:00 2026-03-29T04:00',
      '2026-03-30T02:00 2026-03-30T03:00',
    ]);
    const half = aWindow('2026-03-28T01:30:00Z', '2026-03-28T02:15:00Z', change);
    assert.equal(times(half, 2)[1], '2026-03-29T03:30 2026-03-29T04:15');
    const endsInIt = aWindow('2026-03-28T00:30:00Z', '2026-03-28T01:30:00Z', change);
    assert.equal(times(endsInIt, 2)[1], '2026-03-29T01:30 2026-03-29T03:30');
  });

  it('that begins and ends in the repeated hour covers both passes of it', () => {
    const change = { repeatInterval: 1, repeatUnit: 'DAY', timezone: 'Europe/Berlin' } as const;
    const window = aWindow('2026-10-24T00:15:00Z', '2026-10-24T00:45:00Z', change);
    const span = occurrence(window, 1);
    assert.equal(span?.from, Date.parse('2026-10-25T00:15:00Z'));
    assert.equal(span?.to, Date.parse('2026-10-25T01:45:00Z'));
  });

  it('that repeats monthly falls on the last day of a shorter month, and on its own day afterwards', () => {
    const window = aWindow('2026-01-31T22:00:00Z', '2026-02-01T02:00:00Z', { repeatInterval: 1, repeatUnit: 'MONTH' });
    assert.deepEqual(times(window, 4), [
      '2026-01-31T22:00 2026-02-01T02:00',
      '2026-02-28T22:00 2026-03-01T02:00',
      '2026-03-31T22:00 2026-04-01T02:00',
      '2026-04-30T22:00 2026-05-01T02:00',
    ]);
    const leap = aWindow('2028-01-31T22:00:00Z', '2028-01-31T23:00:00Z', { repeatInterval: 1, repeatUnit: 'MONTH' });
    assert.equal(times(leap, 2)[1], '2028-02-29T22:00 2028-02-29T23:00');
  });

  it('that repeats every second week has no occurrence that begins at the end of the repeat', () => {
    const window = aWindow('2026-03-02T08:00:00Z', '2026-03-02T09:00:00Z', {
      repeatInterval: 2,
      repeatUnit: 'WEEK',
      repeatEndsAt: Date.parse('2026-03-30T08:00:00Z'),
    });
    assert.deepEqual(times(window, 3), [
      '2026-03-02T08:00 2026-03-02T09:00',
      '2026-03-16T08:00 2026-03-16T09:00',
      'none',
    ]);
    assert.equal(nextOccurrence(window, Date.parse('2026-03-16T09:00:00Z')), null);
  });

  it('has the same occurrence at every instant of several years as a search through all of them', () => {
    const units: readonly (readonly [number, RepeatUnit])[] = [
      [1, 'DAY'],
      [3, 'DAY'],
      [1, 'WEEK'],
      [1, 'MONTH'],
      [5, 'MONTH'],
    ];
    for (const [repeatInterval, repeatUnit] of units) {
      const window = aWindow('2026-01-30T23:30:00Z', '2026-01-31T03:00:00Z', {
        repeatInterval,
        repeatUnit,
        timezone: 'America/New_York',
      });
      const all = Array.from({ length: 900 }, (_, index) => occurrence(window, index)).filter((span) => span !== null);
      // An odd step length meets every hour of the day; a new record each time bypasses the cache.
      for (let at = window.startsAt - dayMs; at < window.startsAt + 2 * 365 * dayMs; at += 13 * hourMs + 60_000) {
        const expected = all.find((span) => span.to > at) ?? null;
        assert.deepEqual(nextOccurrence(window, at), expected);
        const isOn = expected !== null && expected.from <= at;
        assert.equal(occurrenceAt({ ...window }, at) !== null, isOn);
        assert.equal(occurrenceAt(window, at) !== null, isOn, 'with the cache');
      }
    }
  });

  it('leaves out a skipped occurrence, also across a clock change, and ends one early', () => {
    const daily = { repeatInterval: 1, repeatUnit: 'DAY', timezone: 'Europe/Berlin' } as const;
    const plain = aWindow('2026-03-27T23:00:00Z', '2026-03-28T01:00:00Z', daily);
    const [night, later] = [Date.parse('2026-03-28T23:00:00Z'), Date.parse('2026-03-29T22:00:00Z')];
    const atNight = occurrenceFrom(plain, night);
    assert.deepEqual(atNight, { from: night, to: night + 2 * hourMs });
    assert.equal(occurrenceFrom(plain, night + 1), null, 'no occurrence starts then');
    const skipped = { ...plain, skippedOccurrences: withSkipped(plain, atNight, night - 1) ?? [] };
    assert.deepEqual(skipped.skippedOccurrences, [{ startsAt: night, endedAt: null }]);
    assert.equal(occurrenceAt(skipped, night + hourMs), null);
    assert.equal(nextOccurrence(skipped, night - hourMs)?.from, later, 'local midnight after the clocks went forward');
    const check = tagged([]);
    assert.deepEqual(maintenanceAt([skipped], check, night + hourMs), { isPaused: false, isSilenced: false });
    assert.equal(maintenanceAt([skipped], check, later + hourMs).isPaused, true);
    assert.equal(lastPause([skipped], check, { from: night, to: night + hourMs }), null);

    const ended = { ...plain, skippedOccurrences: withSkipped(plain, atNight, night + hourMs) ?? [] };
    const isOn = [0, hourMs - 1, hourMs, 2 * hourMs - 1].map(
      (after) => occurrenceAt({ ...ended }, night + after) !== null,
    );
    assert.deepEqual(isOn, [true, true, false, false]);
    assert.deepEqual(lastPause([ended], check, { from: night, to: later }), { from: night, to: night + hourMs });
    assert.deepEqual(
      withSkipped(ended, atNight, night + 2),
      ended.skippedOccurrences,
      'an ended one stays as it ended',
    );
  });

  it('stores a hundred skipped occurrences: those that are over make room, those ahead do not', () => {
    const first = Date.parse('2026-01-01T00:00:00Z');
    let window = aWindow('2026-01-01T00:00:00Z', '2026-01-01T01:00:00Z', { repeatInterval: 1, repeatUnit: 'DAY' });
    const skip = (day: number, now: number) => {
      const planned = occurrenceFrom(window, first + day * dayMs);
      assert.ok(planned);
      return withSkipped(window, planned, now);
    };
    for (let day = 0; day < maxSkipped; day++) window = { ...window, skippedOccurrences: skip(day, first - 1) ?? [] };
    assert.equal(window.skippedOccurrences.length, 100);
    assert.equal(skip(100, first - 1), null, 'all lie ahead');
    const later = skip(100, first + hourMs);
    assert.deepEqual([later?.length, later?.[0]?.startsAt], [100, first + dayMs], 'the first is over');
  });

  it('may last until its next occurrence', () => {
    assert.deepEqual(
      ([null, 'DAY', 'WEEK', 'MONTH'] as const).map(
        (repeatUnit) => longestOf({ repeatInterval: 2, repeatUnit }) / dayMs,
      ),
      [Infinity, 2, 14, 56],
    );
  });
});

describe('a calendar of maintenance windows', () => {
  const all = <Answer>(work: Generator<undefined, Answer, undefined>): Answer => {
    for (;;) {
      const { done, value } = work.next();
      if (done === true) return value;
    }
  };
  const daily = { repeatInterval: 1, repeatUnit: 'DAY' } as const;
  const march = { from: Date.parse('2026-03-02T00:00:00Z'), to: Date.parse('2026-03-04T00:00:00Z') };

  it('has the occurrences that overlap its time in order, and names the skipped ones', () => {
    const night = aWindow('2026-03-01T22:00:00Z', '2026-03-02T02:00:00Z', { ...daily, id: 1 });
    const noon = aWindow('2026-01-01T12:00:00Z', '2026-01-01T13:00:00Z', {
      ...daily,
      id: 2,
      skippedOccurrences: [{ startsAt: Date.parse('2026-03-03T12:00:00Z'), endedAt: null }],
    });
    const once = aWindow('2026-03-04T00:00:00Z', '2026-03-04T02:00:00Z', { id: 3 });
    const { entries, isComplete } = all(occurrencesIn([noon, once, night], march, 10));
    const shown = entries.map(
      ({ window, planned, span }) =>
        `${window.id} ${new Date(planned.from).toISOString().slice(5, 13)}${span === null ? ' skipped' : ''}`,
    );
    assert.deepEqual(shown, ['1 03-01T22', '2 03-02T12', '1 03-02T22', '2 03-03T12 skipped', '1 03-03T22']);
    assert.equal(isComplete, true);
  });

  it('ends at its limit and says so', () => {
    const windows = [1, 2, 3].map((id) => aWindow('2026-01-01T12:00:00Z', '2026-01-01T13:00:00Z', { ...daily, id }));
    const [some, exactly] = [all(occurrencesIn(windows, march, 4)), all(occurrencesIn(windows, march, 6))];
    assert.deepEqual([some.entries.length, some.isComplete], [4, false]);
    assert.deepEqual([exactly.entries.length, exactly.isComplete], [6, true]);
  });
});

describe('the effect of maintenance on a check', () => {
  const at = Date.parse('2026-03-10T22:30:00Z');
  const off = { pauseAllChecks: false };
  const rows: readonly [what: string, change: Partial<MaintenanceWindow>, isPaused: boolean, isSilenced: boolean][] = [
    ['all are paused', {}, true, true],
    ['its tag is paused', { ...off, tags: ['shop'] }, true, true],
    ['it is paused by its id', { ...off, checkIds: ['b', 'c'] }, true, true],
    ['its group is paused', { ...off, groupIds: [3, 4] }, true, true],
    ['another check and group are', { ...off, checkIds: ['b'], groupIds: [5] }, false, false],
    ['another tag is', { ...off, tags: ['shops'] }, false, false],
    ['alerts of all are silenced', { ...off, silenceAllAlerts: true }, false, true],
    ['alerts of its tag are', { ...off, silenceAlertsTags: ['eu', 'shop'] }, false, true],
    ['it is another day', { startsAt: at + dayMs, endsAt: at + 2 * dayMs }, false, false],
  ];
  for (const [what, change, isPaused, isSilenced] of rows) {
    it(`if ${what}: ${isPaused ? 'not run' : isSilenced ? 'run without alerts' : 'none'}`, () => {
      const window = aWindow('2026-03-10T22:00:00Z', '2026-03-10T23:00:00Z', change);
      assert.deepEqual(maintenanceAt([window], tagged(['shop']), at), { isPaused, isSilenced });
    });
  }

  it('combines all windows', () => {
    const windows = [
      aWindow('2026-03-10T22:00:00Z', '2026-03-10T23:00:00Z', { ...off, silenceAllAlerts: true }),
      aWindow('2026-03-10T22:00:00Z', '2026-03-10T22:20:00Z'),
    ];
    assert.deepEqual(maintenanceAt(windows, tagged([]), at), { isPaused: false, isSilenced: true });
    assert.deepEqual(maintenanceAt(windows, tagged([]), at - 15 * 60_000), { isPaused: true, isSilenced: true });
  });
});

it('computes occurrences only of windows that may cover the check', () => {
  const [from, to] = ['2026-03-01T10:00:00Z', '2026-03-01T11:00:00Z'] as const;
  const ofOthers = Array.from({ length: 3000 }, (_, index) => {
    const window = aWindow(from, to, {
      id: index + 2,
      pauseAllChecks: false,
      tags: [`tag ${index}`],
      checkIds: [`check ${index}`],
      groupIds: [index + 100],
      repeatUnit: 'DAY',
    });
    return Object.defineProperty({ ...window }, 'startsAt', {
      get: () => assert.fail('its occurrences were computed'),
    });
  });
  const own = aWindow(from, to, { pauseAllChecks: false, silenceAlertsTags: ['shop'] });
  const windows = [...ofOthers, own];
  const at = Date.parse('2026-03-01T10:30:00Z');
  assert.deepEqual(maintenanceAt(windows, tagged(['shop', 'eu']), at), { isPaused: false, isSilenced: true });
  assert.deepEqual(maintenanceAt(windows, tagged(['eu']), at), { isPaused: false, isSilenced: false });
});
