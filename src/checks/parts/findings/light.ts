// Findings of simple kinds: stored format and wire format.
import type { JsonObject, JsonValue } from '#domain/json.ts';
import type { Finding, Result, SeenCertificate } from '#domain/results/result.ts';
import { type AssertionOutcome, decodeAssertion, encodeAssertion, withoutTime } from '../assertions/stored.ts';
import { type Fault, isOfObserver } from '../connection/fault.ts';
import { object } from '../read.ts';
import type { Redactor } from '../redact.ts';
import type { Judged } from './judge.ts';
import { httpWithoutTimes } from '../http/details.ts';

/** Input of a simple finding. */
export interface LightProbe {
  /** Epoch ms. */
  readonly startedAt: number;
  /** Total duration. */
  readonly tookMs: number;
  /** In ms; null = no response. */
  readonly responseTimeMs: number | null;
  readonly address: string | null;
  /** Durations in ms, in order. */
  readonly phases: Readonly<Record<string, number>>;
  readonly assertions: readonly AssertionOutcome[];
  /** Short form of the response, stored with every result; null = none. */
  readonly short: JsonObject | null;
  readonly request: JsonObject;
  /** The full response. */
  readonly response: JsonObject | null;
  readonly certificate?: SeenCertificate | null;
  /** Times from `performance.now()`; 0 = not reached. Absent if another program measured them. */
  readonly steps?: readonly number[];
  readonly otherCertificates?: readonly SeenCertificate[];
}

/** Builds a finding from a probe and its verdict. */
export function lightFinding(
  inspect: LightProbe,
  { verdict, reason, message, timeMarginMs, unresolved }: Judged,
  redactor: Redactor,
): Finding {
  return {
    verdict,
    reason,
    message: message === null ? null : redactor.text(message),
    startedAt: inspect.startedAt,
    stoppedAt: inspect.startedAt + Math.round(inspect.tookMs),
    responseTimeMs: inspect.responseTimeMs,
    loopDelayMs: 0,
    ...(timeMarginMs !== undefined && { timeMarginMs }),
    ...(unresolved !== undefined && { unresolved }),
    ...(inspect.steps !== undefined && { steps: inspect.steps.filter((instant) => instant > 0) }),
    details: encodeLight(inspect),
    exchange: JSON.stringify({
      request: redactor.json(inspect.request),
      response: inspect.response === null ? null : redactor.json(inspect.response),
    }),
    certificate: inspect.certificate ?? null,
    ...(inspect.otherCertificates && { otherCertificates: inspect.otherCertificates }),
  };
}

/** Judges a fault. Faults of our own have no verdict. */
export function judgeFault({ reason, ...fault }: Fault): Judged {
  return { verdict: isOfObserver(reason) ? 'unknown' : 'failed', reason, ...fault };
}

/**
 * Encodes `{a: address, p: phases in µs, r: response time in µs, s: assertions, f: short response, u: 1 if times are
 * withheld}` without empty fields.
 */
function encodeLight({ address, phases, responseTimeMs, assertions, short }: LightProbe): JsonValue {
  const micros = Object.entries(phases).map(([name, ms]) => [name, Math.max(0, Math.round(ms * 1000))]);
  return {
    ...(address !== null && { a: address }),
    ...(micros.length > 0 && { p: Object.fromEntries(micros) as JsonObject }),
    ...(responseTimeMs !== null && { r: Math.round(responseTimeMs * 1000) }),
    ...(assertions.length > 0 && { s: assertions.map(encodeAssertion) }),
    ...(short !== null && { f: short }),
  };
}

/** Formats a stored result for the API. Without the exchange, `response` is the short form. */
export function describeLight(
  { details, message }: Pick<Result, 'details' | 'message' | 'reason'>,
  exchange: JsonObject | null,
): JsonObject {
  const stored = object(details);
  const phases = Object.entries(object(stored['p'])).map(([name, micros]) => [name, Number(micros) / 1000]);
  const short = stored['f'] === undefined ? null : object(stored['f']);
  return {
    assertions: assertionsIn(stored).map(({ among: _among, isEvery: _isEvery, ...shown }) => shown),
    request: exchange?.['request'] ?? null,
    response: exchange?.['response'] ?? short,
    requestError: short === null ? message : null,
    address: typeof stored['a'] === 'string' ? stored['a'] : null,
    timingPhases: stored['u'] === 1 ? null : (Object.fromEntries(phases) as JsonObject),
  };
}

/** Removes times that include a delay by Tocsin. */
function lightWithoutTimes(details: JsonValue): JsonValue {
  const { p: _phases, r: _responseTime, s: kept, ...rest } = object(details);
  const assertions = assertionsIn(object(details)).map((each) => encodeAssertion(withoutTime(each)));
  return { ...rest, ...(kept !== undefined && { s: assertions }), u: 1 };
}

function assertionsIn(stored: JsonObject): AssertionOutcome[] {
  const time = typeof stored['r'] === 'number' ? String(stored['r'] / 1000) : null;
  const kept = Array.isArray(stored['s']) ? (stored['s'] as readonly JsonValue[][]) : [];
  return kept.map((each) => decodeAssertion(each, (source) => (source === 'RESPONSE_TIME' ? time : null)));
}

/** Removes response time, phases and assertions about them. HTTP kinds store a list, simple kinds an object. */
export function withoutTimes(details: JsonValue): JsonValue {
  if (details === null) return null;
  return Array.isArray(details) ? httpWithoutTimes(details) : lightWithoutTimes(details);
}
