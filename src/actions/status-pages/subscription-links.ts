// Links with which subscribers of status pages confirm and end their subscription, without an account.
import { confirmableMs } from '#domain/status-pages/status-subscriber.ts';
import { pageRoot, type StatusPage } from '#domain/status-pages/status-page.ts';
import { createSignedIds, neverExpires, type SignedIds } from '../signed-ids.ts';
import type { LinkSigner } from '../signed-links.ts';

/** A subscriber as a link names it. */
export interface LinkedSubscriber {
  readonly accountId: string;
  readonly pageId: string;
  readonly id: string;
}

/** A page as its addresses depend on it. */
export type AddressedPage = Pick<StatusPage, 'url' | 'customDomain'>;

/** Creates and opens links. Times are epoch ms. */
export type SubscriptionLinks = ReturnType<typeof createSubscriptionLinks>;

export function createSubscriptionLinks({ publicUrl, secret }: LinkSigner) {
  const unsubscribe = createSignedIds(secret, 'status unsubscribe 1', 3);
  const confirm = createSignedIds(secret, 'status confirm 1', 3);
  const root = (page: AddressedPage): string => pageRoot(page, publicUrl());
  return {
    /** Ends the subscription: for people with GET, for mail programs with POST (RFC 8058). It never expires. */
    unsubscribe: (page: AddressedPage, subscriber: LinkedSubscriber): string =>
      `${root(page)}unsubscribe/${unsubscribe.sign(idsOf(subscriber), neverExpires)}`,
    /** Confirms the address within a day of the request. */
    confirm: (
      page: AddressedPage,
      { requestedAt, ...subscriber }: LinkedSubscriber & { readonly requestedAt: number },
    ) => `${root(page)}confirm/${confirm.sign(idsOf(subscriber), requestedAt + confirmableMs)}`,
    /** null = not a token of such a link. */
    openUnsubscribe: (token: string, now: number): LinkedSubscriber | null => opened(unsubscribe, token, now),
    /** null = not a token of such a link, or expired. */
    openConfirm: (token: string, now: number): LinkedSubscriber | null => opened(confirm, token, now),
  };
}

function idsOf({ accountId, pageId, id }: LinkedSubscriber): string[] {
  return [accountId, pageId, id];
}

function opened(tokens: SignedIds, token: string, now: number): LinkedSubscriber | null {
  const [accountId, pageId, id] = tokens.open(token, now)?.ids ?? [];
  return accountId === undefined || pageId === undefined || id === undefined ? null : { accountId, pageId, id };
}
