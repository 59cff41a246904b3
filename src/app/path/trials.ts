// Builds the step that runs trials from the store and the probers.
import { errorMessage } from '#lib/errors.ts';
import { type CheckTrial } from '#domain/results/check-trial.ts';
import type { ProbeInput } from '#domain/checks/probe.ts';
import { mergeVariables } from '#domain/accounts/environment-variable.ts';
import { createRunTrials, type RunTrials } from '#pipeline/run-trials.ts';
import type { Store } from '#store/store.ts';
import { required, type StepDeps } from './step-deps.ts';

/** The step that runs trials. */
export function composeRunTrials({ store, clock, owner, config, prober, scripts, wake, log }: StepDeps): RunTrials {
  return createRunTrials({
    store: store.checkTrials,
    clock,
    owner,
    location: config.location.code,
    inputOf: (trial) => readInput(trial, store, clock.now()),
    async probe(input, signal, onProgress) {
      if (scripts?.isScripted(input) !== true) return required(prober, 'prober').probe(input, signal);
      const leave = await scripts.enter(input);
      try {
        return await scripts.probe(input, signal, onProgress);
      } finally {
        leave();
      }
    },
    wake: () => wake('run-trials'),
    onError: ({ accountId, id }, error) =>
      log.error('trial.failed', { account: accountId, trial: id, error: errorMessage(error) }),
  });
}

/** Reads what the definition inherits. @param revision distinguishes it from other definitions of the same check */
async function readInput({ accountId, check }: CheckTrial, store: Store, revision: number): Promise<ProbeInput> {
  const [found, variables, [account], clientCertificates] = await Promise.all([
    check.groupId === null ? null : store.checkGroups.find(accountId, check.groupId),
    store.variables.all(accountId),
    store.accounts.list([accountId]),
    store.clientCertificates.all(accountId),
  ]);
  const group = found?.group ?? null;
  return {
    check,
    group,
    variables: mergeVariables(variables, group?.environmentVariables ?? [], check.environmentVariables),
    revision,
    accountRuntimeId: account?.runtimeId ?? null,
    clientCertificates,
  };
}
