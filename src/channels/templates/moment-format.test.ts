// Time formats in templates, token by token.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatInstant } from './moment-format.ts';

const morning = Date.parse('2026-11-21T09:05:07.089Z');
const night = Date.parse('2025-01-01T00:00:00.000Z');

/** Token → output for a Saturday morning and for midnight on New Year's Day. */
const table: Readonly<Record<string, readonly [string, string]>> = {
  M: ['11', '1'],
  Mo: ['11th', '1st'],
  MM: ['11', '01'],
  MMM: ['Nov', 'Jan'],
  MMMM: ['November', 'January'],
  Q: ['4', '1'],
  Qo: ['4th', '1st'],
  D: ['21', '1'],
  Do: ['21st', '1st'],
  DD: ['21', '01'],
  DDD: ['325', '1'],
  DDDo: ['325th', '1st'],
  DDDD: ['325', '001'],
  d: ['6', '3'],
  do: ['6th', '3rd'],
  dd: ['Sa', 'We'],
  ddd: ['Sat', 'Wed'],
  dddd: ['Saturday', 'Wednesday'],
  e: ['6', '3'],
  E: ['6', '3'],
  w: ['47', '1'],
  wo: ['47th', '1st'],
  ww: ['47', '01'],
  W: ['47', '1'],
  Wo: ['47th', '1st'],
  WW: ['47', '01'],
  Y: ['2026', '2025'],
  YY: ['26', '25'],
  YYYY: ['2026', '2025'],
  YYYYY: ['02026', '02025'],
  YYYYYY: ['+002026', '+002025'],
  gg: ['26', '25'],
  gggg: ['2026', '2025'],
  GG: ['26', '25'],
  GGGG: ['2026', '2025'],
  yyyy: ['2026', '2025'],
  N: ['AD', 'AD'],
  A: ['AM', 'AM'],
  a: ['am', 'am'],
  H: ['9', '0'],
  HH: ['09', '00'],
  h: ['9', '12'],
  hh: ['09', '12'],
  k: ['9', '24'],
  kk: ['09', '24'],
  m: ['5', '0'],
  mm: ['05', '00'],
  s: ['7', '0'],
  ss: ['07', '00'],
  S: ['0', '0'],
  SS: ['08', '00'],
  SSS: ['089', '000'],
  SSSSSS: ['089000', '000000'],
  Z: ['+00:00', '+00:00'],
  ZZ: ['+0000', '+0000'],
  z: ['UTC', 'UTC'],
  X: ['1795251907', '1735689600'],
  x: ['1795251907089', '1735689600000'],
  LT: ['9:05 AM', '12:00 AM'],
  LTS: ['9:05:07 AM', '12:00:00 AM'],
  L: ['11/21/2026', '01/01/2025'],
  LL: ['November 21, 2026', 'January 1, 2025'],
  LLL: ['November 21, 2026 9:05 AM', 'January 1, 2025 12:00 AM'],
  LLLL: ['Saturday, November 21, 2026 9:05 AM', 'Wednesday, January 1, 2025 12:00 AM'],
  l: ['11/21/2026', '1/1/2025'],
  ll: ['Nov 21, 2026', 'Jan 1, 2025'],
  lll: ['Nov 21, 2026 9:05 AM', 'Jan 1, 2025 12:00 AM'],
  llll: ['Sat, Nov 21, 2026 9:05 AM', 'Wed, Jan 1, 2025 12:00 AM'],
};

for (const [token, [first, second]] of Object.entries(table)) {
  test(`${token} prints ${first} and ${second}`, () => {
    assert.deepEqual([formatInstant(morning, token), formatInstant(night, token)], [first, second]);
  });
}

test('tokens join; bracketed and escaped text is literal', () => {
  assert.equal(formatInstant(morning, 'YYYY-MM-DD[T]HH:mm:ss.SSS[Z]'), '2026-11-21T09:05:07.089Z');
  assert.equal(formatInstant(morning, '[Day] D, [at] h a'), 'Day 21, at 9 am');
  assert.equal(formatInstant(morning, String.raw`\YYYY YYYY`), 'YYYY 2026');
  assert.equal(formatInstant(morning, 'é – 日'), 'é – 日');
});

test('ISO and English weeks differ in year around New Year', () => {
  const at = Date.parse('2021-01-02T12:00:00Z');
  assert.equal(formatInstant(at, 'GGGG-[W]WW gggg-[w]ww'), '2020-W53 2021-w01');
});

test('11, 12 and 13 end in th', () => {
  const days = [11, 12, 13, 22, 23].map((day) => formatInstant(Date.UTC(2026, 0, day), 'Do'));
  assert.deepEqual(days, ['11th', '12th', '13th', '22nd', '23rd']);
});

test('the afternoon is PM', () => {
  assert.equal(formatInstant(Date.parse('2026-11-21T15:00:00Z'), 'h A'), '3 PM');
});
