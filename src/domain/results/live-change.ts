// A live update of an account: IDs and flags, merged and bounded.

/** IDs of checks; `all` = too many to list. */
export type ChangedChecks = readonly string[] | 'all';

/** What changed. */
export interface LiveChange {
  /** Checks whose state changed. */
  readonly states: ChangedChecks;
  /** Checks with new results. */
  readonly results: ChangedChecks;
  readonly deliveries: boolean;
  readonly alerts: boolean;
  readonly checks: boolean;
  readonly notices: boolean;
}

/** Sent if it is unknown what was missed. */
export const everythingChanged: LiveChange = {
  states: 'all',
  results: 'all',
  deliveries: true,
  alerts: true,
  checks: true,
  notices: true,
};

/** Maximum number of IDs in both lists together: an event has 32 kB, and an ID takes 39 bytes. */
export const maxIds = 800;

/** Whether anything changed. */
export function hasChanges({ states, results, deliveries, alerts, checks, notices }: LiveChange): boolean {
  return states.length > 0 || results.length > 0 || deliveries || alerts || checks || notices;
}

/** Merges two changes within the limit. */
export function mergeChanges(one: LiveChange, other: LiveChange): LiveChange {
  return boundedChange({
    states: mergedIds(one.states, other.states),
    results: mergedIds(one.results, other.results),
    deliveries: one.deliveries || other.deliveries,
    alerts: one.alerts || other.alerts,
    checks: one.checks || other.checks,
    notices: one.notices || other.notices,
  });
}

function mergedIds(one: ChangedChecks, other: ChangedChecks): ChangedChecks {
  return one === 'all' || other === 'all' ? 'all' : [...new Set([...one, ...other])];
}

/** Limits a change to 800 checks; state changes have priority over results. */
export function boundedChange(change: LiveChange): LiveChange {
  const states = change.states.length > maxIds ? 'all' : change.states;
  const left = maxIds - (states === 'all' ? 0 : states.length);
  const results = change.results !== 'all' && change.results.length > left ? 'all' : change.results;
  return { ...change, states, results };
}
