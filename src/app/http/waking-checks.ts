// Writes of checks and groups that wake the steps they concern: new runs start, and recoveries are sent, at once.
import { createCheckChangeActions } from '#actions/checks/check-changes.ts';
import type { CheckDeps } from '#actions/checks/checks.ts';
import { channelRules } from '#channels/rules.ts';
import { runAs } from '#store/base/audit/acting.ts';
import type { Store } from '#store/store.ts';
import { prepareWith } from '../path/deliveries.ts';
import type { ActionDeps } from './deps.ts';

/** Changes to many checks, which wake the same steps as single ones. */
export function composeCheckChanges(deps: ActionDeps, drafts: CheckDeps) {
  return createCheckChangeActions({
    ...deps.store,
    drafts,
    closing: { render: prepareWith(deps), isDigested: channelRules.isDigested },
    runAs,
    owner: deps.ownProcess.id,
    clock: deps.clock,
    wake: () => deps.wake('apply-check-changes'),
    onChanged: (isDeletion) => deps.wake(isDeletion ? 'send-deliveries' : 'schedule-runs'),
  });
}

/** After a write, wakes the steps that start new runs and send the deliveries it caused. */
export function wakingChecks(deps: ActionDeps) {
  const { checks, checkGroups } = deps.store;
  const waking = async <Answer>(written: Promise<Answer>): Promise<Answer> => {
    const answer = await written;
    deps.wake('schedule-runs');
    return answer;
  };
  const ofChecks: Pick<Store['checks'], 'add' | 'addAll' | 'change'> = {
    add: (write) => waking(checks.add(write)),
    addAll: (accountId, writes) => waking(checks.addAll(accountId, writes)),
    change: (accountId, id, edit) => waking(checks.change(accountId, id, edit)),
  };
  const ofGroups: Pick<Store['checkGroups'], 'change' | 'remove' | 'moveChecks'> = {
    change: (accountId, id, edit) => waking(checkGroups.change(accountId, id, edit)),
    remove: (accountId, id) => waking(checkGroups.remove(accountId, id)),
    moveChecks: (accountId, id, change) => waking(checkGroups.moveChecks(accountId, id, change)),
  };
  return {
    checks: { ...checks, ...ofChecks, remove: removeCheck(deps) },
    checkGroups: { ...checkGroups, ...ofGroups },
  };
}

/** After a deletion, wakes delivery so that recoveries are sent at once. */
function removeCheck(deps: ActionDeps): (accountId: string, id: string) => Promise<boolean> {
  const render = prepareWith(deps);
  return async (accountId, id) => {
    const isRemoved = await deps.store.checks.remove(accountId, id, render, channelRules.isDigested);
    if (isRemoved) deps.wake('send-deliveries');
    return isRemoved;
  };
}
