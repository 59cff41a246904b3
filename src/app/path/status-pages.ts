// Joins the step that builds the snapshots of status pages.
import { createPublishAccount } from '#actions/status-pages/page-snapshots.ts';
import { errorMessage } from '#lib/errors.ts';
import { createPublishPages } from '#upkeep/publish-pages.ts';
import { targetOf } from '../target-of.ts';
import type { StepDeps } from './step-deps.ts';

export function composePublishPages({ store, config, clock, owner, log }: StepDeps): () => Promise<number> {
  return createPublishPages({
    store: store.statusSnapshots,
    publish: createPublishAccount({ store, targetOf, serverTimeZone: config.serverTimeZone, clock }),
    owner,
    clock,
    onError: (accountId, error) => log.error('status-pages.failed', { accountId, error: errorMessage(error) }),
  });
}
