// Builds the finding of an HTTP probe: verdict, message, details and masked exchange.
import type { IncomingMessage } from 'node:http';
import type { JsonObject } from '#domain/json.ts';
import type { Finding } from '#domain/results/result.ts';
import type { ReadBody } from '../findings/answer-work.ts';
import { maxBytesOfOne } from './body-store.ts';
import { type ApiDetails, encodeDetails, type Phases, totalOf } from './details.ts';
import type { Assertion } from '../assertions/assertion.ts';
import type { AssertionSource } from '../assertions/sources.ts';
import type { Outcome } from '../assertions/sentence.ts';
import type { Fault } from '../connection/fault.ts';
import { judgeFault } from '../findings/light.ts';
import { failed, judgeAssertions, judgeTime, type Judged, outcomesOf } from '../findings/judge.ts';
import type { Hop } from './hop.ts';
import type { Plan } from './plan.ts';

/** A response with a complete head. */
export interface InspectedHops {
  /** Epoch ms. */
  readonly startedAt: number;
  /** From `performance.now()`, like the times of the hop. */
  readonly started: number;
  /** Times of all steps, from `performance.now()`. */
  readonly steps: readonly number[];
  /** The last hop; earlier ones were redirects. */
  readonly hop: Hop;
  readonly redirects: readonly { readonly status: number; readonly location: string }[];
  readonly body: SeenBody;
  readonly outcomes: readonly Outcome[];
  /** Why the response is incomplete, or null. */
  readonly fault: Fault | null;
}

export interface SeenBody extends Omit<ReadBody, 'isEncoded'> {
  /** Whether part of it was dropped because of the account's memory limit. */
  readonly isRefused: boolean;
}

/** The finding of a request without a response. */
export function unanswered(plan: Plan, seen: Omit<InspectedHops, 'body' | 'outcomes'>, fault: Fault): Finding {
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

/** The finding of a response. An incomplete response has no response time. */
export function answered(plan: Plan, seen: InspectedHops): Finding {
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

/** The displayed request is the same for every run of a plan. */
function exchangeText(plan: Plan, response: JsonObject | null): string {
  return `{"request":${plan.shown},"response":${JSON.stringify(response)}}`;
}

function common({ startedAt, started, hop, steps }: Omit<InspectedHops, 'body' | 'outcomes'>) {
  return { steps, startedAt, stoppedAt: startedAt + Math.round(hop.endedAt - started), loopDelayMs: 0 };
}

/** The parts of a response that decide the verdict. */
interface Came extends Pick<InspectedHops, 'outcomes' | 'fault'> {
  readonly status: number;
  readonly statusText: string;
  readonly body: Pick<SeenBody, 'problem' | 'isCut' | 'isRefused' | 'isUnknown'>;
}

/** Judges a response: status, body problems, assertions, then time. */
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

/** Returns null if the message contains a time, which must not be combined with a certain failure. */
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

const refused = `the body was not read: this account's checks already use ${maxBytesOfOne / 1024 / 1024} MB for bodies`;

/** Assertions that do not need the body. */
function onHead(assertions: readonly Assertion[], outcomes: readonly Outcome[]) {
  const isOnHead = (index: number): boolean => isAboutHead(assertions[index]?.source);
  return {
    assertions: assertions.filter((_, index) => isOnHead(index)),
    outcomes: outcomes.filter((_, index) => isOnHead(index)),
  };
}

/** Whether assertions of this source do not need the body. */
export function isAboutHead(source: AssertionSource | undefined): boolean {
  return source === 'STATUS_CODE' || source === 'HEADERS';
}

function joined(...sentences: readonly (string | null | undefined)[]): string {
  return sentences.filter((each) => typeof each === 'string').join('; ');
}

/** The message for a failed status. */
export function wrongStatus(status: number, statusText: string): string {
  return `expected a status below 400, got ${status} ${statusText}`.trimEnd();
}

function detailsOf(plan: Plan, seen: Omit<InspectedHops, 'fault'>): ApiDetails {
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

/** Each phase ends where the next begins. An unfinished phase lasts until the end; later ones are 0. */
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

/** The response in results (reference §4.7: apiCheckResult.response). */
function shownResponse(plan: Plan, seen: InspectedHops, answer: IncomingMessage, phases: Phases): JsonObject {
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

/** Headers of a response. Repeated headers are joined; `set-cookie` is a list. */
export function headersOf({ headersDistinct }: IncomingMessage): Record<string, string | string[]> {
  const all = Object.entries(headersDistinct).flatMap(([name, values = []]) => [
    [name, name === 'set-cookie' ? values : values.join(', ')] as const,
  ]);
  return Object.fromEntries(all);
}

/** Times of a complete response, for scripts. */
export function timesOf(seen: InspectedHops): JsonObject {
  return shownTimes(seen, phasesOf(seen.hop, seen.started));
}

function shownTimes({ hop, startedAt, started }: InspectedHops, phases: Phases): JsonObject {
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

/** Rounds to µs. */
function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
