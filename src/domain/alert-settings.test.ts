// Which escalation holds for a check.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type AlertSettings, type Escalation, escalationOf } from './alert-settings.ts';

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
