// A probe thread: it looks at targets and does nothing else, so that what it measures is theirs (design: Honest figures).
import { parentPort, workerData } from 'node:worker_threads';
import { createByteBudget } from '../parts/http/body-store.ts';
import { withoutTimes } from '../parts/findings/without-times.ts';
import { checkKinds } from '../check-kinds.ts';
import { honestFinding } from '#domain/results/honest-finding.ts';
import type { Exchange, Exchanged, ExchangeWork, ThreadInput, ThreadProbe } from '#domain/checks/probe.ts';
import type { ClientIdentity } from '#domain/accounts/client-certificate.ts';
import { createGuard } from '#egress/guard.ts';
import { FairQueue } from '#lib/fair-queue.ts';
import { createLoopWatch } from '#lib/loop-delay.ts';
import { createAnswerQueue } from './answer-queue.ts';
import { crashed } from './probe-lanes.ts';
import type { FromThread, ThreadSettings, ToThread } from './probe-messages.ts';
import { createPace } from './probe-pace.ts';

/**
 * How long probes are begun before the answers of others are looked at, ms. Longer begins a burst more closely together
 * (500 within 250 ms on a slow core), shorter measures its first answers more truly.
 */
const sliceMs = 40;
/** While too many are young: when to look again whether they have grown old, ms. */
const paceMs = 50;

const settings = workerData as ThreadSettings;
const guard = createGuard(settings.egress);
const loop = createLoopWatch();
const certificates = new Map<string, readonly ClientIdentity[]>();
const clientCertificates = (accountId: string): readonly ClientIdentity[] => certificates.get(accountId) ?? [];
const means = { ...settings, guard, clientCertificates, offload: createAnswerQueue(), bodies: createByteBudget() };
const probes = new Map<string, ThreadProbe>(
  checkKinds.flatMap((kind): [string, ThreadProbe][] => {
    // Of a script, what its check names beside it: the script itself runs elsewhere.
    const looks = kind.isScripted === true ? kind.beside : kind.isCalled === true ? undefined : kind;
    return looks === undefined ? [] : [[kind.schema.type, looks.createProbe(means)]];
  }),
);
const exchanges = new Map<string, Exchange>(
  checkKinds.flatMap(({ schema, around }): [string, Exchange][] =>
    around === undefined ? [] : [[schema.type, around.createExchange(means)]],
  ),
);
const underWay = new Map<number, AbortController>();
/** What is to be begun: a probe by the text of its input, or half a probe. */
type Waiting = { readonly number: number } & ({ readonly text: string } | { readonly work: ExchangeWork });
const waiting = new FairQueue<Waiting>();
const pace = createPace(() => performance.now());
let isPlanned = false;
let paced: NodeJS.Timeout | null = null;
let ended: FromThread = { numbers: [], findings: [], answers: [], loopDelayMs: 0 };

parentPort?.on('message', (message: ToThread) => {
  for (const [accountId, list] of message.certificates) {
    if (list.length === 0) certificates.delete(accountId);
    else certificates.set(accountId, list);
  }
  for (const number of message.stop) underWay.get(number)?.abort();
  for (const { number, accountId, text } of message.probes) waiting.add(accountId, { number, text });
  for (const { number, work } of message.halves) waiting.add(work.input.check.accountId, { number, work });
  if (!isPlanned) startWaiting();
});

/** Starts what waits in slices, so that the first answers are not measured late while the last probes are begun. */
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

/** Goes on when a probe ends, or after a while. */
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
  underWay.set(number, controller);
  loop.begin();
  pace.begin(number);
  const { finding, answer } = await lookAt(started, controller.signal);
  underWay.delete(number);
  pace.end(number);
  if (waiting.size > 0) plan();
  const addedMs = (finding.steps ?? []).reduce((sum, step) => sum + loop.addedAt(step), 0);
  const heldUp = { longestMs: loop.longestSince(startedAt), addedMs };
  loop.end();
  if (ended.numbers.length === 0) setImmediate(handIn);
  ended.numbers.push(number);
  // An answer that scripts may change is judged later: the hold-up goes along with it.
  const isLater = answer !== null || ('work' in started && started.work.half === 'judge');
  ended.findings.push(isLater ? finding : honestFinding(finding, heldUp, withoutTimes));
  if (answer !== null) ended.answers.push({ number, answer: { ...answer, heldUp } });
}

async function lookAt(started: Waiting, signal: AbortSignal): Promise<Exchanged> {
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
    const why = error instanceof Error ? error.message : String(error);
    return { finding: crashed(`the probe failed in itself: ${why}`), answer: null };
  }
}

function unknownCheck(): Exchanged {
  return { finding: crashed('the probe thread does not know this check'), answer: null };
}

function handIn(): void {
  parentPort?.postMessage({ ...ended, loopDelayMs: loop.longestSince(performance.now() - 10_000) });
  ended = { numbers: [], findings: [], answers: [], loopDelayMs: 0 };
}
