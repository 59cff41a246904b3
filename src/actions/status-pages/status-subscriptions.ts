// Actions on the subscribers of status pages, for people who edit the pages.
import type { Caller } from '#domain/accounts/api-key.ts';
import { servicesOf, type StatusPage } from '#domain/status-pages/status-page.ts';
import { type StatusSubscriber, type SubscriberRequest, emailOf } from '#domain/status-pages/status-subscriber.ts';
import type { StatusService } from '#domain/status-pages/status-service.ts';
import type { Store } from '#store/store.ts';
import { requirePermission } from '../accounts/permission.ts';
import { notFound, type Problem, Refusal, refuseProblems, orNotFound } from '../refusal.ts';
import type { CursorPage } from './cursor-page.ts';
import type { Clock } from '#lib/clock.ts';
import type { LinkedSubscriber, SubscriptionLinks } from './subscription-links.ts';

export interface StatusSubscriptionDeps extends Pick<Store, 'statusPages' | 'statusServices' | 'statusSubscribers'> {
  /** Whether mail can be sent for an account. */
  readonly sendsMail: (accountId: string) => boolean;
  /** Called when mails are due. */
  readonly onRequested: () => void;
}

export type StatusSubscriptionActions = ReturnType<typeof createStatusSubscriptionActions>;

/** Subscribers that an export reads at a time. */
const exportedAtOnce = 1000;

/** Addresses are personal data: those who only read the account do not see them. */
export function createStatusSubscriptionActions(deps: StatusSubscriptionDeps) {
  const { statusPages, statusServices, statusSubscribers, sendsMail, onRequested } = deps;
  const find = async ({ accountId }: Caller, pageId: string): Promise<StatusPage> => {
    return orNotFound(await statusPages.find(accountId, pageId), 'status page', pageId);
  };
  return {
    /** Oldest first. @param search part of the address, or null */
    async list(
      caller: Caller,
      pageId: string,
      { after, limit, search }: { after: string | null; limit: number; search: string | null },
    ): Promise<CursorPage<StatusSubscriber> & { readonly services: ReadonlyMap<string, StatusService> }> {
      requirePermission(caller, 'write');
      const { accountId } = caller;
      await find(caller, pageId);
      const { rows, last } = await statusSubscribers.list({ accountId, pageId }, after, limit, search);
      const services = new Map((await statusServices.all(accountId)).map((service) => [service.id, service]));
      return { rows, nextId: last, services };
    },
    /** Refuses (`unavailable`) without a mail server, unless the subscribers need not confirm. */
    async add(caller: Caller, pageId: string, requests: readonly SubscriberRequest[], isConfirmed: boolean) {
      requirePermission(caller, 'write');
      const { accountId } = caller;
      const page = await find(caller, pageId);
      refuseProblems(problemsOf(page, requests));
      if (!isConfirmed && !sendsMail(accountId))
        throw new Refusal(
          'unavailable',
          'This server cannot send email, so nobody can confirm. Set autoVerify if they have agreed, or ask the operator to set up email.',
        );
      const added = await statusSubscribers.add({ accountId, pageId }, requests, isConfirmed);
      if (added === null) throw notFound('status page', pageId);
      if (added === 'busy') throw tooMany();
      if (!isConfirmed) onRequested();
      return added;
    },
    /** All of a page, some at a time, oldest first. */
    async *export(caller: Caller, pageId: string): AsyncGenerator<readonly StatusSubscriber[]> {
      requirePermission(caller, 'write');
      const { accountId } = caller;
      await find(caller, pageId);
      for (let after: string | null = null, isThrough = false; !isThrough;) {
        const { rows, last } = await statusSubscribers.list({ accountId, pageId }, after, exportedAtOnce, null);
        yield rows;
        [after, isThrough] = [last, last === null];
      }
    },
    async remove(caller: Caller, pageId: string, id: string): Promise<void> {
      requirePermission(caller, 'write');
      await find(caller, pageId);
      if (!(await statusSubscribers.remove({ accountId: caller.accountId, pageId, id })))
        throw notFound('subscriber', id);
    },
  };
}

function tooMany(): Refusal {
  const message = 'Too many subscribers of this account wait for their email. Try again in an hour.';
  return new Refusal('too-many', message, { retryAfterSeconds: 3600 });
}

function problemsOf(page: StatusPage, requests: readonly SubscriberRequest[]): Problem[] {
  const known = new Set(servicesOf(page));
  return requests.flatMap(({ serviceIds }, index) =>
    (serviceIds ?? [])
      .filter((id) => !known.has(id))
      .map((id) => ({
        path: `subscriptions.${index}.services`,
        message: `contains ${id}, which the page does not show`,
      })),
  );
}

interface PublicSubscriptionDeps extends Pick<Store, 'statusSubscribers'> {
  readonly links: Pick<SubscriptionLinks, 'openConfirm' | 'openUnsubscribe'>;
  readonly clock: Clock;
  /** Called when a mail is due. */
  readonly onRequested: () => void;
}

/** What became of a request. `address` = it is no address; `busy` = the page takes no more for now. */
type RequestOutcome = 'sent' | 'address' | 'busy';

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
