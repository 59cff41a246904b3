// From what was seen to a finding: verdict, sentence, details and the exchange as it may be shown.
import type { IncomingMessage } from 'node:http';
import type { JsonObject } from '#domain/json.ts';
import type { Finding } from '#domain/results/result.ts';
import type { ReadBody } from '../findings/answer-work.ts';
import { mostOfOne } from './body-store.ts';
import { type ApiDetails, encodeDetails, type Phases, totalOf } from './details.ts';
import type { Assertion, AssertionSource } from '../assertions/assertion.ts';
import type { Outcome } from '../assertions/outcome.ts';
import type { Fault } from '../connection/fault.ts';
import { judgeFault } from '../findings/light.ts';
import { failed, judgeAssertions, judgeTime, type Judged, outcomesOf } from '../findings/judge.ts';
import type { Hop } from './hop.ts';
import type { Plan } from './plan.ts';

/** A response whose head was received. */
export interface LookedAt {
  /** Epoch ms. */
  readonly startedAt: number;
  /** Of `performance.now()`, as the instants of the hop. */
  readonly started: number;
  /** When all of it was noted, of `performance.now()`. */
  readonly steps: readonly number[];
  /** The last one; those before it were redirects. */
  readonly hop: Hop;
  readonly redirects: readonly { readonly status: number; readonly location: string }[];
  readonly body: SeenBody;
  readonly outcomes: readonly Outcome[];
  /** Why the response is incomplete; null = it is complete. */
  readonly fault: Fault | null;
}

/** What was read of a body. */
export interface SeenBody extends Omit<ReadBody, 'isEncoded'> {
  /** Some of it was not kept: its account already held as much as it may. */
  readonly isRefused: boolean;
}

/** The finding of a request without a response. */
export function unanswered(plan: Plan, seen: Omit<LookedAt, 'body' | 'outcomes'>, fault: Fault): Finding {
  return {
    ...common(seen),
    ...judgeFault({ ...fault, message: plan.redactor.text(fault.message) }),
    responseTimeMs: null,
    details: encodeDetails(detailsOf(plan, { ...seen, body: noBody, outcomes: [] })),
    exchange: exchangeText(plan, null),
    certificate: seen.hop.certificate,
  };
}

const noBody: SeenBody = {
  kept: { body: '', bodyEncoding: null, truncated: false },
  decodedBytes: 0,
  isCut: false,
  problem: null,
  text: null,
  isRefused: false,
};

/** The finding of a response. Without all of it there is no response time. */
export function answered(plan: Plan, seen: LookedAt): Finding {
  const details = detailsOf(plan, seen);
  const { answer } = seen.hop;
  const responseTimeMs = seen.hop.endedAt - seen.started;
  const { body, outcomes, fault } = seen;
  const came = { status: answer?.statusCode ?? 0, statusText: answer?.statusMessage ?? '', body, outcomes, fault };
  const { message, ...judged } = judgeAnswer(plan, came, responseTimeMs);
  return {
    ...common(seen),
    ...judged,
    message: message === null ? null : plan.redactor.text(message),
    responseTimeMs: fault === null ? responseTimeMs : null,
    details: encodeDetails(details),
    exchange: exchangeText(plan, answer === null ? null : shownResponse(plan, seen, answer, details.phases)),
    certificate: seen.hop.certificate,
  };
}

/** The request of a plan is always the same text. */
function exchangeText(plan: Plan, response: JsonObject | null): string {
  return `{"request":${plan.shown},"response":${JSON.stringify(response)}}`;
}

function common({ startedAt, started, hop, steps }: Omit<LookedAt, 'body' | 'outcomes'>) {
  return { steps, startedAt, stoppedAt: startedAt + Math.round(hop.endedAt - started), loopDelayMs: 0 };
}

/** The parts of a response that decide. */
interface Came extends Pick<LookedAt, 'outcomes' | 'fault'> {
  readonly status: number;
  readonly statusText: string;
  readonly body: Pick<SeenBody, 'problem' | 'isCut' | 'isRefused' | 'isUnknown'>;
}

/** The verdict of a response: status, then what is wrong with its body, then assertions, then time. */
export function judgeAnswer(plan: Plan, came: Came, ms: number): Judged {
  const { status, statusText, outcomes } = came;
  const trouble = bodyTrouble(plan, came);
  const broken = judgeAssertions(plan.assertions, outcomes);
  if (status >= 400 && !plan.shouldFail)
    return failed('status', joined(wrongStatus(status, statusText), (trouble ?? timeless(broken))?.message));
  if (trouble !== null) {
    const { assertions, outcomes: ofHead } = onHead(plan.assertions, outcomes);
    const brokenOnHead = judgeAssertions(assertions, ofHead);
    return brokenOnHead === null ? trouble : failed('assertion', joined(brokenOnHead.message, trouble.message));
  }
  return broken ?? judgeTime(ms, plan.settings);
}

/** A sentence that contains a time does not belong beside one that stands whatever the time was. */
function timeless(judged: Judged | null): Judged | null {
  return judged?.timeMarginMs === undefined ? judged : null;
}

