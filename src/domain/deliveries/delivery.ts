// Deliveries, their attempts and retries (decisions: Schedule).
import type { JsonValue } from '../json.ts';
import type { AccountReport } from '../results/account-report.ts';
import type { AlertType } from '../alerts/alert.ts';
import type { Digest } from '../alerts/digest.ts';
import type { PageNews } from './page-news.ts';
import type { TemplateVariables } from './template-variables.ts';

/**
 * `collecting`: a digest that other alerts still join. `digested`: its alert is in a digest. `superseded`: a newer message
 * was sent instead (docs/decisions/0136).
 */
export const deliveryStatuses = [
  'pending',
  'delivered',
  'exhausted',
  'refused',
  'failed',
  'cancelled',
  'collecting',
  'digested',
  'superseded',
] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/**
 * Content of a delivery, rendered once and sent unchanged by every attempt (decisions: Render once). The log shows it
 * as a request, for channels of any kind.
 */
export interface Message {
  readonly method: string;
  /** Target URL: absolute, without credentials. */
  readonly url: string;
  /** In order; names may repeat. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** '' = no body. */
  readonly body: string;
  /** Other data that the kind needs for sending; never shown. */
  readonly data?: JsonValue;
}

/** Input for rendering a delivery right before its first attempt, with its channel and the user's variables. */
export interface DeliveryContent {
  /** System variables. */
  readonly variables: TemplateVariables;
  /** The group whose subscription caused the delivery, for its variables. */
  readonly groupId: number | null;
  /** Set for a digest. */
  readonly digest?: Digest;
  /** Set for a report on the account. */
  readonly report?: AccountReport;
  /** Set for changes of a status page. */
  readonly news?: PageNews;
  /** Why there is nothing to render. */
  readonly fault?: string;
}

/** What a delivery is rendered from: all variables, a digest, a report, or changes of a status page. */
export interface RenderInput extends Pick<DeliveryContent, 'variables' | 'digest' | 'report' | 'news' | 'fault'> {
  /** Zone of the account, as an IANA name; null = the server's. */
  readonly timeZone: string | null;
}

/** A delivery of one alert to one channel. */
export interface Delivery {
  readonly accountId: string;
  /** The same for all retries: the receiver's idempotency key. */
  readonly id: string;
  readonly alertChannelId: number;
  readonly alertId: string | null;
  readonly checkId: string | null;
  readonly checkResultId: string | null;
  /** null = a report on the account, or changes of a status page. */
  readonly alertType: AlertType | null;
  readonly status: DeliveryStatus;
  /** null if it was not rendered yet, or rendering failed. */
  readonly request: Message | null;
  /** Input for rendering; absent if it is already rendered. */
  readonly content?: DeliveryContent;
  /** Number of attempts so far, without interrupted ones. */
  readonly attempts: number;
  /** Epoch ms. */
  readonly createdAt: number;
  /** null once it has finished. */
  readonly nextAttemptAt: number | null;
  readonly replayOf: string | null;
  readonly isTest: boolean;
  /** Why rendering failed, or why it is not retried or not started yet. */
  readonly error: string | null;
  /** The digest that its alert is in. */
  readonly digestId?: string;
  /** Status of that digest, where deliveries are shown. */
  readonly digestStatus?: DeliveryStatus;
  /** The channel in whose place it is sent, outside of that channel's active hours. */
  readonly routedFrom?: number;
  /** Whether it is a digest. */
  readonly isDigest?: boolean;
  /** The incident of which only the newest message is sent; absent = every message is sent (docs/decisions/0136). */
  readonly latestOf?: string;
  /** The change of a status page that it is about. */
  readonly pageChangeId?: string;
}

/** A delivery that belongs to no check and is due at once. @param now epoch ms */
export function newDelivery(
  own: Pick<Delivery, 'accountId' | 'id' | 'alertChannelId' | 'alertType'>,
  now: number,
): Delivery {
  return {
    ...own,
    alertId: null,
    checkId: null,
    checkResultId: null,
    status: 'pending',
    request: null,
    attempts: 0,
    createdAt: now,
    nextAttemptAt: now,
    replayOf: null,
    isTest: false,
    error: null,
  };
}

/** Fields of a delivery that an attempt needs. */
export type DueDelivery = Pick<
  Delivery,
  'accountId' | 'id' | 'alertChannelId' | 'checkId' | 'alertType' | 'request' | 'createdAt' | 'replayOf' | 'isTest'
>;

/** Why an attempt failed: a closed list. */
export type AttemptError =
  | 'status'
  | 'timeout'
  | 'dns'
  | 'connect'
  | 'tls'
  | 'reset'
  | 'protocol'
  | 'egress-refused'
  | 'rejected'
  | 'interrupted';

/** Outcome of sending a request once. */
export interface SendOutcome {
  /** Epoch ms. */
  readonly startedAt: number;
  readonly durationMs: number;
  /** Headers as sent, including our own. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly response: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    /** First 16 kB. */
    readonly body: string;
  } | null;
  readonly error: { readonly class: AttemptError; readonly message: string } | null;
  /** Problem in the body of the response; its status counts regardless. */
  readonly bodyProblem?: string;
  /**
   * The request was sent again over a new connection because the kept-alive one was lost during use
   * (docs/decisions/0064).
   */
  readonly isSentTwice?: true;
}

/** A recorded attempt of a delivery. */
export interface Attempt extends SendOutcome {
  readonly accountId: string;
  readonly deliveryId: string;
  /** 1..6, more with the long tail; an interrupted attempt and its repetition share a number. */
  readonly number: number;
  /** null if it was the last one. */
  readonly nextAttemptAt: number | null;
}

