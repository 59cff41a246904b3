// Alerts that open without a new result, after a mute or by escalation, and states that are too old for that
// (docs/decisions/0100).
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type CheckState, foldResult, judgeState, newCheckState, type StateRules } from './check-state.ts';
import type { Outcome } from '../results/result.ts';

const start = Date.UTC(2026, 2, 10, 12);
const minute = 60_000;
const hour = 60 * minute;
const atOnce: StateRules = {
  escalation: { type: 'RUN_BASED', runs: 1 },
  isMuted: false,
  reminders: null,
  parallel: null,
};
const muted: StateRules = { ...atOnce, isMuted: true };
const afterMinutes = (minutes: number): StateRules => ({
  ...atOnce,
  escalation: { type: 'TIME_BASED', ms: minutes * minute },
});

/** The state after results an hour apart under the same rules. */
function stateAfter(outcomes: readonly Outcome[], rules: StateRules): CheckState {
  return outcomes.reduce((state, outcome, index) => {
    const at = start + index * hour;
    return foldResult(state, { outcome, location: 'local', at, startedAt: at }, rules).state;
  }, newCheckState);
}

/** Evaluates the state at that time; last result at `judgedAfterMs`, one expected every hour. */
function judged(state: CheckState, rules: StateRules, afterMs: number, judgedAfterMs = 0) {
  return judgeState(state, rules, { now: start + afterMs, everyMs: hour, judgedAt: start + judgedAfterMs });
}

describe('a state that is evaluated without a result', () => {
  it('opens an alert suppressed by a mute when the mute ends, and not before', () => {
    const failing = stateAfter(['failed'], muted);
    assert.equal(judged(failing, muted, 10 * minute), null);
    assert.equal(judged(failing, atOnce, 10 * minute), 'ALERT_FAILURE');
    const degraded = stateAfter(['degraded'], muted);
    assert.equal(judged(degraded, atOnce, 10 * minute), 'ALERT_DEGRADED');
    assert.equal(judged(stateAfter(['failed', 'passed'], muted), atOnce, hour, hour), null);
  });

  it('opens no alert twice, but one for a state that changed while muted', () => {
    assert.equal(judged(stateAfter(['failed'], atOnce), atOnce, 10 * minute), null);
    const milder = foldResult(
      stateAfter(['failed'], atOnce),
      { outcome: 'degraded', location: 'local', at: start + 1, startedAt: start + 1 },
      muted,
    ).state;
    assert.equal(judged(milder, atOnce, 10 * minute), 'ALERT_DEGRADED');
  });

  it('waits for the runs that the current escalation requires', () => {
    const twice: StateRules = { ...atOnce, escalation: { type: 'RUN_BASED', runs: 2 } };
    const once = stateAfter(['failed'], twice);
    assert.equal(judged(once, twice, 50 * minute), null);
    assert.equal(judged(once, atOnce, 50 * minute), 'ALERT_FAILURE', 'the threshold was lowered meanwhile');
  });

  it('opens an alert exactly when the time of an escalation has passed', () => {
    const rules = afterMinutes(5);
    const failing = stateAfter(['failed'], rules);
    assert.equal(judged(failing, rules, 5 * minute - 1), null);
    assert.equal(judged(failing, rules, 5 * minute), 'ALERT_FAILURE');
    assert.equal(judged(stateAfter(['degraded'], rules), rules, 5 * minute), 'ALERT_DEGRADED');
  });

  it('counts failing time only until the next result was due', () => {
    const rules = afterMinutes(61);
    const failing = stateAfter(['failed'], rules);
    assert.equal(judged(failing, rules, 70 * minute), null);
    assert.equal(judged(failing, afterMinutes(60), 70 * minute), 'ALERT_FAILURE');
    const twice = stateAfter(['failed', 'failed'], rules);
    assert.equal(judged(twice, rules, 61 * minute, hour), 'ALERT_FAILURE');
    // A clock change removes the position and shifts the time of failure.
    assert.equal(judged({ ...failing, position: null }, afterMinutes(60), hour), 'ALERT_FAILURE');
    assert.equal(judged({ ...failing, position: null }, rules, 2 * hour), null);
  });

  it('is unknown if no result arrived for two intervals and a tolerance', () => {
    const failing = stateAfter(['failed'], muted);
    assert.equal(judged(failing, atOnce, 135 * minute), 'ALERT_FAILURE');
    assert.equal(judged(failing, atOnce, 135 * minute + 1), null);
    // There were results without a verdict: paused, or a problem of Tocsin.
    assert.equal(judged(failing, atOnce, 30 * hour, 29 * hour), 'ALERT_FAILURE');
    assert.equal(judgeState(failing, atOnce, { now: start, everyMs: hour, judgedAt: null }), null);
  });
});

describe('a state of several locations that is evaluated without a result', () => {
  const any: StateRules = { ...muted, parallel: { locations: ['a', 'b', 'c'], failingShare: null } };
  const oneOfThree = (['a', 'b', 'c'] as const).reduce(
    (state, location) =>
      foldResult(state, { outcome: location === 'a' ? 'failed' : 'passed', location, at: start, startedAt: start }, any)
        .state,
    newCheckState,
  );

  it('opens an alert if the current share of locations requires it', () => {
    assert.equal(judged(oneOfThree, { ...any, isMuted: false }, minute), 'ALERT_FAILURE');
    const half: StateRules = { ...any, isMuted: false, parallel: { locations: ['a', 'b', 'c'], failingShare: 0.5 } };
    assert.equal(judged(oneOfThree, half, minute), null);
  });

  it('keeps its status while a round is in progress', () => {
    const next = { outcome: 'passed', location: 'b', at: start + hour, startedAt: start + hour } as const;
    const inProgress = foldResult(oneOfThree, next, any).state;
    assert.equal(inProgress.status, 'failing');
    assert.equal(judged(inProgress, { ...any, isMuted: false }, hour + minute, hour), 'ALERT_FAILURE');
  });
});