function bodyTrouble({ needsBody, wantsText }: Plan, { body, fault }: Came): Judged | null {
  if (fault !== null) return judgeFault(fault);
  if (body.isRefused && needsBody) return { verdict: 'unknown', reason: 'observer-slow', message: refused };
  const isRead = needsBody || wantsText || body.isUnknown !== true;
  if (body.problem !== null && isRead) return failed('body', body.problem);
  if (body.isCut && needsBody) return failed('body', 'the body is larger than 5 MB, the limit for assertions');
  return null;
}

const refused = `the body was not read: the checks of this account already hold ${mostOfOne / 1024 / 1024} MB of bodies`;

/** The assertions that need no body. */
function onHead(assertions: readonly Assertion[], outcomes: readonly Outcome[]) {
  const isOnHead = (index: number): boolean => isAboutHead(assertions[index]?.source);
  return {
    assertions: assertions.filter((_, index) => isOnHead(index)),
    outcomes: outcomes.filter((_, index) => isOnHead(index)),
  };
}

/** Whether an assertion of this source can be evaluated without the body. */
export function isAboutHead(source: AssertionSource | undefined): boolean {
  return source === 'STATUS_CODE' || source === 'HEADERS';
}

function joined(...sentences: readonly (string | null | undefined)[]): string {
  return sentences.filter((each) => typeof each === 'string').join('; ');
}

/** The sentence about a status that is a failure. */
export function wrongStatus(status: number, statusText: string): string {
  return `expected a status below 400, got ${status} ${statusText}`.trimEnd();
}

function detailsOf(plan: Plan, seen: Omit<LookedAt, 'fault'>): ApiDetails {
  const { hop, redirects, started, body, outcomes } = seen;
  const { answer } = hop;
  const hide = plan.redactor.text;
  return {
    status: answer?.statusCode ?? null,
    statusText: answer === null ? null : hide(answer.statusMessage ?? '').slice(0, 100),
    address: hop.address,
    protocol:
      answer === null
        ? null
        : { http: answer.httpVersion, tls: hop.tls?.protocol ?? null, cipher: hop.tls?.cipher ?? null },
    phases: phasesOf(hop, started),
    sizes: {
      headers: answer === null ? 0 : headerBytes(answer),
      body: hop.bodyBytes,
      decoded: body.decodedBytes,
    },
    truncated: body.isCut,
    redirects,
    assertions: outcomesOf(plan.assertions, outcomes, hide),
  };
}

/** Each phase ends where the next begins; one that was not reached lasted until the end, those after it not at all. */
function phasesOf(hop: Hop, started: number): Phases {
  const end = hop.endedAt;
  const resolved = hop.resolvedAt || end;
  const connected = hop.connectedAt || end;
  const isTls = hop.securedAt > 0;
  const secured = isTls ? hop.securedAt : connected;
  const first = hop.firstByteAt || end;
  return {
    wait: hop.startedAt - started,
    dns: resolved - hop.startedAt,
    tcp: connected - resolved,
    tls: secured - connected,
    firstByte: first - secured,
    download: end - first,
  };
}

function headerBytes({ rawHeaders, statusMessage }: IncomingMessage): number {
  let bytes = 17 + (statusMessage?.length ?? 0);
  for (const text of rawHeaders) bytes += text.length + 2;
  return bytes;
}

/** The answer as results show it (reference §4.7: apiCheckResult.response). */
function shownResponse(plan: Plan, seen: LookedAt, answer: IncomingMessage, phases: Phases): JsonObject {
  const { kept } = seen.body;
  const { none, json, text } = plan.redactor;
  const headers = headersOf(answer);
  return {
    status: answer.statusCode ?? 0,
    statusText: text(answer.statusMessage ?? ''),
    headers: none ? headers : json(headers),
    body: kept.body,
    ...(kept.bodyEncoding === null ? {} : { bodyEncoding: kept.bodyEncoding }),
    truncated: kept.truncated,
    ...(seen.redirects.length === 0 ? {} : { redirects: seen.redirects.map((each) => ({ ...each })) }),
    ...shownTimes(seen, phases),
  };
}

/** The headers of a response. Repeated ones are joined; `set-cookie` is a list. */
export function headersOf({ headersDistinct }: IncomingMessage): Record<string, string | string[]> {
  const all = Object.entries(headersDistinct).flatMap(([name, values = []]) => [
    [name, name === 'set-cookie' ? values : values.join(', ')] as const,
  ]);
  return Object.fromEntries(all);
}

/** The times of a complete answer as scripts after it see them. */
export function timesOf(seen: LookedAt): JsonObject {
  return shownTimes(seen, phasesOf(seen.hop, seen.started));
}

function shownTimes({ hop, startedAt, started }: LookedAt, phases: Phases): JsonObject {
  const at = (instant: number): number => rounded(startedAt + instant - started);
  return {
    timings: {
      start: at(hop.startedAt),
      lookup: at(hop.resolvedAt),
      connect: at(hop.connectedAt),
      ...(hop.securedAt > 0 ? { secureConnect: at(hop.securedAt) } : {}),
      response: at(hop.firstByteAt),
      end: at(hop.endedAt),
    },
    timingPhases: {
      wait: rounded(phases.wait),
      dns: rounded(phases.dns),
      tcp: rounded(phases.tcp),
      tls: rounded(phases.tls),
      firstByte: rounded(phases.firstByte),
      download: rounded(phases.download),
      total: rounded(totalOf(phases)),
    },
  };
}

/** To whole µs. */
function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
