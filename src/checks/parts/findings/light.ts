// Findings of light kinds: what is kept of every result, and what the wire shows of it.
import type { JsonObject, JsonValue } from '#domain/json.ts';
import type { Finding, Result, SeenCertificate } from '#domain/results/result.ts';
import { type AssertionOutcome, decodeAssertion, encodeAssertion, withoutTime } from '../assertions/stored.ts';
import { type Fault, isOfObserver } from '../connection/fault.ts';
import type { Redactor } from '../redact.ts';
import type { Judged } from './judge.ts';

/** What a probe has seen when it ends. */
export interface LightLook {
  /** Epoch ms. */
  readonly startedAt: number;
  /** How long it took in all, ms. */
  readonly tookMs: number;
  /** ms; null = no answer. */
  readonly responseTimeMs: number | null;
  readonly address: string | null;
  /** ms, in the order in which they took place. */
  readonly phases: Readonly<Record<string, number>>;
  readonly assertions: readonly AssertionOutcome[];
  /** What is kept of the answer with every result; null = there was none. */
  readonly short: JsonObject | null;
  readonly request: JsonObject;
  /** The answer in full. */
  readonly response: JsonObject | null;
  readonly certificate?: SeenCertificate | null;
  /** Instants of `performance.now()`; 0 = not reached, absent = another program has timed it. */
  readonly steps?: readonly number[];
  readonly otherCertificates?: readonly SeenCertificate[];
}

/** The finding of a look and its verdict. */
export function lightFinding(
  look: LightLook,
  { verdict, reason, message, timeMarginMs }: Judged,
  redactor: Redactor,
): Finding {
  return {
    verdict,
    reason,
    message: message === null ? null : redactor.text(message),
    startedAt: look.startedAt,
    stoppedAt: look.startedAt + Math.round(look.tookMs),
    responseTimeMs: look.responseTimeMs,
    loopDelayMs: 0,
    ...(timeMarginMs !== undefined && { timeMarginMs }),
    ...(look.steps !== undefined && { steps: look.steps.filter((instant) => instant > 0) }),
    details: encodeLight(look),
    exchange: JSON.stringify({
      request: redactor.json(look.request),
      response: look.response === null ? null : redactor.json(look.response),
    }),
    certificate: look.certificate ?? null,
    ...(look.otherCertificates && { otherCertificates: look.otherCertificates }),
  };
}

/** The verdict of a fault: of our own there is none. */
export function judgeFault({ reason, ...fault }: Fault): Judged {
  return { verdict: isOfObserver(reason) ? 'unknown' : 'failed', reason, ...fault };
}

/** The fault of a probe that was stopped. */
export const stopped: Fault = { reason: 'crashed', message: 'the probe was stopped before it finished' };

/**
 * `{a: address, p: phases in µs, r: response time in µs, s: assertions, f: short answer, u: 1 if times are withheld}`; what is
 * empty is left out.
 */
function encodeLight({ address, phases, responseTimeMs, assertions, short }: LightLook): JsonValue {
  const micros = Object.entries(phases).map(([name, ms]) => [name, Math.max(0, Math.round(ms * 1000))]);
  return {
    ...(address !== null && { a: address }),
    ...(micros.length > 0 && { p: Object.fromEntries(micros) as JsonObject }),
    ...(responseTimeMs !== null && { r: Math.round(responseTimeMs * 1000) }),
    ...(assertions.length > 0 && { s: assertions.map(encodeAssertion) }),
    ...(short !== null && { f: short }),
  };
}

/** A stored result as the wire shows it; where the exchange is not kept, `response` is the short answer. */
export function describeLight(
  { details, message }: Pick<Result, 'details' | 'message' | 'reason'>,
  exchange: JsonObject | null,
): JsonObject {
  const stored = objectOf(details);
  const phases = Object.entries(objectOf(stored['p'])).map(([name, micros]) => [name, Number(micros) / 1000]);
  const short = stored['f'] === undefined ? null : objectOf(stored['f']);
  return {
    assertions: assertionsIn(stored).map(({ among: _among, isEvery: _isEvery, ...shown }) => shown),
    request: exchange?.['request'] ?? null,
    response: exchange?.['response'] ?? short,
    requestError: short === null ? message : null,
    address: typeof stored['a'] === 'string' ? stored['a'] : null,
    timingPhases: stored['u'] === 1 ? null : (Object.fromEntries(phases) as JsonObject),
  };
}

/** The details of a light finding without their times, which contain a delay of Tocsin's own. */
export function lightWithoutTimes(details: JsonValue): JsonValue {
  const { p: _phases, r: _responseTime, s: kept, ...rest } = objectOf(details);
  const assertions = assertionsIn(objectOf(details)).map((each) => encodeAssertion(withoutTime(each)));
  return { ...rest, ...(kept !== undefined && { s: assertions }), u: 1 };
}

function assertionsIn(stored: JsonObject): AssertionOutcome[] {
  const time = typeof stored['r'] === 'number' ? String(stored['r'] / 1000) : null;
  const kept = Array.isArray(stored['s']) ? (stored['s'] as readonly JsonValue[][]) : [];
  return kept.map((each) => decodeAssertion(each, (source) => (source === 'RESPONSE_TIME' ? time : null)));
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}
