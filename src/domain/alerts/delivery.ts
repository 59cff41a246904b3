// A delivery, its attempts, and what comes after each of them (decisions: Schedule).
import type { JsonValue } from '../json.ts';
import type { AlertType } from './alert.ts';
import type { TemplateVariables } from './template-variables.ts';

export const deliveryStatuses = ['pending', 'delivered', 'exhausted', 'refused', 'failed', 'cancelled'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/**
 * What a delivery sends, rendered once; every attempt sends the same (decisions: Render once). The log shows it as a request,
 * whatever its kind of channel makes of it.
 */
export interface Message {
  readonly method: string;
  /** Where it goes: absolute, without user-info. */
  readonly url: string;
  /** In order; values may repeat a name. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** '' = none. */
  readonly body: string;
  /** What else its kind needs to send it; never shown. */
  readonly data?: JsonValue;
}

/** What a delivery is rendered from, with its channel and the user's variables, right before its first attempt. */
export interface DeliveryContent {
  /** The system variables. */
  readonly variables: TemplateVariables;
  /** The group whose subscription caused the delivery: its variables apply. */
  readonly groupId: number | null;
}

/** One alert on its way to one channel. */
export interface Delivery {
  readonly accountId: string;
  /** Constant over retries: the receiver's idempotency key. */
  readonly id: string;
  readonly alertChannelId: number;
  readonly alertId: string | null;
  readonly checkId: string | null;
  readonly checkResultId: string | null;
  readonly alertType: AlertType;
  readonly status: DeliveryStatus;
  /** null when it is not rendered yet, or could not be. */
  readonly request: Message | null;
  /** What a new delivery is rendered from; absent when it was rendered already. */
  readonly content?: DeliveryContent;
  /** Attempts made so far, interrupted ones not counted. */
  readonly attempts: number;
  /** Epoch ms. */
  readonly createdAt: number;
  /** null once it has ended. */
  readonly nextAttemptAt: number | null;
  readonly replayOf: string | null;
  readonly isTest: boolean;
  /** Why it could not be rendered, or is not tried again or not yet. */
  readonly error: string | null;
}

/** What an attempt needs of its delivery. */
export type DueDelivery = Pick<
  Delivery,
  'accountId' | 'id' | 'alertChannelId' | 'checkId' | 'alertType' | 'request' | 'createdAt' | 'replayOf' | 'isTest'
>;

/** Why an attempt brought no good answer: a closed list. */
export type AttemptError =
  | 'status'
  | 'timeout'
  | 'dns'
  | 'connect'
  | 'tls'
  | 'reset'
  | 'protocol'
  | 'egress-refused'
  | 'interrupted';

/** What came of sending a request once. */
export interface SendOutcome {
  /** Epoch ms. */
  readonly startedAt: number;
  readonly durationMs: number;
  /** The headers as sent, our own included. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly response: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    /** The first 16 kB. */
    readonly body: string;
  } | null;
  readonly error: { readonly class: AttemptError; readonly message: string } | null;
  /** What is wrong with the body of the response; its head counts all the same. */
  readonly bodyProblem?: string;
  /** The request went out once more over a fresh connection: the kept one was lost as it was used (docs/decisions/0064). */
  readonly isSentTwice?: true;
}

/** One recorded try of a delivery. */
export interface Attempt extends SendOutcome {
  readonly accountId: string;
  readonly deliveryId: string;
  /** 1..6, more with a long tail; an interrupted attempt and its repeat share a number. */
  readonly number: number;
  /** null when it was the last one. */
  readonly nextAttemptAt: number | null;
}

/** Retries after the first attempt, and the pause before each, counted from the end of the one before (spec §6.5). */
export const retryPausesMs: readonly number[] = [20_000, 20_000, 20_000, 20_000, 20_000];

/** The opt-in long tail after them: 5 min, 30 min, 2 h, 6 h (decisions: Schedule). */
export const longTailPausesMs: readonly number[] = [300_000, 1_800_000, 7_200_000, 21_600_000];

/** The longest wait that a receiver can ask for, ms: 6 h. */
export const askedWaitMostMs = 21_600_000;

