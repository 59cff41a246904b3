// When a channel counts as failing, and the alert about it through other channels (docs/decisions/0026).
import type { AlertChannel } from '../alerts/alert-channel.ts';
import type { Attempt } from './delivery.ts';
import { type DeliveryEnd, type DeliveryPurpose, isReported, wasOverdue } from './delivery-purpose.ts';
import type { Digest } from '../alerts/digest.ts';
import type { EnvironmentVariable } from '../accounts/environment-variable.ts';
import type { TemplateVariables } from './template-variables.ts';

/** The end of a delivery, with regard to its channel. */
export interface ChannelEvent {
  readonly end: DeliveryEnd;
  readonly purpose: DeliveryPurpose;
  readonly deliveryId: string;
  /** Number of its last attempt; 0 = none. */
  readonly attempts: number;
  readonly reason: string | null;
}

/** Whether a channel receives, and what others know about it. Times are epoch ms. */
export interface ChannelStanding {
  readonly lostInARow: number;
  /** null = it receives. */
  readonly failingSince: number | null;
  /** Why the last delivery was lost. */
  readonly reason: string | null;
  /** The delivery that made it fail, and what it was for; null = unknown. */
  readonly lost: { readonly deliveryId: string; readonly purpose: DeliveryPurpose } | null;
  /** What is still to be reported through other channels. */
  readonly news: 'failing' | 'receiving' | null;
  /** Whether its failure was reported to other channels. */
  readonly isKnown: boolean;
}

/**
 * Consecutive lost deliveries after which a channel is failing: a single redirect may be intended.
 */
const lostUntilFailing: Readonly<Record<Exclude<DeliveryEnd, 'received'>, number>> = {
  lost: 1,
  overdue: 1,
  redirected: 2,
};

/** The standing of a channel after one of its deliveries has ended. The only place that decides what an end means. */
export function afterEnd(standing: ChannelStanding, event: ChannelEvent, now: number): ChannelStanding {
  const { end, purpose, deliveryId, reason } = event;
  if (end === 'received') {
    if (standing.lostInARow === 0) return standing;
    const news = standing.isKnown ? 'receiving' : null;
    return { ...standing, lostInARow: 0, failingSince: null, reason: null, news };
  }
  const isCounted = end === 'lost' && wasOverdue(event.attempts) && standing.lostInARow > 0;
  const lostInARow = standing.lostInARow + (isCounted ? 0 : 1);
  const isFailing = lostInARow >= lostUntilFailing[end];
  const failingSince = isFailing ? (standing.failingSince ?? now) : null;
  // A channel may be failing because of a test or a report: the first lost alert is news all the same.
  const isFirst = isReported[purpose] && !standing.isKnown && !(standing.lost && isReported[standing.lost.purpose]);
  if (standing.failingSince !== null && !isFirst) return { ...standing, lostInARow, failingSince, reason };
  const reported = !standing.isKnown && isReported[purpose] ? 'failing' : null;
  return {
    ...standing,
    lostInARow,
    failingSince,
    reason,
    lost: { deliveryId, purpose },
    news: isFailing ? reported : standing.news,
  };
}

/** Shown where the error of rendering is not, because it may contain values of variables. */
export const notRendered = 'the message could not be rendered; the log of deliveries has the error';

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
  /** The grouped notification that was lost; null = not one. */
  readonly digest: Digest | null;
  /** The delivery that made the channel fail; null = unknown. */
  readonly deliveryId: string | null;
  /** The channels that send the report, best choice first: the next one is used if no channel of a choice can. */
  readonly through: readonly (readonly AlertChannel[])[];
  /** Variables of the account, without secrets. */
  readonly variables: readonly EnvironmentVariable[];
}

/** Kinds of reports. Deleting a failing channel closes its report. */
type ReportFacts = Pick<
  ChannelReport,
  'accountId' | 'name' | 'alertChannelId' | 'check' | 'digest' | 'since' | 'reason' | 'variables'
> & {
  readonly kind: ChannelReport['kind'] | 'deleted';
};

/** What the lost message was about: its check, or the first checks of a grouped notification. */
function contentOf({ check, digest }: Pick<ReportFacts, 'check' | 'digest'>): string {
  if (check !== null) return ` It was for the check "${check.name}".`;
  if (digest === null || digest.sections.length === 0) return '';
  const checks = digest.sections.flatMap((section) => section.checks);
  const count = digest.sections.reduce((sum, section) => sum + section.count, 0);
  const named = checks.slice(0, namedChecks).map(({ name }) => `"${name}"`);
  const others = count - named.length;
  const list = others > 0 ? `${named.join(', ')} and ${others} ${others === 1 ? 'other' : 'others'}` : named.join(', ');
  return ` It was for ${count === 1 ? '1 check' : `${count} checks`}: ${list}.`;
}

const namedChecks = 3;

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
  const lost = report.digest === null ? 'alert' : 'grouped notification';
  return {
    ...Object.fromEntries(report.variables.map(({ key, value }) => [key, value])),
    ALERT_TITLE: `Alert channel "${name}" ${happened[report.kind]}`,
    ALERT_TYPE: isFailing ? 'ALERT_FAILURE' : 'ALERT_RECOVERY',
    CHECK_NAME: `Alert channel "${name}"`,
    // Accounts that share a pager key must not close each other's incidents.
    CHECK_ID: `alert-channel-${accountId}-${alertChannelId}`,
    CHECK_TYPE: 'ALERT_CHANNEL',
    CHECK_ERROR_MESSAGE: isFailing
      ? `The last ${lost} could not be delivered: ${withoutPaths(report.reason ?? 'unknown')}.${contentOf(report)}`
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
