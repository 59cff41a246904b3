// A muted alert counts once per failure, when it would have been raised.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foldResult, newCheckState, type StateRules } from '../checks/check-state.ts';
import type { Outcome } from '../results/result.ts';
import { mutedAlert } from './muted-alert.ts';

const afterTwo: StateRules = {
  escalation: { type: 'RUN_BASED', runs: 2 },
  isMuted: true,
  reminders: null,
  parallel: null,
};

/** The muted alerts of results a minute apart. */
function mutedOf(outcomes: readonly Outcome[], rules: StateRules): (string | null)[] {
  let state = newCheckState;
  return outcomes.map((outcome, index) => {
    const at = 1_000_000 + index * 60_000;
    const result = { outcome, location: 'local', at, startedAt: at + 5 };
    const muted = mutedAlert(state, result, rules);
    ({ state } = foldResult(state, result, rules));
    return muted;
  });
}

test('a muted failure counts once, when its alert would have been raised', () => {
  const found = mutedOf(['passed', 'failed', 'failed', 'failed', 'passed', 'failed', 'failed'], afterTwo);
  assert.deepEqual(found, [null, null, 'ALERT_FAILURE', null, null, null, 'ALERT_FAILURE']);
});

test('the same holds for an escalation by time', () => {
  const rules: StateRules = { ...afterTwo, escalation: { type: 'TIME_BASED', ms: 120_000, reminders: null } as never };
  assert.deepEqual(mutedOf(['failed', 'failed', 'failed', 'failed'], rules), [null, null, 'ALERT_FAILURE', null]);
});

test('a check that is not muted has no muted alerts', () => {
  assert.deepEqual(mutedOf(['failed', 'failed', 'failed'], { ...afterTwo, isMuted: false }), [null, null, null]);
});

test('a degraded check that then fails is two muted alerts', () => {
  const rules: StateRules = { ...afterTwo, escalation: { type: 'RUN_BASED', runs: 1 } };
  assert.deepEqual(mutedOf(['degraded', 'failed', 'failed'], rules), ['ALERT_DEGRADED', 'ALERT_FAILURE', null]);
});
