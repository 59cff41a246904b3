// Times are written in the zone of an account, by the name that applied then.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withZonedTimes, zonedMinute, zonedText, zoneLabel, zoneOf } from './time-zone.ts';

test('times are written in the zone of the account, before and after a change of clocks', () => {
  const berlin = (text: string) => zonedText(Date.parse(text), 'Europe/Berlin');
  assert.equal(berlin('2026-03-29T00:59:59Z'), '2026-03-29 01:59:59 CET');
  assert.equal(berlin('2026-03-29T01:00:00Z'), '2026-03-29 03:00:00 CEST');
  // The hour that occurs twice is unambiguous by the name of its zone.
  assert.equal(berlin('2026-10-25T00:30:00Z'), '2026-10-25 02:30:00 CEST');
  assert.equal(berlin('2026-10-25T01:30:00Z'), '2026-10-25 02:30:00 CET');
  assert.equal(zonedMinute(Date.parse('2026-03-08T07:00:59Z'), 'America/New_York'), '2026-03-08 03:00 EDT');
});

test('a zone without a usual short name is written as its offset', () => {
  const at = Date.parse('2026-01-15T12:00:00Z');
  const zones = ['UTC', 'Asia/Kolkata', 'Asia/Shanghai', 'America/Sao_Paulo', 'Australia/Sydney', 'Europe/London'];
  assert.deepEqual(
    zones.map((zone) => zoneLabel(at, zone)),
    ['UTC', 'UTC+5:30', 'UTC+8', 'UTC-3', 'AEDT', 'GMT'],
  );
});

test('the zone of the server is used if an account has none, or one that is no longer known', () => {
  assert.equal(zoneOf({ timeZone: 'Asia/Tokyo' }, 'Europe/Berlin'), 'Asia/Tokyo');
  assert.equal(zoneOf({ timeZone: null }, 'Europe/Berlin'), 'Europe/Berlin');
  assert.equal(zoneOf({ timeZone: 'Mars/Olympus' }, 'Europe/Berlin'), 'Europe/Berlin');
  assert.equal(zoneOf(undefined, 'UTC'), 'UTC');
});

test('a time that no calendar of four digits has is written as ISO 8601', () => {
  for (const at of [8.64e15, -8.64e15, Date.UTC(10_000, 0)]) {
    assert.equal(zonedText(at, 'Asia/Tokyo'), new Date(at).toISOString());
    assert.equal(zonedMinute(at, 'America/New_York'), new Date(at).toISOString());
  }
});

test('a text of Tocsin shows its times in the zone of the account', () => {
  const text = 'until 2026-03-29T01:00:00.000Z. Not a time: 2026-99-29T01:00:00.000Z, 2026-03-29.';
  const shown = 'until 2026-03-29 03:00:00 CEST. Not a time: 2026-99-29T01:00:00.000Z, 2026-03-29.';
  assert.equal(withZonedTimes(text, 'Europe/Berlin'), shown);
});