/** How long a 429 or 503 asks to wait from the end of its attempt (RFC 9110 10.2.3), ms; null = it does not ask. */
export function askedWaitMs({
  startedAt,
  durationMs,
  response,
}: Pick<SendOutcome, 'startedAt' | 'durationMs' | 'response'>): number | null {
  if (response?.status !== 429 && response?.status !== 503) return null;
  const value = response.headers['retry-after']?.trim() ?? '';
  const isDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(value);
  const waitMs = isDate ? Date.parse(value) - startedAt - durationMs : /^\d+$/.test(value) ? Number(value) * 1000 : 0;
  return waitMs > 0 ? Math.min(waitMs, askedWaitMostMs) : null;
}

/** The instant before which a 429 or 503 asks for no request, epoch ms; null = it does not ask. */
export function askedUntil(outcome: Pick<SendOutcome, 'startedAt' | 'durationMs' | 'response'>): number | null {
  const waitMs = askedWaitMs(outcome);
  return waitMs === null ? null : Math.ceil(outcome.startedAt + outcome.durationMs + waitMs);
}

/** Why a delivery is not tried yet. @param until epoch ms */
export function waitReason(until: number): string {
  return `the receiver asked for no request before ${new Date(until).toISOString()}`;
}

/** What becomes of a delivery after an attempt. */
export type DeliveryStep =
  | { readonly status: 'pending'; readonly nextAttemptAt: number }
  | { readonly status: 'delivered' | 'exhausted' | 'refused' | 'failed'; readonly nextAttemptAt: null };

/** How far a delivery is tried: a test message once, an alert six times, with the long tail ten. */
export type RetryPlan = 'once' | 'normal' | 'long-tail';

const pausesOf: Readonly<Record<RetryPlan, readonly number[]>> = {
  once: [],
  normal: retryPausesMs,
  'long-tail': [...retryPausesMs, ...longTailPausesMs],
};

/**
 * What becomes of a delivery after an attempt: a status below 400 delivers it, a refusal by the egress policy ends it,
 * everything else is retried 20 s after the attempt's end, five times (spec §6.5, decisions: Webhook delivery; a test message is
 * tried once: docs/decisions/0012). Where a 429 or 503 asks for more time (`Retry-After`), a step of the long tail waits at least
 * as long, and one more attempt follows the last unless that one began after the time asked for.
 *
 * @param attempt number of the attempt that ended, from 1
 * @param channelUntil until when earlier answers of the receiver asked to wait, epoch ms; null = they did not
 */
export function afterAttempt(
  outcome: SendOutcome,
  attempt: number,
  plan: RetryPlan,
  channelUntil: number | null = null,
): DeliveryStep {
  if (outcome.error?.class === 'egress-refused') return { status: 'refused', nextAttemptAt: null };
  if (outcome.error === null) return { status: 'delivered', nextAttemptAt: null };
  const pauses = pausesOf[plan];
  const mayWait = plan !== 'once' && attempt > retryPausesMs.length && attempt <= pauses.length + 1;
  const until = mayWait ? Math.max(askedUntil(outcome) ?? 0, channelUntil ?? 0) : 0;
  const planned = pauses[attempt - 1];
  if (planned === undefined && until <= outcome.startedAt) return { status: 'exhausted', nextAttemptAt: null };
  const plannedAt = outcome.startedAt + outcome.durationMs + (planned ?? 0);
  return { status: 'pending', nextAttemptAt: Math.max(Math.ceil(plannedAt), until) };
}

/** What is unusual about an attempt, in a sentence or two; null = nothing. */
export function attemptNote(
  outcome: Pick<SendOutcome, 'startedAt' | 'durationMs' | 'response' | 'error' | 'isSentTwice' | 'bodyProblem'>,
): string | null {
  const { response, error, isSentTwice, bodyProblem } = outcome;
  const notes: string[] = [];
  const asked = askedWaitMs(outcome);
  if (asked !== null) notes.push(`The receiver asked to wait ${Math.ceil(asked / 1000)} s.`);
  if (isSentTwice === true) {
    notes.push(
      'The receiver closed a kept-alive connection as the request went out, so the request was sent again over a new one. ' +
        'The receiver may have it twice.',
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
