// Joins the step that builds the snapshots of status pages.
import { createNotifyChanges } from '#actions/status-pages/notify-changes.ts';
import { pageAddress } from '#actions/status-pages/page-access.ts';
import { createPublishAccount } from '#actions/status-pages/page-snapshots.ts';
import { channelRules } from '#channels/rules.ts';
import { gatewaysOf } from '#domain/deliveries/gateways.ts';
import { errorMessage } from '#lib/errors.ts';
import { createPublishPages } from '#upkeep/publish-pages.ts';
import { targetOf } from '../target-of.ts';
import type { StepDeps } from './step-deps.ts';

export function composePublishPages({
  store,
  config,
  clock,
  owner,
  onPagesBuilt,
  log,
}: StepDeps): () => Promise<number> {
  const { statusSnapshots } = store;
  const write: typeof statusSnapshots.write = async (...built) => {
    await statusSnapshots.write(...built);
    onPagesBuilt();
  };
  return createPublishPages({
    store: statusSnapshots,
    publish: createPublishAccount({
      store: { ...store, statusSnapshots: { ...statusSnapshots, write } },
      targetOf,
      sendsMail: (accountId) => gatewaysOf(config.gateways, accountId).smtp !== null,
      serverTimeZone: config.serverTimeZone,
      clock,
    }),
    owner,
    clock,
    onError: (accountId, error) => log.error('status-pages.failed', { accountId, error: errorMessage(error) }),
  });
}

export function composeNotifySubscribers(deps: StepDeps): () => Promise<number> {
  const { store, config, clock, publicUrl, pageAccess, subscriptionLinks: links, log, wake } = deps;
  return createNotifyChanges({
    ...store,
    links,
    addressOf: (page) => pageAddress(page, { publicUrl, linkToken: pageAccess.linkToken }),
    refusesNews: channelRules.refusesNews,
    sendsMail: (accountId) => gatewaysOf(config.gateways, accountId).smtp !== null,
    clock,
    onHandedOver: () => wake('send-deliveries'),
    onError: (accountId, error) => log.error('status-pages.notify-failed', { accountId, error: errorMessage(error) }),
  });
}
