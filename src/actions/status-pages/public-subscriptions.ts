// What strangers do with subscriptions to a status page: request, confirm, change and end them.
import { emailOf, type StatusSubscriber, type SubscriberRequest } from '#domain/status-pages/status-subscriber.ts';
import type { Clock } from '#lib/clock.ts';
import type { Store } from '#store/store.ts';
import type { LinkedSubscriber, SubscriptionLinks } from './subscription-links.ts';

export interface PublicSubscriptionDeps {
  readonly statusSubscribers: Pick<
    Store['statusSubscribers'],
    'request' | 'find' | 'confirm' | 'chooseServices' | 'remove'
  >;
  readonly links: Pick<SubscriptionLinks, 'openConfirm' | 'openUnsubscribe'>;
  readonly clock: Clock;
  /** Called when a mail is due. */
  readonly onRequested: () => void;
}

/** What became of a request. `address` = it is no address; `busy` = the page takes no more for now. */
export type RequestOutcome = 'sent' | 'address' | 'busy';

export type PublicSubscriptions = ReturnType<typeof createPublicSubscriptions>;

export function createPublicSubscriptions({ statusSubscribers, links, clock, onRequested }: PublicSubscriptionDeps) {
  return {
    /** The outcome does not depend on whether the address is known. */
    async request(
      page: Omit<LinkedSubscriber, 'id'>,
      { email: text, serviceIds }: SubscriberRequest,
    ): Promise<RequestOutcome> {
      const email = emailOf(text);
      if (email === null) return 'address';
      if ((await statusSubscribers.request(page, { email, serviceIds })) !== 'taken') return 'busy';
      onRequested();
      return 'sent';
    },
    /** The subscriber of a link; null = it is invalid or has expired. */
    opened: (kind: 'confirm' | 'unsubscribe', token: string): LinkedSubscriber | null =>
      kind === 'confirm' ? links.openConfirm(token, clock.now()) : links.openUnsubscribe(token, clock.now()),
    find: (subscriber: LinkedSubscriber): Promise<StatusSubscriber | null> => statusSubscribers.find(subscriber),
    /** false = it was deleted, or not confirmed in time. */
    confirm: (subscriber: LinkedSubscriber): Promise<boolean> => statusSubscribers.confirm(subscriber),
    chooseServices: (subscriber: LinkedSubscriber, serviceIds: readonly string[] | null): Promise<boolean> =>
      statusSubscribers.chooseServices(subscriber, serviceIds),
    unsubscribe: (subscriber: LinkedSubscriber): Promise<boolean> => statusSubscribers.remove(subscriber),
  };
}
