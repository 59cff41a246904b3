// TCP checks: connect to a port and check the data it sends (reference §4.3).
import { isIP } from 'node:net';
import type { JsonObject } from '#domain/json.ts';
import type { ThreadInput } from '#domain/checks/probe.ts';
import type { Finding, Reason } from '#domain/results/result.ts';
import type { Assertion } from '../../parts/assertions/assertion.ts';
import { budgetMs } from '../../parts/assertions/evaluate.ts';
import type { Outcome } from '../../parts/assertions/outcome.ts';
import { assertionProblems, timeProblems } from '../../parts/assertions/validate.ts';
import { assertionWarnings } from '../../parts/assertions/warn.ts';
import { timeoutFault } from '../../parts/connection/fault.ts';
import { workOn } from '../../parts/findings/answer-work.ts';
import { describeLight, judgeFault, lightFinding } from '../../parts/findings/light.ts';
import { judgeAssertions, judgeTime, type Judged, outcomesOf } from '../../parts/findings/judge.ts';
import {
  compileAll,
  createFilling,
  createPlannedProbe,
  filledHost,
  hostProblems,
} from '../../parts/findings/prepare.ts';
import type { CheckKind, ProbeDeps, SettingsProblem } from '../../kind.ts';
import type { Redactor } from '../../parts/redact.ts';
import { type TcpSettings, tcpSchema, sources } from './schema.ts';
import { maxBytes, talk, type Talk, type Talked, textOf } from './talk.ts';
import { usesIn, type VariableUse } from '../../parts/placeholders.ts';
import { family } from '../../parts/read.ts';
import { readerOf } from '../../schema.ts';

const read = readerOf(tcpSchema);

interface TcpPlan {
  readonly accountId: string;
  readonly settings: TcpSettings;
  readonly shouldFail: boolean;
  readonly talk: Omit<Talk, 'isEnough'>;
  /** Assertions about the data. */
  readonly ofData: readonly Assertion[];
  readonly assertions: readonly Assertion[];
  readonly redactor: Redactor;
  readonly request: JsonObject;
}

function variableUses(settings: JsonObject): VariableUse[] {
  return usesIn(settings['request'], 'request');
}

export const tcpKind: CheckKind<typeof tcpSchema> = {
  schema: tcpSchema,
  createProbe: (deps) =>
    createPlannedProbe(
      variableUses,
      (input) => makePlan(input, deps),
      (plan, startedAt, signal) => inspect(plan, startedAt, deps, signal),
    ),
  validateSettings,
  variableUses,
  warnSettings: (settings) => {
    const { request, maxResponseTime } = read(settings);
    return assertionWarnings(request.assertions, 'request.assertions', maxResponseTime);
  },
  describeResult: describeLight,
  measures: { statusCode: false, phases: ['dns', 'tcp'] },
  alertFacts: ({ settings }) => {
    const { hostname, port } = read(settings).request;
    return { url: `tcp://${hostname}:${port}`, status: null, statusText: null };
  },
};

function validateSettings(settings: JsonObject): SettingsProblem[] {
  const { request, ...times } = read(settings);
  return [
    ...hostProblems(request.hostname, 'request.hostname'),
    ...assertionProblems(request.assertions, sources, 'request.assertions'),
    ...timeProblems(times),
  ];
}

function makePlan(input: ThreadInput, { limitMs = 30_000 }: ProbeDeps): TcpPlan | string {
  const settings = read(input.check.settings);
  const { hostname, port, ipFamily, ...request } = settings.request;
  const filling = createFilling(input);
  const { redactor } = filling;
  const named = filledHost(hostname, filling);
  if (typeof named === 'string') return redactor.text(named);
  const assertions = compileAll(request.assertions, sources, filling);
  if (typeof assertions === 'string') return redactor.text(assertions);
  const { host } = named;
  const data = filling.fill(request.data);
  const ofData = assertions.filter(({ source }) => source === 'RESPONSE_DATA');
  return {
    accountId: input.check.accountId,
    settings,
    shouldFail: input.check.shouldFail,
    talk: {
      place: { host, isAddress: isIP(host) > 0, port },
      family: family(ipFamily),
      data,
      waitsForSilence: ofData.some(({ comparison }) => isNegated.has(comparison)),
      limitMs: Math.min(limitMs, settings.maxResponseTime),
    },
    ofData,
    assertions,
    redactor,
    request: { hostname: host, port, data },
  };
}

