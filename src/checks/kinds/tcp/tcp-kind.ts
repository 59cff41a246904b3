// TCP checks: connect to a port and check the data it sends (reference §4.3).
import { isIP } from 'node:net';
import type { JsonObject } from '#domain/json.ts';
import type { Reason } from '#domain/results/result.ts';
import type { Assertion } from '../../parts/assertions/assertion.ts';
import { budgetMs } from '../../parts/assertions/evaluate.ts';
import type { Outcome } from '../../parts/assertions/outcome.ts';
import { assertionProblems, timeProblems } from '../../parts/assertions/validate.ts';
import { timeoutFault } from '../../parts/connection/fault.ts';
import { connectionPhases } from '../../parts/connection/reach.ts';
import { workOn } from '../../parts/findings/answer-work.ts';
import { judgeFault } from '../../parts/findings/light.ts';
import { createLightKind, type LightPlan, type LightSeen } from '../../parts/findings/light-kind.ts';
import { judgeTime, type Judged } from '../../parts/findings/judge.ts';
import { filledHost, hostProblems } from '../../parts/findings/prepare.ts';
import type { ProbeDeps } from '../../kind.ts';
import { tcpSchema, sources } from './schema.ts';
import { maxBytes, talk, type Talk, type Talked, textOf } from './talk.ts';
import { family } from '../../parts/read.ts';

interface TcpTarget {
  readonly host: string;
  readonly request: JsonObject & { readonly data: string };
}

type TcpPlan = LightPlan<typeof tcpSchema> & TcpTarget;

export const tcpKind = createLightKind<typeof tcpSchema, TcpTarget>({
  schema: tcpSchema,
  part: 'request',
  sources,
  assertionsOf: ({ request }) => request.assertions,
  phases: ['dns', 'tcp'],
  urlOf: ({ request: { hostname, port } }) => `tcp://${hostname}:${port}`,
  problemsOf: ({ request, ...times }) => [
    ...hostProblems(request.hostname, 'request.hostname'),
    ...assertionProblems(request.assertions, sources, 'request.assertions'),
    ...timeProblems(times),
  ],
  targetOf: ({ request: { hostname, port, data } }, filling) => {
    const named = filledHost(hostname, filling);
    if (typeof named === 'string') return named;
    const { host } = named;
    return { host, request: { hostname: host, port, data: filling.fill(data) } };
  },
  createInspect: (deps) => (plan, _startedAt, signal) => inspect(plan, deps, signal),
});

/** Comparisons that can hold for part of the data but not for all of it. */
const isNegated: ReadonlySet<string> = new Set(['NOT_EQUALS', 'NOT_CONTAINS', 'EQUALS', 'IS_EMPTY', 'IS_NULL']);

/** Comparisons that hold without data. */
const holdsWithoutData: ReadonlySet<string> = new Set(['IS_EMPTY', 'IS_NULL']);

/** All evaluations of one probe share a time budget. */
async function inspect(plan: TcpPlan, deps: ProbeDeps, signal: AbortSignal): Promise<LightSeen> {
  const { accountId, redactor, assertions, settings, host, request } = plan;
  let leftMs = budgetMs;
  const evaluate = async (
    which: readonly Assertion[],
    text: string,
    values: { readonly RESPONSE_TIME?: number },
  ): Promise<readonly Outcome[]> => {
    const work = {
      accountId,
      assertions: which,
      values: { ...values, RESPONSE_DATA: text },
      body: null,
      redactor,
      leftMs,
    };
    const worked = await workOn(work, deps.offload);
    ({ leftMs } = worked);
    return worked.outcomes;
  };
  const ofData = assertions.filter(({ source }) => source === 'RESPONSE_DATA');
  const isEnough: Talk['isEnough'] = async (text) => {
    const outcomes = await evaluate(ofData, text, {});
    if (outcomes.every(({ passed }) => passed)) return 'yes';
    return leftMs > 0 ? 'no' : 'never';
  };
  const { port, ipFamily } = settings.request;
  const limitMs = Math.min(deps.limitMs ?? 30_000, settings.maxResponseTime);
  const talking: Talk = {
    place: { host, isAddress: isIP(host) > 0, port },
    family: family(ipFamily),
    data: request.data,
    isEnough: ofData.length === 0 ? null : isEnough,
    waitsForSilence: ofData.some(({ comparison }) => isNegated.has(comparison)),
    limitMs,
  };
  const seen = await talk(talking, deps.guard, signal);
  const text = textOf(seen);
  const responseTimeMs = seen.fault === null ? (seen.dataAt || seen.connectedAt) - seen.startedAt : null;
  const found = responseTimeMs === null ? [] : await evaluate(assertions, text, { RESPONSE_TIME: responseTimeMs });
  const wantsData = ofData.some(({ comparison }) => !holdsWithoutData.has(comparison));
  return {
    seen: found.map((outcome, index) => outcomeOfData(assertions[index], outcome, seen)),
    steps: [seen.resolvedAt, seen.connectedAt, seen.fault !== null || seen.isLate ? seen.endedAt : seen.dataAt],
    tookMs: seen.endedAt - seen.startedAt,
    responseTimeMs,
    address: seen.address,
    phases: {
      ...connectionPhases(seen),
      ...(seen.dataAt > 0 && { data: seen.dataAt - (seen.connectedAt || seen.endedAt) }),
    },
    short: seen.fault === null ? { bytes: seen.length, truncated: seen.isCut } : null,
    full: { data: text },
    request,
    judge: (broken) =>
      (broken !== null || wantsData) && seen.fault === null && seen.isLate && seen.length === 0
        ? judgeFault(timeoutFault(limitMs, 'firstByte', `${seen.address ?? host}:${port}`))
        : judge(plan, seen, responseTimeMs ?? 0, broken),
  };
}

/** A negative assertion says nothing about data that was not read or never sent. */
function outcomeOfData(assertion: Assertion | undefined, outcome: Outcome, { isCut, isLate, length }: Talked): Outcome {
  if (!outcome.passed || assertion?.source !== 'RESPONSE_DATA') return outcome;
  const { comparison } = assertion;
  if (isCut && isNegated.has(comparison)) {
    return { ...outcome, passed: false, problem: `only the first ${maxBytes / 1024} kB of data are evaluated` };
  }
  if (length > 0 || isLate || holdsWithoutData.has(comparison)) return outcome;
  return { passed: false, actual: null, problem: 'the server closed the connection without sending data' };
}

/** Faults that satisfy a check with shouldFail. */
const wanted: ReadonlySet<Reason> = new Set(['connect', 'timeout', 'reset']);

function judge({ shouldFail, settings }: TcpPlan, { fault }: Talked, ms: number, broken: Judged | null): Judged {
  if (fault === null) return broken ?? judgeTime(ms, settings);
  const isWanted = shouldFail && wanted.has(fault.reason);
  return isWanted ? { ...judgeFault(fault), verdict: 'passed', reason: null, message: null } : judgeFault(fault);
}
