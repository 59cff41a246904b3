// When a channel counts as failing, and the alert about it through other channels (docs/decisions/0026).
import type { AlertChannel } from './alert-channel.ts';
import type { Attempt, DeliveryStep } from './delivery.ts';
import type { EnvironmentVariable } from '../accounts/environment-variable.ts';
import type { TemplateVariables } from './template-variables.ts';

/** Outcome of a delivery with regard to its channel. */
export type DeliveryEnd = 'received' | 'redirected' | 'exhausted';

/** null = the delivery continues, or the channel did not cause its end. */
export function deliveryEnd(attempt: Pick<Attempt, 'response'>, { status }: DeliveryStep): DeliveryEnd | null {
  // An attempt that ends its delivery as failed was rejected for good.
  if (status === 'exhausted' || status === 'failed') return 'exhausted';
  if (status !== 'delivered') return null;
  return (attempt.response?.status ?? 0) >= 300 ? 'redirected' : 'received';
}

/**
 * Consecutive lost deliveries after which a channel is failing: one exhausted delivery or two redirects, because a
 * single redirect may be intended.
 */
export const lostUntilFailing: Readonly<Record<Exclude<DeliveryEnd, 'received'>, number>> = {
  exhausted: 1,
  redirected: 2,
};

/** Why the last delivery failed. A redirect shows the new address without its query, which may be secret. */
export function lostReason({ response, error }: Pick<Attempt, 'response' | 'error'>): string | null {
  if (error !== null) return error.message;
  if (response === null) return null;
  const location = response.headers['location']?.replace(/[?#].*$/s, '').replace(/^([a-z]+:\/\/)[^/@]*@/i, '$1');
  const to = location === undefined || location === '' ? '' : ` to ${location.slice(0, 300)}`;
  return `the receiver redirected${to} (${response.status}); redirects are not followed`;
}

/** A reason without URL paths, which may be secrets of the receiver. */
export function withoutPaths(reason: string): string {
  return reason.replaceAll(/(https?:\/\/[^/\s]+)\/\S+/g, '$1/…');
}

/** A channel failure or recovery to report through other channels. Times are epoch ms. */
export interface ChannelReport {
  readonly kind: 'failing' | 'receiving';
  readonly accountId: string;
  readonly alertChannelId: number;
  readonly name: string;
  readonly since: number;
  /** Why the delivery that made the channel fail was lost; null = unknown. */
  readonly reason: string | null;
  /** The check whose alert was lost; null = not an alert, or the check was deleted. */
  readonly check: {
    readonly id: string;
    readonly name: string;
    readonly tags: readonly string[];
    readonly groupName: string | null;
  } | null;
  readonly checkResultId: string | null;
  /** The delivery that made the channel fail; null = unknown. */
  readonly deliveryId: string | null;
  /** The channels that send the report. */
  readonly through: readonly AlertChannel[];
  /** Variables of the account, without secrets. */
  readonly variables: readonly EnvironmentVariable[];
}

/** Kinds of reports. Deleting a failing channel closes its report. */
type ReportFacts = Pick<
  ChannelReport,
  'accountId' | 'name' | 'alertChannelId' | 'check' | 'since' | 'reason' | 'variables'
> & {
  readonly kind: ChannelReport['kind'] | 'deleted';
};

/**
 * Input for the other channel's template. The failing channel takes the place of the check, so that its recovery closes
 * the right incident.
 * @param link RESULT_LINK of the result whose alert was lost
 */
export function reportVariables(report: ReportFacts, deliveryId: string, link: string | undefined): TemplateVariables {
  const { accountId, name, alertChannelId, check } = report;
  const isFailing = report.kind === 'failing';
  const happened = {
    failing: 'does not receive alerts',
    receiving: 'receives alerts again',
    deleted: 'has been deleted',
  };
  const lost = check === null ? '' : ` It was for the check "${check.name}".`;
  return {
    ...Object.fromEntries(report.variables.map(({ key, value }) => [key, value])),
    ALERT_TITLE: `Alert channel "${name}" ${happened[report.kind]}`,
    ALERT_TYPE: isFailing ? 'ALERT_FAILURE' : 'ALERT_RECOVERY',
    CHECK_NAME: `Alert channel "${name}"`,
    // Accounts that share a pager key must not close each other's incidents.
    CHECK_ID: `alert-channel-${accountId}-${alertChannelId}`,
    CHECK_TYPE: 'ALERT_CHANNEL',
    CHECK_ERROR_MESSAGE: isFailing
      ? `The last alert could not be delivered: ${withoutPaths(report.reason ?? 'unknown')}.${lost}`
      : undefined,
    RESULT_LINK: link,
    STARTED_AT: new Date(report.since).toISOString(),
    TAGS: check?.tags ?? [],
    GROUP_NAME: check?.groupName ?? undefined,
    IS_REMINDER: false,
    IS_REPLAY: false,
    DELIVERY_ID: deliveryId,
  };
}
