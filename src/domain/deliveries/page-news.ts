// What a message says about changes of a status page, in the words of what is published.
import type { AlertChannel } from '../alerts/alert-channel.ts';
import type { PublicIncident, PublicMaintenance, PublicPage, PublicUpdate } from '../status-pages/page-snapshot.ts';
import type { MaintenanceEvent } from '../status-pages/page-changes.ts';

/** ID of the channel of each account that sends to subscribers of its status pages. It has no row. */
export const subscribersChannelId = 0;

/** The channel of an account that sends to subscribers of its status pages. */
export function subscribersChannel(accountId: string): AlertChannel {
  return {
    accountId,
    id: subscribersChannelId,
    type: 'STATUS_PAGE',
    config: {},
    secrets: {},
    sendRecovery: false,
    sendFailure: false,
    sendDegraded: false,
    sslExpiry: false,
    sslExpiryThreshold: 1,
    autoSubscribe: false,
    grouping: false,
    activeHours: null,
    report: null,
    exhaustedInARow: 0,
    failingSince: null,
    createdAt: 0,
    updatedAt: null,
  };
}

/** A change of a page with its texts. Instants are epoch ms. */
export type NewsItem = {
  /** Names of services of the page. */
  readonly services: readonly string[];
  /** Where readers find more. */
  readonly url: string;
} & (
  | ({ readonly kind: 'update'; readonly update: PublicUpdate } & Pick<
      PublicIncident,
      'id' | 'name' | 'severity' | 'startedAt' | 'resolvedAt'
    >)
  | ({ readonly kind: 'maintenance'; readonly event: MaintenanceEvent } & Omit<PublicMaintenance, 'serviceIds'>)
);

/** Content of a message about changes of a page. */
export interface PageNews {
  readonly page: Pick<PublicPage, 'id' | 'name' | 'language' | 'timeZone' | 'texts'> & { readonly url: string };
  /** Oldest first, at least one. */
  readonly items: readonly NewsItem[];
  /** Who receives it; null = a channel of the account. */
  readonly subscriber: { readonly id: string; readonly email: string; readonly unsubscribeUrl: string } | null;
}
