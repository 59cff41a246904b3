// Probes an HTTP target once: request, redirects, body, assertions, verdict (decisions: Checks).
import type { IncomingHttpHeaders } from 'node:http';
import type { ThreadProbe } from '#domain/checks/probe.ts';
import type { Finding, SeenCertificate } from '#domain/results/result.ts';
import type { ProbeDeps, EgressGuard } from '../../kind.ts';
import { keptBytes } from './body.ts';
import { BodyStore, type ByteBudget } from './body-store.ts';
import { makeRunCookies, type RunCookies, isRedirect, maxRedirects, redirected } from './redirect.ts';
import { maxLocation, withCertificateProblem } from './details.ts';
import { trustOf, createClientTls, type TlsFor } from '../connection/certificate.ts';
import { type Fault, stopped } from '../connection/fault.ts';
import { withinLimit, type Endpoint } from '../connection/reach.ts';
import { type AnswerWork, type Offload, type ReadBody, workOn } from '../findings/answer-work.ts';
import { isNoProbe, wrongSettings } from '../findings/judge.ts';
import { answered, headersOf, type InspectedHops, type SeenBody, unanswered } from './finding.ts';
import { maxBodyBytes } from './http1.ts';
import { type Hop, type HopDeps, sendHop, type Stop, timeIsUp } from './hop.ts';
import { type HttpKind, makePlan, type Plan } from './plan.ts';
import { family } from '../read.ts';
import type { Trust } from '#lib/net/tls-trust.ts';
import { createNamedCertificates } from '../connection/named-certificate.ts';

export function createHttpProbe(deps: ProbeDeps, kind: HttpKind): ThreadProbe {
  const inspect = createInspect(deps);
  return async (input, signal) => {
    const plan = makePlan(input, kind, deps.version);
    return isNoProbe(plan) ? wrongSettings(Date.now(), plan) : (await inspect(plan, signal)).finding;
  };
}

/** The result of a probe. The response is present only if there was one. */
export interface Inspected {
  readonly finding: Finding;
  readonly seen: InspectedHops | null;
}

/** Creates the function that sends a plan's request and processes the response. */
export function createInspect(deps: ProbeDeps): (plan: Plan, signal: AbortSignal) => Promise<Inspected> {
  const limitMs = deps.limitMs ?? 30_000;
  const tlsOf = createClientTls(deps);
  const findCertificates = createFindCertificates(deps.guard, trustOf(deps));

  return async (plan, signal) => {
    const startedAt = Date.now();
    const { settings } = plan;
    const stop: Stop = { end: null };
    const release = withinLimit(
      { limitMs, signal },
      () => stop.end?.(timeIsUp(limitMs)),
      () => stop.end?.(() => stopped),
    );
    try {
      const hops = await followAll(plan, {
        guard: deps.guard,
        tlsFor: tlsOf(plan.of.check.accountId),
        family: family(settings.ipFamily),
        skipSSL: settings.skipSSL,
        wantsBody: (answer) => !(settings.followRedirects && isRedirect(answer)),
        createStore: () => storeOf(plan, deps.bodies),
        stop,
      });
      if (signal.aborted) hops.fault = stopped;
      const inspected = await concluded(plan, deps.offload, { startedAt, ...hops });
      const { certificates, problem } = await findCertificates(plan, hops.shown, signal);
      const [certificate = null, ...otherCertificates] = certificates;
      const details =
        problem === null ? inspected.finding.details : withCertificateProblem(inspected.finding.details, problem);
      const others = otherCertificates.length > 0 && { otherCertificates };
      return { ...inspected, finding: { ...inspected.finding, certificate, ...others, details } };
    } finally {
      release();
    }
  };
}

/** Stores as much of a body as assertions, scripts or results need. */
function storeOf({ needsBody, wantsText, redactor, of }: Plan, bytes: ByteBudget | undefined): BodyStore {
  const max = needsBody || wantsText ? maxBodyBytes + 1 : keptBytes + redactor.longest * 4;
  return new BodyStore(max, bytes === undefined ? null : { accountId: of.check.accountId, bytes });
}

interface Followed {
  readonly started: number;
  readonly hop: Hop;
  readonly redirects: { status: number; location: string }[];
  /** Certificates of all hops, in order. */
  readonly shown: readonly ShownCertificate[];
  /** Times of all hops. */
  readonly steps: readonly number[];
  fault: Fault | null;
}

/** Client certificates are only sent to their host. */
type FollowDeps = Omit<HopDeps, 'secureContext' | 'trust'> & { readonly tlsFor: TlsFor };

