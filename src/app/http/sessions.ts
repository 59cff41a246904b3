// Builds the actions on trials, check sessions and test sessions.
import type { GroupDeps } from '#actions/checks/check-groups.ts';
import type { CheckDeps } from '#actions/checks/checks.ts';
import type { CheckResultDeps } from '#actions/results/check-results.ts';
import { createCheckTrialActions } from '#actions/checks/check-trials.ts';
import { createCheckSessionActions } from '#actions/sessions/check-sessions.ts';
import { createTestMessageActions } from '#actions/sessions/test-messages.ts';
import { createTestSessionActions } from '#actions/sessions/test-sessions.ts';
import { servedCodes } from '../process.ts';
import type { ActionDeps } from './deps.ts';

/** What they need of the other actions. */
interface SessionParts extends Pick<CheckResultDeps, 'describeResult'> {
  readonly drafts: CheckDeps;
  readonly groupDrafts: GroupDeps;
}

export function composeSessions(deps: ActionDeps, { describeResult, ...parts }: SessionParts) {
  const { store, clock, stopping, ownProcess, resultHints, testHints, sessionLinks, onTested, wake, config } = deps;
  const shared = {
    ...store,
    describeResult,
    servedLocations: servedCodes(ownProcess),
    clock,
    hints: resultHints.listen,
    stopping,
  };
  return {
    checkTrials: createCheckTrialActions({ ...shared, drafts: parts.drafts, wake: () => wake('run-trials') }),
    checkSessions: createCheckSessionActions({ ...shared, wake: () => wake('run-checks') }),
    testMessages: createTestMessageActions(shared),
    testSessions: createTestSessionActions({
      ...shared,
      ...parts,
      hints: testHints.listen,
      servedLocations: (accountId) => ownProcess.servedTo(accountId),
      sessionLinks,
      serverTimeZone: config.serverTimeZone,
      wake: () => wake('run-tests'),
      onCancelled: () => {
        onTested();
        // Its runs in progress stop at the next tick.
        wake('run-tests');
      },
    }),
  };
}
