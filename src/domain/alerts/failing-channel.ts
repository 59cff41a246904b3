// When a channel counts as failing, and the alert about it that other channels send (docs/decisions/0026).
import type { AlertChannel } from './alert-channel.ts';
import type { Attempt, DeliveryStep } from './delivery.ts';
import type { EnvironmentVariable } from '../accounts/environment-variable.ts';
import type { TemplateVariables } from './template-variables.ts';

/** How a delivery ended, as far as its channel is concerned. */
export type DeliveryEnd = 'received' | 'redirected' | 'exhausted';

/** null = the delivery goes on, or its end is not the channel's fault. */
export function deliveryEnd(attempt: Pick<Attempt, 'response'>, { status }: DeliveryStep): DeliveryEnd | null {
  if (status === 'exhausted') return 'exhausted';
  if (status !== 'delivered') return null;
  return (attempt.response?.status ?? 0) >= 300 ? 'redirected' : 'received';
}

/**
 * Deliveries in a row that did not reach anyone, until the channel is failing: one exhausted delivery, or a second redirect,
 * since a single redirect is an answer like any other.
 */
export const lostUntilFailing: Readonly<Record<Exclude<DeliveryEnd, 'received'>, number>> = {
  exhausted: 1,
  redirected: 2,
};

/** Why the last delivery failed. A redirect names the new address, without its query, which may be a secret. */
export function lostReason({ response, error }: Pick<Attempt, 'response' | 'error'>): string | null {
  if (error !== null) return error.message;
  if (response === null) return null;
  const location = response.headers['location']?.replace(/[?#].*$/s, '').replace(/^([a-z]+:\/\/)[^/@]*@/i, '$1');
  const to = location === undefined || location === '' ? '' : ` to ${location.slice(0, 300)}`;
  return `the receiver redirected${to} (${response.status}); redirects are not followed`;
}

/** A reason without the paths of its addresses, which may be secrets of the receiver. */
export function withoutPaths(reason: string): string {
  return reason.replaceAll(/(https?:\/\/[^/\s]+)\/\S+/g, '$1/…');
}

/** A channel failure or recovery to report through other channels. Instants are epoch ms. */
export interface ChannelReport {
  readonly kind: 'failing' | 'receiving';
  readonly accountId: string;
  readonly alertChannelId: number;
  readonly name: string;
  readonly since: number;
  /** Why the delivery that made the channel fail was lost; null = unknown. */
  readonly reason: string | null;
  /** The check whose alert was lost; null = it was no alert, or the check is deleted. */
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
  /** Of the account, without secrets. */
  readonly variables: readonly EnvironmentVariable[];
}

/** What is said of a channel. A failing one that is deleted is no longer failing: what its report opened is closed. */
type ReportFacts = Pick<ChannelReport, 'name' | 'alertChannelId' | 'check' | 'since' | 'reason' | 'variables'> & {
  readonly kind: ChannelReport['kind'] | 'deleted';
};

/**
 * What the other channel's own template is rendered with: a failure of the channel, in the place of the check, so that an
 * incident it opens is closed by the recovery and is not mixed up with the check's own.
 *
 * @param link RESULT_LINK of the result whose alert was lost
 */
export function reportVariables(report: ReportFacts, deliveryId: string, link: string | undefined): TemplateVariables {
  const { name, alertChannelId, check } = report;
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
    CHECK_ID: `alert-channel-${alertChannelId}`,
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
