// Joins the step that builds the snapshots of status pages.
import { createNotifyChanges } from '#actions/status-pages/notify-changes.ts';
import { pageAddress } from '#actions/status-pages/page-access.ts';
import { createPublishAccount } from '#actions/status-pages/page-snapshots.ts';
import { channelRules } from '#channels/rules.ts';
import { gatewaysOf } from '#domain/deliveries/gateways.ts';
import { errorMessage } from '#lib/errors.ts';
import { createPublishPages } from '#upkeep/publish-pages.ts';
import { targetOf } from '../target-of.ts';
import type { StepDeps, PathDeps } from './step-deps.ts';
import { createLinkSender } from '#channels/invitations.ts';
import type { Config } from '#config/config.ts';
import { everyNetwork } from '#egress/address-class.ts';
import { createGuard } from '#egress/guard.ts';
import type { PlaceBoard } from '#egress/closed-places.ts';
import { confirmMail } from '#publish/texts/confirm-mail.ts';
import { createConfirmSubscribers } from '#upkeep/confirm-subscribers.ts';

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

/** How long a mail may take, ms. */
const deadlineMs = 15_000;

/** Sends mails to subscribers; null = no mail server is set up, or without the role `deliverer`. */
export function composeLinkMails(
  { roles, egress, gateways, caCertificates: extraCertificates }: Config,
  closed: PlaceBoard,
): PathDeps['linkMails'] {
  if (!roles.includes('deliverer')) return null;
  // The operator chose the servers, wherever they are.
  const guard = createGuard({ ...egress, allow: everyNetwork, closed });
  return createLinkSender({ guard, operatorGuard: guard, gateways, extraCertificates, deadlineMs });
}

/** The steps about subscribers of status pages. */
export function composeSubscriberSteps(deps: StepDeps, idleMs: number) {
  return {
    'notify-subscribers': composeNotifySubscribers(deps),
    'confirm-subscribers': composeConfirmSubscribers(deps, idleMs),
  };
}

function composeConfirmSubscribers(
  { store, clock, linkMails, subscriptionLinks, userAgent, log }: StepDeps,
  idleMs: number,
): () => Promise<number> {
  if (linkMails === null) return () => Promise.resolve(idleMs);
  return createConfirmSubscribers({
    store: store.subscriptionMails,
    clock,
    async send(subscriber) {
      const { accountId, pageId, id, email: address } = subscriber;
      const page = await store.statusPages.find(accountId, pageId);
      if (page === null) return;
      const url = subscriptionLinks.confirm(page, subscriber);
      await linkMails.send(accountId, { ...confirmMail(page), id, address, url }, userAgent);
    },
    onUnsent: ({ accountId, pageId }, error) =>
      log.warn('subscription.not-sent', { accountId, page: pageId, error: errorMessage(error) }),
  });
}
