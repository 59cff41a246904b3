// Local times around clock changes.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { instantAt, isZone, offsetMs, wallTimeOf } from './wall-time.ts';

const shown = (at: number): string => new Date(at).toISOString().slice(0, 16);
const wall = (text: string): number => Date.parse(`${text}Z`);

describe('a local time', () => {
  it('is converted to its instant', () => {
    assert.equal(shown(instantAt(wall('2026-01-15T12:00'), 'Europe/Berlin', 'first')), '2026-01-15T11:00');
    assert.equal(shown(instantAt(wall('2026-07-15T12:00'), 'Europe/Berlin', 'first')), '2026-07-15T10:00');
    assert.equal(shown(instantAt(wall('2026-01-15T12:00'), 'Asia/Kathmandu', 'first')), '2026-01-15T06:15');
  });

  it('that is skipped when the clocks go forward is shifted by the same amount', () => {
    const at = instantAt(wall('2026-03-29T02:30'), 'Europe/Berlin', 'first');
    assert.equal(shown(at), '2026-03-29T01:30');
    assert.equal(shown(wallTimeOf(at, 'Europe/Berlin')), '2026-03-29T03:30');
  });

  it('that is repeated when the clocks go back is the first or the last instant', () => {
    const twice = wall('2026-10-25T02:30');
    assert.equal(shown(instantAt(twice, 'Europe/Berlin', 'first')), '2026-10-25T00:30');
    assert.equal(shown(instantAt(twice, 'Europe/Berlin', 'last')), '2026-10-25T01:30');
  });

  it('converts back to the same instant for every unique half hour of the months in which clocks change', () => {
    for (const zone of ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'UTC']) {
      let others = 0;
      for (let at = Date.UTC(2026, 2, 1); at < Date.UTC(2026, 11, 1); at += 1_800_000) {
        // Clocks change in March, April, October and November.
        if (at === Date.UTC(2026, 4, 1)) at = Date.UTC(2026, 9, 1);
        const back = (['first', 'last'] as const).map((which) => instantAt(wallTimeOf(at, zone), zone, which));
        assert.ok(back.includes(at), `${shown(at)} in ${zone}`);
        if (back[0] !== back[1]) others++;
      }
      // Both instants of each repeated time: one hour, or half an hour on Lord Howe.
      assert.equal(others, zone === 'UTC' ? 0 : zone === 'Australia/Lord_Howe' ? 2 : 4, zone);
    }
  });
});

describe('a time zone', () => {
  it('is identified by its IANA name', () => {
    assert.deepEqual(['Europe/Berlin', 'UTC', 'Mars/Olympus', '', '+01:00', '-0530', '05:30'].map(isZone), [
      true,
      true,
      false,
      false,
      false,
      false,
      false,
    ]);
  });
});

it('another spelling of a zone needs no other format', (t) => {
  const made = t.mock.method(Intl, 'DateTimeFormat');
  const names = ['Asia/Tokyo', 'asia/tokyo', 'ASIA/TOKYO'];
  assert.deepEqual(
    names.map((name) => offsetMs(0, name)),
    names.map(() => 9 * 3_600_000),
  );
  assert.equal(made.mock.callCount(), 1);
});