/** Delays before the retries after the first attempt, each counted from the end of the previous attempt (spec §6.5). */
export const retryPausesMs: readonly number[] = [20_000, 20_000, 20_000, 20_000, 20_000];

/** Optional additional retries: 5 min, 30 min, 2 h, 6 h (decisions: Schedule). */
export const longTailPausesMs: readonly number[] = [300_000, 1_800_000, 7_200_000, 21_600_000];

/** Maximum delay that a receiver can request, ms: 6 h. */
export const maxRequestedWaitMs = 21_600_000;

/** Delay requested by a 429 or 503, from the end of its attempt (RFC 9110 10.2.3), ms; null = none. */
export function requestedDelayMs({
  startedAt,
  durationMs,
  response,
}: Pick<SendOutcome, 'startedAt' | 'durationMs' | 'response'>): number | null {
  if (response?.status !== 429 && response?.status !== 503) return null;
  const value = response.headers['retry-after']?.trim() ?? '';
  const isDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(value);
  const waitMs = isDate ? Date.parse(value) - startedAt - durationMs : /^\d+$/.test(value) ? Number(value) * 1000 : 0;
  return waitMs > 0 ? Math.min(waitMs, maxRequestedWaitMs) : null;
}

/** Time before which a 429 or 503 asks for no request, epoch ms; null = none. */
export function delayedUntil(outcome: Pick<SendOutcome, 'startedAt' | 'durationMs' | 'response'>): number | null {
  const waitMs = requestedDelayMs(outcome);
  return waitMs === null ? null : Math.ceil(outcome.startedAt + outcome.durationMs + waitMs);
}

/** Why a delivery is not attempted yet. @param until epoch ms */
export function waitReason(until: number): string {
  return `the receiver asked for no request before ${new Date(until).toISOString()}`;
}

/** State of a delivery after an attempt. */
export type DeliveryStep =
  | { readonly status: 'pending'; readonly nextAttemptAt: number }
  | { readonly status: 'delivered' | 'exhausted' | 'refused' | 'failed'; readonly nextAttemptAt: null };

/** Maximum number of attempts: 1 for a test message, 6 for an alert, 10 with the long tail. */
export type RetryPlan = 'once' | 'normal' | 'long-tail';

const pausesOf: Readonly<Record<RetryPlan, readonly number[]>> = {
  once: [],
  normal: retryPausesMs,
  'long-tail': [...retryPausesMs, ...longTailPausesMs],
};

/**
 * State of a delivery after an attempt: a status below 400 delivers it, a refusal by the egress policy ends it, and so
 * does a mail server that rejects the recipient. Anything else is retried 20 s after the attempt's end, five times
 * (spec §6.5, decisions: Webhook delivery; a test message is tried once: docs/decisions/0012). If a 429 or 503 requests
 * a delay (`Retry-After`), a step of the long tail waits at least that long, and one attempt is added unless the last
 * one began after the requested time.
 *
 * @param attempt number of the attempt that ended, from 1
 * @param channelUntil until when earlier responses of the receiver requested a delay, epoch ms; null = none
 */
export function afterAttempt(
  outcome: SendOutcome,
  attempt: number,
  plan: RetryPlan,
  channelUntil: number | null = null,
): DeliveryStep {
  if (outcome.error?.class === 'egress-refused') return { status: 'refused', nextAttemptAt: null };
  if (outcome.error?.class === 'rejected') return { status: 'failed', nextAttemptAt: null };
  if (outcome.error === null) return { status: 'delivered', nextAttemptAt: null };
  const pauses = pausesOf[plan];
  const mayWait = plan !== 'once' && attempt > retryPausesMs.length && attempt <= pauses.length + 1;
  const until = mayWait ? Math.max(delayedUntil(outcome) ?? 0, channelUntil ?? 0) : 0;
  const planned = pauses[attempt - 1];
  if (planned === undefined && until <= outcome.startedAt) return { status: 'exhausted', nextAttemptAt: null };
  const plannedAt = outcome.startedAt + outcome.durationMs + (planned ?? 0);
  return { status: 'pending', nextAttemptAt: Math.max(Math.ceil(plannedAt), until) };
}

/** Remarks on an attempt, in a sentence or two; null = none. */
export function attemptNote(
  outcome: Pick<SendOutcome, 'startedAt' | 'durationMs' | 'response' | 'error' | 'isSentTwice' | 'bodyProblem'>,
): string | null {
  const { response, error, isSentTwice, bodyProblem } = outcome;
  const notes: string[] = [];
  const asked = requestedDelayMs(outcome);
  if (asked !== null) notes.push(`The receiver requested a delay of ${Math.ceil(asked / 1000)} s.`);
  if (isSentTwice === true) {
    notes.push(
      'The receiver closed a kept-alive connection during the request, so the request was sent again over a new one. ' +
        'The receiver may have received it twice.',
    );
  }
  if (bodyProblem !== undefined) {
    notes.push(`The response was incomplete: ${bodyProblem}. Its status still counts.`);
  }
  if (error === null && response !== null && response.status >= 300) {
    notes.push(
      `The receiver answered ${response.status}. Redirects are not followed, and this counts as delivered. ` +
        'Set the channel URL to the new address.',
    );
  }
  return notes.length === 0 ? null : notes.join(' ');
}

/** Why deliveries are held. Times are epoch ms. */
export interface DeliveryHold {
  /** When the hold began. */
  readonly since: number;
  /** `restore` = a backup was restored; `setting`: TOCSIN_DELIVERIES=held. */
  readonly reason: 'restore' | 'setting';
  /** Time of the newest restored data; null = nothing was restored. */
  readonly backupAt: number | null;
}
