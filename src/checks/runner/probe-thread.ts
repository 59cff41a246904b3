// A probe thread. It only probes, so that measurements are not affected by other work (design: Honest figures).
import { errorMessage } from '#lib/errors.ts';
import { parentPort, workerData } from 'node:worker_threads';
import { createByteBudget } from '../parts/http/body-store.ts';
import { withoutTimes } from '../parts/findings/light.ts';
import { checkKinds } from '../check-kinds.ts';
import { findingWithResolver, honestFinding } from '#domain/results/honest-finding.ts';
import type { Finding } from '#domain/results/result.ts';
import type { Exchange, Exchanged, ExchangeWork, ThreadInput, ThreadProbe } from '#domain/checks/probe.ts';
import type { ClientIdentity } from '#domain/accounts/client-certificate.ts';
import { createGuard } from '#egress/guard.ts';
import { FairQueue } from '#lib/fair-queue.ts';
import { createLoopWatch } from '#lib/loop-delay.ts';
import { createAnswerQueue } from './answer-queue.ts';
import { crashed, type FromThread, type ThreadSettings, type ToThread } from './probe-lanes.ts';
import { createPace } from './probe-pace.ts';

/**
 * How long probes are started before responses are read. A longer slice starts bursts closer together (500 within 250
 * ms on a slow core); a shorter one measures the first responses more accurately.
 */
const sliceMs = 40;
/** Interval between checks while too many probes are recent. */
const paceMs = 50;

const settings = workerData as ThreadSettings;
let isResolverDown = false;
const guard = createGuard(settings.egress, (isDown) => {
  isResolverDown = isDown;
  handInSoon();
});
const loop = createLoopWatch();
const certificates = new Map<string, readonly ClientIdentity[]>();
const clientCertificates = (accountId: string): readonly ClientIdentity[] => certificates.get(accountId) ?? [];
const deps = { ...settings, guard, clientCertificates, offload: createAnswerQueue(), bodies: createByteBudget() };
const probes = new Map<string, ThreadProbe>(
  checkKinds.flatMap((kind): [string, ThreadProbe][] => {
    // For scripts, probe only what the check monitors besides; the script runs elsewhere.
    const polls = kind.isScripted === true ? kind.sideProbe : kind.isCalled === true ? undefined : kind;
    return polls === undefined ? [] : [[kind.schema.type, polls.createProbe(deps)]];
  }),
);
const exchanges = new Map<string, Exchange>(
  checkKinds.flatMap(({ schema, hooks }): [string, Exchange][] =>
    hooks === undefined ? [] : [[schema.type, hooks.createExchange(deps)]],
  ),
);
const inProgress = new Map<number, AbortController>();
/** A probe to start, by the text of its input, or half a probe. */
type Waiting = { readonly number: number } & ({ readonly text: string } | { readonly work: ExchangeWork });
const waiting = new FairQueue<Waiting>();
const pace = createPace(() => performance.now());
let isPlanned = false;
let paced: NodeJS.Timeout | null = null;
let ended = emptyHandIn();
let isHandingIn = false;

parentPort?.on('message', (message: ToThread) => {
  for (const [accountId, list] of message.certificates) {
    if (list.length === 0) certificates.delete(accountId);
    else certificates.set(accountId, list);
  }
  for (const number of message.stop) inProgress.get(number)?.abort();
  for (const { number, accountId, text } of message.probes) waiting.add(accountId, { number, text });
  for (const { number, work } of message.exchangeJobs) waiting.add(work.input.check.accountId, { number, work });
  if (!isPlanned) startWaiting();
});

/** Starts waiting probes in slices, so that the first responses are not measured late. */
function startWaiting(): void {
  isPlanned = false;
  const until = performance.now() + sliceMs;
  while (waiting.size > 0) {
    if (pace.isFull) return planLater();
    const started = waiting.next();
    if (started !== undefined) void run(started);
    if (performance.now() > until && waiting.size > 0) return plan();
  }
}

function plan(): void {
  if (isPlanned) return;
  isPlanned = true;
  setImmediate(startWaiting);
}

/** Continues when a probe ends or after a while. */
function planLater(): void {
  paced ??= setTimeout(() => {
    paced = null;
    plan();
  }, paceMs);
}

async function run(started: Waiting): Promise<void> {
  const { number } = started;
  const startedAt = performance.now();
  const controller = new AbortController();
  inProgress.set(number, controller);
  loop.begin();
  pace.begin(number);
  const { finding, answer } = await inspect(started, controller.signal);
  inProgress.delete(number);
  pace.end(number);
  if (waiting.size > 0) plan();
  const addedMs = (finding.steps ?? []).reduce((sum, step) => sum + loop.addedAt(step), 0);
  const threadDelay = { longestMs: loop.longestSince(startedAt), addedMs };
  loop.end();
  // A response that scripts may change is judged later, so its delay is passed on.
  const isLater = answer !== null || ('work' in started && started.work.half === 'judge');
  const judged = isLater ? finding : honestFinding(finding, threadDelay, withoutTimes);
  const shown = await withResolver(judged);
  ended.numbers.push(number);
  ended.findings.push(shown);
  if (answer !== null) ended.answers.push({ number, answer: { ...answer, threadDelay } });
  handInSoon();
}

async function withResolver(finding: Finding): Promise<Finding> {
  const { unresolved, verdict } = finding;
  if (unresolved === undefined) return finding;
  return findingWithResolver(finding, verdict !== 'unknown' && (await guard.isResolverDown(unresolved)));
}

async function inspect(started: Waiting, signal: AbortSignal): Promise<Exchanged> {
  try {
    if ('work' in started) {
      const exchange = exchanges.get(started.work.input.check.checkType);
      return exchange === undefined ? unknownCheck() : await exchange(started.work, signal);
    }
    const input = JSON.parse(started.text) as ThreadInput;
    const probe = probes.get(input.check.checkType);
    if (probe === undefined) return unknownCheck();
    return { finding: await probe(input, signal), answer: null };
  } catch (error) {
    const why = errorMessage(error);
    return { finding: crashed(`the probe failed: ${why}`), answer: null };
  }
}

function unknownCheck(): Exchanged {
  return { finding: crashed('the probe thread does not know this check'), answer: null };
}

function handInSoon(): void {
  if (isHandingIn) return;
  isHandingIn = true;
  setImmediate(handIn);
}

function handIn(): void {
  isHandingIn = false;
  const loopDelayMs = loop.longestSince(performance.now() - 10_000);
  parentPort?.postMessage({ ...ended, loopDelayMs, isResolverDown } satisfies FromThread);
  ended = emptyHandIn();
}

function emptyHandIn(): Pick<FromThread, 'numbers' | 'findings' | 'answers'> {
  return { numbers: [], findings: [], answers: [] };
}