/** Comparisons that can hold for part of the data but not for all of it. */
const isNegated: ReadonlySet<string> = new Set(['NOT_EQUALS', 'NOT_CONTAINS', 'EQUALS', 'IS_EMPTY', 'IS_NULL']);

/** Comparisons that hold without data. */
const holdsWithoutData: ReadonlySet<string> = new Set(['IS_EMPTY', 'IS_NULL']);

/** All evaluations of one probe share a time budget. */
async function inspect(plan: TcpPlan, startedAt: number, deps: ProbeDeps, signal: AbortSignal): Promise<Finding> {
  const { accountId, redactor, ofData, assertions } = plan;
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
  const isEnough: Talk['isEnough'] = async (text) => {
    const outcomes = await evaluate(ofData, text, {});
    if (outcomes.every(({ passed }) => passed)) return 'yes';
    return leftMs > 0 ? 'no' : 'never';
  };
  const talking: Talk = { ...plan.talk, isEnough: ofData.length === 0 ? null : isEnough };
  const seen = await talk(talking, deps.guard, signal);
  const text = textOf(seen);
  const responseTimeMs = seen.fault === null ? (seen.dataAt || seen.connectedAt) - seen.startedAt : null;
  const found = responseTimeMs === null ? [] : await evaluate(assertions, text, { RESPONSE_TIME: responseTimeMs });
  const outcomes = found.map((outcome, index) => outcomeOfData(assertions[index], outcome, seen));
  return findingOf(plan, startedAt, seen, { text, responseTimeMs, outcomes });
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

interface Evaluated {
  readonly text: string;
  readonly responseTimeMs: number | null;
  readonly outcomes: readonly Outcome[];
}

function findingOf(plan: TcpPlan, startedAt: number, seen: Talked, evaluated: Evaluated): Finding {
  const { redactor, assertions } = plan;
  const { text, responseTimeMs, outcomes } = evaluated;
  const judged = judge(plan, seen, responseTimeMs ?? 0, judgeAssertions(assertions, outcomes));
  const short = seen.fault === null ? { bytes: seen.length, truncated: seen.isCut } : null;
  return lightFinding(
    {
      startedAt,
      steps: [seen.resolvedAt, seen.connectedAt, seen.fault !== null || seen.isLate ? seen.endedAt : seen.dataAt],
      tookMs: seen.endedAt - seen.startedAt,
      responseTimeMs,
      address: seen.address,
      phases: phasesOf(seen),
      assertions: outcomesOf(assertions, outcomes, redactor.text),
      short,
      request: plan.request,
      response: short === null ? null : { ...short, data: text },
    },
    judged,
    redactor,
  );
}

/** Faults that satisfy a check with shouldFail. */
const wanted: ReadonlySet<Reason> = new Set(['connect', 'timeout', 'reset']);

function judge(plan: TcpPlan, seen: Talked, ms: number, broken: Judged | null): Judged {
  const { fault } = seen;
  if (fault !== null) {
    const isWanted = plan.shouldFail && wanted.has(fault.reason);
    return isWanted ? { ...judgeFault(fault), verdict: 'passed', reason: null, message: null } : judgeFault(fault);
  }
  const { host, port } = plan.talk.place;
  const wantsData = plan.ofData.some(({ comparison }) => !holdsWithoutData.has(comparison));
  if ((broken !== null || wantsData) && seen.isLate && seen.length === 0) {
    return judgeFault(timeoutFault(plan.talk.limitMs, 'firstByte', `${seen.address ?? host}:${port}`));
  }
  return broken ?? judgeTime(ms, plan.settings);
}

function phasesOf(seen: Talked): Record<string, number> {
  const end = seen.endedAt;
  const resolved = seen.resolvedAt || end;
  const connected = seen.connectedAt || end;
  return {
    dns: resolved - seen.startedAt,
    tcp: connected - resolved,
    ...(seen.dataAt > 0 && { data: seen.dataAt - connected }),
  };
}
