// Builds the steps that run trials and test sessions from the store and the probers.
import { errorMessage } from '#lib/errors.ts';
import type { CheckGroup } from '#domain/checks/check-group.ts';
import { type CheckTrial } from '#domain/results/check-trial.ts';
import type { ProbeInput } from '#domain/checks/probe.ts';
import { type EnvironmentVariable, mergeVariables } from '#domain/accounts/environment-variable.ts';
import { createRunTrials, type RunTrials } from '#pipeline/run-trials.ts';
import type { Store } from '#store/store.ts';
import { required, type StepDeps } from './step-deps.ts';

/** The step that runs trials. */
export function composeRunTrials(deps: StepDeps): RunTrials {
  const { store, wake } = deps;
  return createRunTrials({
    ...sharedOf(deps),
    store: store.checkTrials,
    async inputOf(trial) {
      const { accountId, check } = trial;
      const found = check.groupId === null ? null : await store.checkGroups.find(accountId, check.groupId);
      return readInput(trial, found?.group ?? null, [], deps);
    },
    wake: () => wake('run-trials'),
  });
}

/** The step that runs the checks of test sessions. Clients that wait are notified of each start and end. */
export function composeRunTests(deps: StepDeps): RunTrials {
  const { store, clock, wake, onTested } = deps;
  return createRunTrials({
    ...sharedOf(deps),
    store: {
      async claim(lease, max) {
        const runs = await store.testRuns.claim(lease, max);
        if (runs.length > 0) onTested();
        return runs;
      },
      renew: (runs, lease) => store.testRuns.renew(runs, lease),
      async end(run, owner, finding) {
        await store.testRuns.end(run, owner, finding, clock.now());
        onTested();
        // A retry may be due at once.
        wake('run-tests');
      },
      removeOld: (now) => store.testSessions.removeOld(now),
    },
    inputOf: (run) => readInput(run, run.group, run.variables, deps),
    wake: () => wake('run-tests'),
  });
}

function sharedOf({ clock, owner, config, prober, scripts, log }: StepDeps) {
  return {
    clock,
    owner,
    location: config.location.code,
    async probe(
      input: ProbeInput,
      signal: AbortSignal,
      onProgress?: Parameters<NonNullable<StepDeps['scripts']>['probe']>[2],
    ) {
      if (scripts?.isScripted(input) !== true) return required(prober, 'prober').probe(input, signal);
      const leave = await scripts.enter(input);
      try {
        return await scripts.probe(input, signal, onProgress);
      } finally {
        leave();
      }
    },
    onError: ({ accountId, id }: CheckTrial, error: unknown) =>
      log.error('trial.failed', { account: accountId, trial: id, error: errorMessage(error) }),
  };
}

/** Reads what the definition inherits. @param overrides variables that win over those of the check */
async function readInput(
  { accountId, check }: CheckTrial,
  group: CheckGroup | null,
  overrides: readonly EnvironmentVariable[],
  { store, clock }: { readonly store: Store; readonly clock: StepDeps['clock'] },
): Promise<ProbeInput> {
  const [variables, [account], clientCertificates, snippets] = await Promise.all([
    store.variables.all(accountId),
    store.accounts.list([accountId]),
    store.clientCertificates.all(accountId),
    store.snippets.all(accountId),
  ]);
  return {
    check,
    group,
    variables: mergeVariables(variables, group?.environmentVariables ?? [], check.environmentVariables, overrides),
    // Distinguishes it from other definitions of the same check.
    revision: clock.now(),
    accountRuntimeId: account?.runtimeId ?? null,
    clientCertificates,
    snippets,
  };
}
