// Time phrases in templates and their meaning.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseInstant } from './moment-phrase.ts';

// A Saturday.
const now = Date.parse('2026-11-21T09:05:07.089Z');

const table: Readonly<Record<string, string>> = {
  now: '2026-11-21T09:05:07.089Z',
  Today: '2026-11-21T09:05:07.089Z',
  yesterday: '2026-11-20T09:05:07.089Z',
  tomorrow: '2026-11-22T09:05:07.089Z',
  '2 days ago': '2026-11-19T09:05:07.089Z',
  '1 day ago': '2026-11-20T09:05:07.089Z',
  'an hour ago': '2026-11-21T08:05:07.089Z',
  'two weeks ago': '2026-11-07T09:05:07.089Z',
  '1 hour and 5 minutes ago': '2026-11-21T08:00:07.089Z',
  '90s ago': '2026-11-21T09:03:37.089Z',
  'in 2 hours': '2026-11-21T11:05:07.089Z',
  'in 30 minutes': '2026-11-21T09:35:07.089Z',
  '10 seconds from now': '2026-11-21T09:05:17.089Z',
  '3 months from now': '2027-02-21T09:05:07.089Z',
  'last week': '2026-11-14T09:05:07.089Z',
  'next week': '2026-11-28T09:05:07.089Z',
  'last month': '2026-10-21T09:05:07.089Z',
  'next year': '2027-11-21T09:05:07.089Z',
  'last quarter': '2026-08-21T09:05:07.089Z',
  'last hour': '2026-11-21T08:05:07.089Z',
  monday: '2026-11-23T09:05:07.089Z',
  saturday: '2026-11-21T09:05:07.089Z',
  tues: '2026-11-24T09:05:07.089Z',
  'next friday': '2026-11-27T09:05:07.089Z',
  'last friday': '2026-11-20T09:05:07.089Z',
  'last saturday': '2026-11-14T09:05:07.089Z',
  '2026-07-24': '2026-07-24T00:00:00.000Z',
  '2026-07': '2026-07-01T00:00:00.000Z',
  '2026-07-24T10:00': '2026-07-24T10:00:00.000Z',
  '2026-07-24 10:00:01': '2026-07-24T10:00:01.000Z',
  '2026-07-24T10:00:01.5Z': '2026-07-24T10:00:01.500Z',
  '2026-07-24T10:00:00+02:00': '2026-07-24T08:00:00.000Z',
  '2026-07-24T10:00:00-0130': '2026-07-24T11:30:00.000Z',
  '1795251907089': '2026-11-21T09:05:07.089Z',
};

for (const [phrase, expected] of Object.entries(table)) {
  test(`"${phrase}" is understood`, () => {
    const at = parseInstant(phrase, now);
    assert.equal(at === null ? null : new Date(at).toISOString(), expected);
  });
}

test('a weekday is today on that day, also with "next", and a week ago with "last"', () => {
  const friday = Date.parse('2026-11-20T09:05:07.089Z');
  assert.equal(parseInstant('next friday', friday), friday);
  assert.equal(parseInstant('friday', friday), friday);
  assert.equal(parseInstant('last friday', friday), friday - 7 * 86_400_000);
});

const unknown: readonly unknown[] = [
  'garbage words',
  '2 days',
  'ago',
  'in',
  'in soon',
  '2 parsecs ago',
  'next garbage',
  '2026-13-01',
  '2026-02-30',
  '2026',
  '',
  'mo',
  `${' '.repeat(70)}now`,
  '999999999 years ago',
  Number.NaN,
  Number.POSITIVE_INFINITY,
  undefined,
  true,
  ['now'],
];

for (const phrase of unknown) {
  test(`rejects ${JSON.stringify(phrase) ?? 'undefined'} instead of using the current time`, () => {
    assert.equal(parseInstant(phrase, now), null);
  });
}

test('a number is epoch milliseconds', () => {
  assert.equal(parseInstant(1234.5, now), 1234);
});

test('a month before the 31st is the last day of a shorter month', () => {
  const at = parseInstant('last month', Date.parse('2026-03-31T10:00:00Z'));
  assert.equal(at === null ? null : new Date(at).toISOString(), '2026-02-28T10:00:00.000Z');
});
