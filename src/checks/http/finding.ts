// From what was seen to a finding: verdict, sentence, details and the exchange as it may be shown.
import type { IncomingMessage } from 'node:http';
import type { JsonObject } from '#domain/json.ts';
import type { Finding } from '#domain/result.ts';
import { type DecodedBody, keepBody } from './body.ts';
import { type ApiDetails, encodeDetails, type Phases, totalOf } from './details.ts';
import type { Outcome } from '../assertions/evaluate.ts';
import { type Fault, isOfObserver } from '../connection/fault.ts';
import { failed, judgeAssertions, judgeTime, type Judged, outcomesOf } from '../findings/judge.ts';
import type { Hop } from './hop.ts';
import type { Plan } from './plan.ts';

/** What a probe has seen when all is read. */
export interface LookedAt {
  /** Epoch ms. */
  readonly startedAt: number;
  /** Of `performance.now()`, as the instants of the hop. */
  readonly started: number;
  /** The last one; those before it were redirects. */
  readonly hop: Hop;
  readonly redirects: readonly { readonly status: number; readonly location: string }[];
  readonly body: DecodedBody;
  readonly outcomes: readonly Outcome[];
}

/** The finding of a request that got no usable answer. */
export function unanswered(plan: Plan, seen: Omit<LookedAt, 'body' | 'outcomes'>, fault: Fault): Finding {
  const { reason, message, timeMarginMs } = fault;
  const { hop } = seen;
  const details = detailsOf(plan, { ...seen, body: noBody, outcomes: [] });
  return {
    ...common(seen),
    verdict: isOfObserver(reason) ? 'unknown' : 'failed',
    reason,
    message: plan.redactor.text(message),
    ...(timeMarginMs !== undefined && { timeMarginMs }),
    responseTimeMs: null,
    details: encodeDetails(details),
    exchange: exchangeText(plan, null),
    certificate: hop.certificate,
  };
}

const noBody: DecodedBody = { bytes: Buffer.alloc(0), isCut: false, problem: null };

/** The finding of a complete answer. */
export function answered(plan: Plan, seen: LookedAt): Finding {
  const details = detailsOf(plan, seen);
  const { answer } = seen.hop;
  const responseTimeMs = seen.hop.endedAt - seen.started;
  const { body, outcomes } = seen;
  const came = { status: answer?.statusCode ?? 0, statusText: answer?.statusMessage ?? '', body, outcomes };
  const { message, ...judged } = judgeAnswer(plan, came, responseTimeMs);
  return {
    ...common(seen),
    ...judged,
    message: message === null ? null : plan.redactor.text(message),
    responseTimeMs,
    details: encodeDetails(details),
    exchange: exchangeText(plan, answer === null ? null : shownResponse(plan, seen, answer, details.phases)),
    certificate: seen.hop.certificate,
  };
}

/** The request of a plan is always the same text. */
function exchangeText(plan: Plan, response: JsonObject | null): string {
  return `{"request":${plan.shown},"response":${JSON.stringify(response)}}`;
}

function common({ startedAt, started, hop }: Omit<LookedAt, 'body' | 'outcomes'>) {
  return { startedAt, stoppedAt: startedAt + Math.round(hop.endedAt - started), loopDelayMs: 0 };
}

/** What of a complete answer its verdict is about. */
interface Came extends Pick<LookedAt, 'outcomes'> {
  readonly status: number;
  readonly statusText: string;
  readonly body: Pick<DecodedBody, 'problem' | 'isCut'>;
}

/** The verdict of a complete answer: unreadable body, then status, then assertions, then time. */
export function judgeAnswer(plan: Plan, { status, statusText, body, outcomes }: Came, ms: number): Judged {
  if (body.problem !== null) return failed('body', `the body cannot be read: ${body.problem}`);
  if (body.isCut && plan.needsBody)
    return failed('body', 'the body is longer than the 5 MB that an assertion can be run on');
  const broken = judgeAssertions(plan.assertions, outcomes);
  if (status >= 400 && !plan.shouldFail) {
    const got = wrongStatus(status, statusText);
    return failed('status', broken === null ? got : `${got}; ${broken.message}`);
  }
  return broken ?? judgeTime(ms, plan.settings);
}

/** The sentence about a status that is a failure. */
export function wrongStatus(status: number, statusText: string): string {
  return `expected a status below 400, got ${status} ${statusText}`.trimEnd();
}

function detailsOf(plan: Plan, { hop, redirects, started, body, outcomes }: LookedAt): ApiDetails {
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
      decoded: body.bytes.length,
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
  const kept = keepBody(seen.body, answer.headers['content-type'], plan.redactor);
  const { none, json, text } = plan.redactor;
  const headers = { ...answer.headers } as JsonObject;
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
