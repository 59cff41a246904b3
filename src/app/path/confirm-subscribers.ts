// Joins the step that asks subscribers of status pages to confirm their address with the mails that it sends.
import { createLinkSender } from '#channels/invitations.ts';
import type { Config } from '#config/config.ts';
import { everyNetwork } from '#egress/address-class.ts';
import { createGuard } from '#egress/guard.ts';
import type { PlaceBoard } from '#egress/closed-places.ts';
import { errorMessage } from '#lib/errors.ts';
import { confirmMail } from '#publish/texts/confirm-mail.ts';
import { createConfirmSubscribers } from '#upkeep/confirm-subscribers.ts';
import { composeNotifySubscribers } from './status-pages.ts';
import type { PathDeps, StepDeps } from './step-deps.ts';

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