/** Sends the request and follows redirects, within one time limit. */
async function followAll(plan: Plan, deps: FollowDeps): Promise<Followed> {
  const redirects: { status: number; location: string }[] = [];
  const shown: ShownCertificate[] = [];
  const steps: number[] = [];
  let request = plan.request;
  let cookies: RunCookies | null = null;
  let started: number | undefined;
  for (;;) {
    const tls = deps.tlsFor(request.target.host);
    const hop = await sendHop(cookies?.addTo(request) ?? request, { ...deps, ...tls });
    started ??= hop.startedAt;
    const { answer, certificate } = hop;
    steps.push(...stepsOf(hop));
    if (certificate !== null) shown.push({ place: request.target, certificate });
    if (hop.fault !== null || answer === null || deps.wantsBody(answer))
      return { started, hop, redirects, shown, steps, fault: hop.fault };
    const setCookies = answer.headers['set-cookie'];
    if (setCookies !== undefined) {
      const before = performance.now();
      cookies ??= await makeRunCookies();
      cookies.store(request.target.href, setCookies);
      // Exclude our own work from the time of the target.
      started += performance.now() - before;
    }
    const next = redirected(request, answer, plan.confidential);
    const location = plan.redactor.text(next?.target.href ?? answer.headers.location ?? '');
    redirects.push({ status: answer.statusCode ?? 0, location: location.slice(0, maxLocation) });
    if (next !== null && redirects.length <= maxRedirects) {
      request = next;
      continue;
    }
    const message =
      next === null
        ? `redirected to "${location}", which is not an http:// or https:// URL`
        : `more than ${maxRedirects} redirects; the last one led to ${location}`;
    return { started, hop, redirects, shown, steps, fault: { reason: 'redirect', message } };
  }
}

function stepsOf({ resolvedAt, connectedAt, securedAt, firstByteAt, endedAt }: Hop): number[] {
  return [resolvedAt, connectedAt, securedAt, firstByteAt, endedAt].filter((instant) => instant > 0);
}

async function concluded(
  plan: Plan,
  offload: Offload | undefined,
  seen: Omit<InspectedHops, 'body' | 'outcomes'> & Followed,
): Promise<Inspected> {
  const { hop, fault, started } = seen;
  const { answer } = hop;
  if (answer === null) return { finding: unanswered(plan, seen, fault ?? stopped), seen: null };
  const { statusCode = 0, headers } = answer;
  const isLast = fault?.reason !== 'redirect';
  const work: AnswerWork = {
    accountId: plan.of.check.accountId,
    assertions: isLast ? plan.assertions : [],
    values: {
      STATUS_CODE: statusCode,
      HEADERS: headersOf(answer),
      ...(fault === null && { RESPONSE_TIME: hop.endedAt - started }),
    },
    body: {
      pieces: hop.body.pieces,
      contentEncoding: encodingsOf(headers),
      contentType: headers['content-type'],
      isCut: hop.isCut || hop.body.isPart || hop.body.isRefused || fault !== null,
      unreadable: fault?.message ?? null,
      wantsText: plan.wantsText,
    },
    redactor: plan.redactor,
  };
  const worked = await workOn(work, offload).finally(() => hop.body.release());
  const all: InspectedHops = { ...seen, body: shownBody(hop, worked.body), outcomes: worked.outcomes };
  return { finding: answered(plan, all), seen: all };
}

/** Content encodings, then transfer encodings except chunked, which the parser decodes. */
function encodingsOf({ 'content-encoding': content, 'transfer-encoding': transfer }: IncomingHttpHeaders) {
  const codings = transfer?.replace(/(?:^|,)\s*chunked\s*$/i, '');
  return [content, codings].filter((each) => each !== undefined && each !== '').join(',') || undefined;
}

/** A processed body. A partly stored body counts as read to the requested extent. */
function shownBody({ body, bodyBytes, isCut }: Hop, read: ReadBody | null): SeenBody {
  const { kept, problem, isUnknown, text, decodedBytes } = read ?? unread;
  const isPart = body.isPart && !isCut;
  return {
    kept: isPart ? { ...kept, truncated: true } : kept,
    problem,
    ...(isUnknown && { isUnknown }),
    text,
    decodedBytes: isPart && read?.isEncoded === false ? bodyBytes : decodedBytes,
    isCut: isPart || read === null ? isCut : read.isCut,
    isRefused: body.isRefused,
  };
}

/** Result for a body whose processing failed. */
const unread: ReadBody = {
  kept: { body: '', bodyEncoding: null, truncated: true },
  decodedBytes: 0,
  isCut: true,
  problem: null,
  text: null,
  isEncoded: false,
};

interface ShownCertificate {
  readonly place: Endpoint;
  readonly certificate: SeenCertificate;
}

/** Certificates of a result without duplicates, first to expire first. */
interface ReportedCertificates {
  readonly certificates: readonly SeenCertificate[];
  /** Why the certificate of the monitored domain could not be read, or null. */
  readonly problem: string | null;
}

/** Finds the certificates to report. @param shown certificates of all hops, in order. Never rejects. */
type FindCertificates = (
  plan: Plan,
  shown: readonly ShownCertificate[],
  signal: AbortSignal,
) => Promise<ReportedCertificates>;

function createFindCertificates(guard: EgressGuard, trust: Trust): FindCertificates {
  const inspect = createNamedCertificates(guard, trust);
  return async (plan, shown, signal) => {
    const { certificateAt: named, settings, redactor } = plan;
    const hidden = (each: SeenCertificate): SeenCertificate => ({ ...each, domain: redactor.text(each.domain) });
    const of = shown.filter(({ place }) => named === null || (place.host === named.host && place.port === named.port));
    if (named === null || of.length > 0) {
      const once = new Map(of.map(({ certificate }) => [certificate.fingerprint, hidden(certificate)]));
      return { certificates: [...once.values()].sort((a, b) => a.validTo - b.validTo), problem: null };
    }
    const domain = { by: plan.of, place: named, family: family(settings.ipFamily), hide: redactor.text };
    const { certificate, problem } = await inspect(domain, signal);
    return { certificates: certificate === null ? [] : [certificate], problem };
  };
}
