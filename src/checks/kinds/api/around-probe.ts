// Looks at a target with scripts around the request: each in a process of its own, the request between them in a thread
// that does nothing else (docs/decisions/0086).
import type { SeenAnswer } from '#domain/checks/exchange.ts';
import { honestFinding } from '#domain/results/honest-finding.ts';
import type { JsonObject } from '#domain/json.ts';
import type { Probe, ProbeInput } from '#domain/checks/probe.ts';
import type { Finding } from '#domain/results/result.ts';
import { keepsNothing, type ScriptOutcome, type ScriptSees } from '#domain/checks/script.ts';
import { hiddenOf } from '../../parts/http/plan.ts';
import { isNoProbe, wrongSettings } from '../../parts/findings/judge.ts';
import { withoutTimes } from '../../parts/findings/without-times.ts';
import type { AroundProbeMeans } from '../../kind.ts';
import { aroundLimits } from '#domain/checks/script-limits.ts';
import { type ChosenRuntime, chooseRuntime, environmentOf, withoutRuntime } from '../../parts/scripted/runtime.ts';
import { judgeScript, type ScriptVerdict } from '../../parts/scripted/verdict.ts';
import { findingAround, type RanScript, unjudged } from './around-finding.ts';
import { type AroundScript, scriptsAround } from './around-scripts.ts';
import { createHiding, type Hiding, overfull } from './hiding.ts';
import { http } from './http.ts';
import { responseAfter } from './script-left.ts';
import {
  hidesOf,
  requestAfter,
  requestBefore,
  requestSeen,
  requestToSend,
  type RequestState,
} from './script-request.ts';

export function createAroundProbe(means: AroundProbeMeans): Probe {
  return async (input, signal) => {
    const startedAt = means.now();
    const chosen = chooseRuntime(input, means.runtimes(), startedAt);
    if ('message' in chosen) return withoutRuntime(startedAt, chosen.message);
    const ran: RanScript[] = [];
    const hiding = createHiding(hiddenOf(input, http));
    const around: Around = { means, input, chosen, signal, ran, hiding };
    const finding = await lookAround(around, startedAt);
    return findingAround(finding, { ran, chosen, startedAt, stoppedAt: means.now(), hiding });
  };
}

/** One run of all of it. */
interface Around {
  readonly means: AroundProbeMeans;
  readonly input: ProbeInput;
  readonly chosen: ChosenRuntime;
  readonly signal: AbortSignal;
  /** The scripts that have run, in their order. */
  readonly ran: RanScript[];
  /** What must not be shown; scripts add to it by giving secret variables other values. */
  readonly hiding: Hiding;
}

/** Of what is said of a wrong URL, cut once it is hidden what must be. */
const mostMessage = 500;

async function lookAround(around: Around, startedAt: number): Promise<Finding> {
  const { means, input, signal, hiding } = around;
  const hide = hiding.text;
  const { before, after } = scriptsAround(input.check, input.group);
  let state = requestBefore(input);
  for (const script of before) {
    const { verdict, left } = await runOne(around, script, state, null);
    if (verdict !== null) return notSent(startedAt, verdict);
    const next = requestAfter(state, left);
    if (typeof next === 'string') return notSent(startedAt, faultOf(script, hide(next)));
    state = next;
    hiding.add(hiddenOf({ ...input, variables: state.variables }, http));
  }
  const scripted = requestToSend(state);
  if (typeof scripted === 'string') return wrongSettings(startedAt, hide(scripted).slice(0, mostMessage));
  if (isNoProbe(scripted)) return wrongSettings(startedAt, scripted);
  hiding.add(scripted.hidden);
  const changed = (): ProbeInput => {
    const shown = { ...scripted, hidden: [...scripted.hidden, ...hiding.told] };
    return { ...input, variables: state.variables, scripted: shown };
  };
  const sent = await means.exchange({ half: 'send', input: changed(), wantsAnswer: after.length > 0 }, signal);
  if (sent.answer === null) return sent.finding;
  const seen = { finding: sent.finding, answer: sent.answer };
  return scriptsAfter(around, after, state, seen, changed).catch((error: unknown) => {
    // Whatever became of the scripts, a wrong status was seen.
    if (seen.finding.verdict !== 'failed') throw error;
    return honestFinding(seen.finding, seen.answer.heldUp, withoutTimes);
  });
}

/** Runs the scripts after an answer, and judges what they have left of it. */
async function scriptsAfter(
  around: Around,
  scripts: readonly AroundScript[],
  state: RequestState,
  sent: { readonly finding: Finding; readonly answer: SeenAnswer },
  changed: () => ProbeInput,
): Promise<Finding> {
  const { means, signal, hiding } = around;
  const seen = honestFinding(sent.finding, sent.answer.heldUp, withoutTimes);
  let [answer, isOtherBody] = [sent.answer, false];
  for (const script of scripts) {
    const { verdict, left } = await runOne(around, script, state, answer);
    if (verdict !== null) return unjudged(seen, verdict);
    const next = responseAfter(answer.response, left);
    if (typeof next === 'string') return unjudged(seen, faultOf(script, hiding.text(next)));
    answer = { ...answer, response: next.response };
    isOtherBody ||= next.isOtherBody;
  }
  const judged = { half: 'judge', input: changed(), finding: sent.finding, answer, isOtherBody } as const;
  const { finding } = await means.exchange(judged, signal);
  // What could not be judged again was seen: a wrong status stands.
  return finding.reason === 'crashed' && seen.verdict === 'failed' ? seen : finding;
}

/** Runs a script; the verdict is null where it has done its work. */
async function runOne(
  { means, input, chosen, signal, ran, hiding }: Around,
  script: AroundScript,
  state: RequestState,
  answer: SeenAnswer | null,
): Promise<{ readonly verdict: ScriptVerdict | null; readonly left: JsonObject | null }> {
  const { folder, nodeBinary } = chosen.runtime;
  const hide = hiding.text;
  const sees: ScriptSees = {
    request: requestSeen(state),
    hides: hidesOf(state),
    response: answer === null ? null : { ...answer.response, times: answer.times },
  };
  const outcome = await means.runScript(
    {
      runtime: { folder, nodeBinary },
      sort: 'around',
      files: [script.file, asModule],
      entry: script.file.path,
      around: sees,
      environment: environmentOf({ check: input.check, variables: state.variables }),
      hide,
      onSecret: hiding.tell,
      hidden: [],
      browser: null,
      keeps: keepsNothing,
      limits: aroundLimits,
    },
    signal,
  );
  ran.push(ranOf(script, outcome));
  if (hiding.isOverfull) return { verdict: faultOf(script, overfull), left: null };
  const { verdict, reason, message } = judgeScript(outcome, aroundLimits, [script.file], hide);
  if (verdict === 'passed') return { verdict: null, left: outcome.left };
  return { verdict: { verdict, reason, message: `${script.words}: ${message ?? ''}` }, left: null };
}

/** So that `await` and `import` stand where they like; `require` is there besides. */
const asModule = { path: 'package.json', content: '{"type":"module"}' };

function ranOf({ name }: AroundScript, { startedAt, stoppedAt, log }: ScriptOutcome): RanScript {
  return { name, startedAt, durationMs: stoppedAt - startedAt, log };
}

/** What a script has left makes no request or no answer: its fault. */
function faultOf({ words, file }: AroundScript, message: string): ScriptVerdict {
  return { verdict: 'failed', reason: 'script', message: `${words}: ${message} (${file.path})` };
}

function notSent(startedAt: number, { verdict, reason, message }: ScriptVerdict): Finding {
  return { ...wrongSettings(startedAt, ''), verdict, reason, message };
}
