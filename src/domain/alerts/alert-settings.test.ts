// Which escalation and which reminders hold for a check (reference §4.5).
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
    ['is the first failing run when nobody set anything', [null, null], { type: 'RUN_BASED', runs: 1 }],
    ['is that too where settings are empty', [{}, { reminders: {} }], { type: 'RUN_BASED', runs: 1 }],
    ['is its own', [twice, tenMinutes], { type: 'RUN_BASED', runs: 2 }],
    ["is the account's where its own are not set", [null, tenMinutes], { type: 'TIME_BASED', ms: 600_000 }],
    [
      "is the account's where its own name no type",
      [{ reminders: { amount: 2 } }, twice],
      { type: 'RUN_BASED', runs: 2 },
    ],
    [
      'is its own where it names a number of runs and no type',
      [{ runBasedEscalation: { failedRunThreshold: 3 } }, tenMinutes],
      { type: 'RUN_BASED', runs: 3 },
    ],
    [
      'counts runs from the first where no number is set',
      [{ escalationType: 'RUN_BASED' }],
      { type: 'RUN_BASED', runs: 1 },
    ],
    [
      'takes zero for not set',
      [{ escalationType: 'RUN_BASED', runBasedEscalation: { failedRunThreshold: 0 } }],
      { type: 'RUN_BASED', runs: 1 },
    ],
    [
      'waits five minutes where no number is set',
      [{ escalationType: 'TIME_BASED' }],
      { type: 'TIME_BASED', ms: 300_000 },
    ],
  ];
  for (const [what, levels, expected] of rows) {
    it(what, () => assert.deepEqual(escalationOf(levels), expected));
  }
});

describe('the reminders of a check', () => {
  const rows: readonly [string, AlertSettings | null, Reminders | null][] = [
    ['are none when nobody set anything', null, null],
    ['are none where settings name none', twice, null],
    ['are none where their number is not set', { reminders: { interval: 10 } }, null],
    ['are none where their number is zero', { reminders: { amount: 0, interval: 10 } }, null],
    ['are as many as asked for', { reminders: { amount: 5, interval: 1 } }, { amount: 5, intervalMs: 60_000 }],
    [
      'go on until it recovers',
      { reminders: { amount: 100_000, interval: 30 } },
      { amount: Infinity, intervalMs: 1_800_000 },
    ],
    [
      'come every five minutes where no interval is set',
      { reminders: { amount: 1 } },
      { amount: 1, intervalMs: 300_000 },
    ],
    [
      'take an interval of zero for not set',
      { reminders: { amount: 1, interval: 0 } },
      { amount: 1, intervalMs: 300_000 },
    ],
  ];
  for (const [what, settings, expected] of rows) {
    it(what, () => assert.deepEqual(remindersOf(settings), expected));
  }
});
