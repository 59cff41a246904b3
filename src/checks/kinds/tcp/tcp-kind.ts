// TCP checks: connect to a port and check the data it sends (reference §4.3).
import { isIP, type Socket } from 'node:net';
import type { JsonObject } from '#domain/json.ts';
import type { Reason } from '#domain/results/result.ts';
import type { Assertion } from '../../parts/assertions/assertion.ts';
import { budgetMs } from '../../parts/assertions/evaluate.ts';
import type { Outcome } from '../../parts/assertions/sentence.ts';
import { assertionProblems, timeProblems } from '../../parts/assertions/validate.ts';
import { timeoutFault, type Fault, type Phase } from '../../parts/connection/fault.ts';
import { connectionPhases, type Attempt, attempt, emptyAttempt, type Endpoint } from '../../parts/connection/reach.ts';
import { workOn } from '../../parts/findings/answer-work.ts';
import { judgeFault } from '../../parts/findings/light.ts';
import { createLightKind, type LightPlan, type LightSeen } from '../../parts/findings/light-kind.ts';
import { judgeTime, type Judged } from '../../parts/findings/judge.ts';
import { filledHost, hostProblems } from '../../parts/findings/prepare.ts';
import type { ProbeDeps, EgressGuard } from '../../kind.ts';
import { tcpSchema, sources } from './schema.ts';
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

/** Maximum bytes read. */
const maxBytes: number = 64 * 1024;
/** How long the connection must be silent before negative assertions are evaluated. */
const quietMs = 250;

/** Minimum interval between evaluations, because data may arrive byte by byte and each evaluation covers all of it. */
const pollMs = 50;

/** What to send and to wait for. */
interface Talk {
  readonly place: Endpoint;
  readonly family: 0 | 4 | 6;
  readonly data: string;
  /** Whether the data is complete or can no longer match; null = do not wait. */
  readonly isEnough: ((text: string) => Promise<'yes' | 'no' | 'never'>) | null;
  /** Whether more data could still break an assertion, so that a silence must follow. */
  readonly waitsForSilence: boolean;
  /** Time limit in ms. */
  readonly limitMs: number;
}

/** Outcome. Times are from `performance.now()`; 0 = not reached. */
interface Talked extends Attempt {
  /** Time of the last relevant data. */
  dataAt: number;
  bytes: Buffer[];
  length: number;
  isCut: boolean;
  /** Whether the time limit was reached while waiting for data. */
  isLate: boolean;
}

/** Connects and exchanges data. Never rejects; failures are in `fault`. */
export function talk(deps: Talk, guard: EgressGuard, signal: AbortSignal): Promise<Talked> {
  const seen: Talked = { ...emptyAttempt(), dataAt: 0, bytes: [], length: 0, isCut: false, isLate: false };
  return attempt(
    seen,
    { ...deps, guard, signal },
    phaseOf,
    (socket, finish, fail) => {
      exchange(socket, deps, seen, finish, fail);
      return () => socket.destroy();
    },
    (fault) => {
      seen.isLate = seen.connectedAt > 0 && deps.isEnough !== null;
      return seen.isLate ? null : fault;
    },
  );
}

function phaseOf({ resolvedAt, connectedAt, dataAt }: Talked): Phase {
  if (resolvedAt === 0) return 'dns';
  if (connectedAt === 0) return 'connect';
  return dataAt === 0 ? 'firstByte' : 'download';
}

function exchange(
  socket: Socket,
  { data, isEnough, waitsForSilence }: Talk,
  seen: Talked,
  finish: (fault: Fault | null) => void,
  fail: (error: unknown) => void,
): void {
  socket.on('error', fail);
  if (isEnough === null) {
    if (data === '') return finish(null);
    socket.write(data, (error) => {
      if (error) fail(error);
      else finish(null);
    });
    return;
  }
  if (data !== '') socket.write(data);
  const poller = startPolling(isEnough, waitsForSilence, seen, () => finish(null));
  socket.on('data', (chunk: Buffer) => {
    seen.dataAt = performance.now();
    seen.isCut = seen.length + chunk.length > maxBytes;
    const kept = chunk.subarray(0, maxBytes - seen.length);
    seen.bytes.push(kept);
    seen.length += kept.length;
    if (seen.isCut) finish(null);
    else poller.onData();
  });
  socket.once('end', () => finish(null));
  socket.once('close', () => {
    poller.stop();
    finish(null);
  });
}

/** Evaluates received data from time to time until it is complete. */
function startPolling(
  isEnough: NonNullable<Talk['isEnough']>,
  waitsForSilence: boolean,
  seen: Talked,
  finish: () => void,
) {
  let silence: NodeJS.Timeout | undefined;
  let nextPoll: NodeJS.Timeout | undefined;
  let pollFrom = Number.NEGATIVE_INFINITY;
  let isPolling = false;
  const poll = async (): Promise<void> => {
    nextPoll = undefined;
    isPolling = true;
    const { length, dataAt } = seen;
    const beganAt = performance.now();
    const found = await isEnough(textOf(seen));
    isPolling = false;
    // A slow evaluation must leave time for other checks.
    pollFrom = performance.now() + Math.max(pollMs, 4 * (performance.now() - beganAt));
    if (seen.endedAt > 0) return;
    if (found === 'never') return finish();
    if (found === 'yes' && !waitsForSilence) {
      // Drop later data, which was not needed.
      Object.assign(seen, { dataAt, length, bytes: [Buffer.concat(seen.bytes).subarray(0, length)] });
      return finish();
    }
    if (length < seen.length) pollSoon();
    else if (found === 'yes') silence = setTimeout(finish, quietMs);
  };
  const pollSoon = (): void => {
    if (isPolling) return;
    const wait = pollFrom - performance.now();
    if (wait <= 0 && nextPoll === undefined) void poll();
    else nextPoll ??= setTimeout(() => void poll(), wait);
  };
  return {
    onData(): void {
      clearTimeout(silence);
      pollSoon();
    },
    stop(): void {
      clearTimeout(silence);
      clearTimeout(nextPoll);
    },
  };
}

/** Received data as text. */
export function textOf({ bytes }: Talked): string {
  return Buffer.concat(bytes).toString();
}
