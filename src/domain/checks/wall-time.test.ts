// What clocks on walls show, around the hours at which they are set.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { instantAt, isZone, wallTimeOf } from './wall-time.ts';

const shown = (at: number): string => new Date(at).toISOString().slice(0, 16);
const wall = (text: string): number => Date.parse(`${text}Z`);

describe('a time of a zone', () => {
  it('is the instant at which its clocks show it', () => {
    assert.equal(shown(instantAt(wall('2026-01-15T12:00'), 'Europe/Berlin', 'first')), '2026-01-15T11:00');
    assert.equal(shown(instantAt(wall('2026-07-15T12:00'), 'Europe/Berlin', 'first')), '2026-07-15T10:00');
    assert.equal(shown(instantAt(wall('2026-01-15T12:00'), 'Asia/Kathmandu', 'first')), '2026-01-15T06:15');
  });

  it('that is left out when clocks are set forward is as much later', () => {
    const at = instantAt(wall('2026-03-29T02:30'), 'Europe/Berlin', 'first');
    assert.equal(shown(at), '2026-03-29T01:30');
    assert.equal(shown(wallTimeOf(at, 'Europe/Berlin')), '2026-03-29T03:30');
  });

  it('that comes twice when they are set back is the first or the last', () => {
    const twice = wall('2026-10-25T02:30');
    assert.equal(shown(instantAt(twice, 'Europe/Berlin', 'first')), '2026-10-25T00:30');
    assert.equal(shown(instantAt(twice, 'Europe/Berlin', 'last')), '2026-10-25T01:30');
  });

  it('and back is the same for every half hour of a year that is not one of those', () => {
    for (const zone of ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'UTC']) {
      let others = 0;
      for (let at = Date.UTC(2026, 0, 1); at < Date.UTC(2027, 0, 1); at += 1_800_000) {
        const back = (['first', 'last'] as const).map((which) => instantAt(wallTimeOf(at, zone), zone, which));
        assert.ok(back.includes(at), `${shown(at)} in ${zone}`);
        if (back[0] !== back[1]) others++;
      }
      // Both instants of each time that comes twice: an hour of it, half an hour on Lord Howe.
      assert.equal(others, zone === 'UTC' ? 0 : zone === 'Australia/Lord_Howe' ? 2 : 4, zone);
    }
  });
});

describe('a time zone', () => {
  it('is known by its IANA name', () => {
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
