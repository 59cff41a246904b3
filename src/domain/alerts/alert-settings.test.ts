// Effective escalation and reminders of a check (reference §4.5).
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type AlertSettings, type Escalation, escalationOf, type Reminders, remindersOf } from './alert-settings.ts';

const twice: AlertSettings = { escalationType: 'RUN_BASED', runBasedEscalation: { failedRunThreshold: 2 } };
const tenMinutes: AlertSettings = {
  escalationType: 'TIME_BASED',
  timeBasedEscalation: { minutesFailingThreshold: 10 },
};

describe('the escalation of a check', () => {
  const rows: readonly [string, (AlertSettings | null)[], Escalation][] = [
    ['is the first failing run by default', [null, null], { type: 'RUN_BASED', runs: 1 }],
    ['is the first failing run if settings are empty', [{}, { reminders: {} }], { type: 'RUN_BASED', runs: 1 }],
    ['is the one of the check', [twice, tenMinutes], { type: 'RUN_BASED', runs: 2 }],
    ["is the account's if the check has none", [null, tenMinutes], { type: 'TIME_BASED', ms: 600_000 }],
    [
      "is the account's if the check sets no type",
      [{ reminders: { amount: 2 } }, twice],
      { type: 'RUN_BASED', runs: 2 },
    ],
    [
      'is the one of the check if it sets a number of runs but no type',
      [{ runBasedEscalation: { failedRunThreshold: 3 } }, tenMinutes],
      { type: 'RUN_BASED', runs: 3 },
    ],
    [
      'counts runs from the first if no number is set',
      [{ escalationType: 'RUN_BASED' }],
      { type: 'RUN_BASED', runs: 1 },
    ],
    [
      'treats zero as not set',
      [{ escalationType: 'RUN_BASED', runBasedEscalation: { failedRunThreshold: 0 } }],
      { type: 'RUN_BASED', runs: 1 },
    ],
    ['waits five minutes if no number is set', [{ escalationType: 'TIME_BASED' }], { type: 'TIME_BASED', ms: 300_000 }],
  ];
  for (const [what, levels, expected] of rows) {
    it(what, () => assert.deepEqual(escalationOf(levels), expected));
  }
});

describe('the reminders of a check', () => {
  const rows: readonly [string, AlertSettings | null, Reminders | null][] = [
    ['are off by default', null, null],
    ['are off if the settings contain none', twice, null],
    ['are off if their number is not set', { reminders: { interval: 10 } }, null],
    ['are off if their number is zero', { reminders: { amount: 0, interval: 10 } }, null],
    ['are sent as often as configured', { reminders: { amount: 5, interval: 1 } }, { amount: 5, intervalMs: 60_000 }],
    [
      'continue until recovery',
      { reminders: { amount: 100_000, interval: 30 } },
      { amount: Infinity, intervalMs: 1_800_000 },
    ],
    [
      'are sent every five minutes if no interval is set',
      { reminders: { amount: 1 } },
      { amount: 1, intervalMs: 300_000 },
    ],
    [
      'treat an interval of zero as not set',
      { reminders: { amount: 1, interval: 0 } },
      { amount: 1, intervalMs: 300_000 },
    ],
  ];
  for (const [what, settings, expected] of rows) {
    it(what, () => assert.deepEqual(remindersOf(settings), expected));
  }
});
