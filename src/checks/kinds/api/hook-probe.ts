// Probes a target with scripts around the request. Each script has its own process; the request runs in a probe thread
// (docs/decisions/0086).
import type { SeenAnswer } from '#domain/checks/exchange.ts';
import { honestFinding } from '#domain/results/honest-finding.ts';
import type { JsonObject } from '#domain/json.ts';
import type { Probe, ProbeInput } from '#domain/checks/probe.ts';
import type { Finding } from '#domain/results/result.ts';
import { keepsNothing, type ScriptOutcome, type ScriptSees } from '#domain/checks/script.ts';
import { hiddenOf } from '../../parts/http/plan.ts';
import { isNoProbe, wrongSettings } from '../../parts/findings/judge.ts';
import { withoutTimes } from '../../parts/findings/without-times.ts';
import type { HookProbeDeps } from '../../kind.ts';
import { hookLimits } from '#domain/checks/script-limits.ts';
import { type ChosenRuntime, chooseRuntime, environmentOf, withoutRuntime } from '../../parts/scripted/runtime.ts';
import { judgeScript, type ScriptVerdict } from '../../parts/scripted/verdict.ts';
import { findingWithHooks, type RanScript, unjudged } from './hook-finding.ts';
import { type HookScript, scriptsOfHooks } from './hook-scripts.ts';
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

export function createHookProbe(deps: HookProbeDeps): Probe {
  return async (input, signal) => {
    const startedAt = deps.now();
    const chosen = chooseRuntime(input, deps.runtimes(), startedAt);
    if ('message' in chosen) return withoutRuntime(startedAt, chosen.message);
    const ran: RanScript[] = [];
    const hiding = createHiding(hiddenOf(input, http));
    const run: HookRun = { deps, input, chosen, signal, ran, hiding };
    const finding = await runHook(run, startedAt);
    return findingWithHooks(finding, { ran, chosen, startedAt, stoppedAt: deps.now(), hiding });
  };
}

/** State of a run. */
interface HookRun {
  readonly deps: HookProbeDeps;
  readonly input: ProbeInput;
  readonly chosen: ChosenRuntime;
  readonly signal: AbortSignal;
  /** Scripts that ran, in order. */
  readonly ran: RanScript[];
  /** Values to mask. Scripts add to them when they set secret variables. */
  readonly hiding: Hiding;
}

/** Maximum length of a message about an invalid URL, after masking. */
const maxMessage = 500;

async function runHook(run: HookRun, startedAt: number): Promise<Finding> {
  const { deps, input, signal, hiding } = run;
  const hide = hiding.text;
  const { before, after } = scriptsOfHooks(input.check, input.group);
  let state = requestBefore(input);
  for (const script of before) {
    const { verdict, left } = await runOne(run, script, state, null);
    if (verdict !== null) return notSent(startedAt, verdict);
    const next = requestAfter(state, left);
    if (typeof next === 'string') return notSent(startedAt, faultOf(script, hide(next)));
    state = next;
    hiding.add(hiddenOf({ ...input, variables: state.variables }, http));
  }
  const scripted = requestToSend(state);
  if (typeof scripted === 'string') return wrongSettings(startedAt, hide(scripted).slice(0, maxMessage));
  if (isNoProbe(scripted)) return wrongSettings(startedAt, scripted);
  hiding.add(scripted.hidden);
  const changed = (): ProbeInput => {
    const shown = { ...scripted, hidden: [...scripted.hidden, ...hiding.secrets] };
    return { ...input, variables: state.variables, scripted: shown };
  };
  const sent = await deps.exchange({ half: 'send', input: changed(), wantsAnswer: after.length > 0 }, signal);
  if (sent.answer === null) return sent.finding;
  const seen = { finding: sent.finding, answer: sent.answer };
  return scriptsAfter(run, after, state, seen, changed).catch((error: unknown) => {
    // A failed status is final, whatever the scripts do.
    if (seen.finding.verdict !== 'failed') throw error;
    return honestFinding(seen.finding, seen.answer.threadDelay, withoutTimes);
  });
}

/** Runs the scripts after the response, then judges the result. */
async function scriptsAfter(
  run: HookRun,
  scripts: readonly HookScript[],
  state: RequestState,
  sent: { readonly finding: Finding; readonly answer: SeenAnswer },
  changed: () => ProbeInput,
): Promise<Finding> {
  const { deps, signal, hiding } = run;
  const seen = honestFinding(sent.finding, sent.answer.threadDelay, withoutTimes);
  let [answer, isOtherBody] = [sent.answer, false];
  for (const script of scripts) {
    const { verdict, left } = await runOne(run, script, state, answer);
    if (verdict !== null) return unjudged(seen, verdict);
    const next = responseAfter(answer.response, left);
    if (typeof next === 'string') return unjudged(seen, faultOf(script, hiding.text(next)));
    answer = { ...answer, response: next.response };
    isOtherBody ||= next.isOtherBody;
  }
  const judged = { half: 'judge', input: changed(), finding: sent.finding, answer, isOtherBody } as const;
  const { finding } = await deps.exchange(judged, signal);
  // If the evaluation crashed, an earlier failure counts.
  return finding.reason === 'crashed' && seen.verdict === 'failed' ? seen : finding;
}

/** Runs a script. The verdict is null if it succeeded. */
async function runOne(
  { deps, input, chosen, signal, ran, hiding }: HookRun,
  script: HookScript,
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
  const outcome = await deps.runScript(
    {
      runtime: { folder, nodeBinary },
      sort: 'hook',
      files: [script.file, asModule],
      entry: script.file.path,
      hook: sees,
      environment: environmentOf({ check: input.check, variables: state.variables }),
      hide,
      onSecret: hiding.addSecret,
      hidden: [],
      browser: null,
      keeps: keepsNothing,
      limits: hookLimits,
    },
    signal,
  );
  ran.push(ranOf(script, outcome));
  if (hiding.isOverfull) return { verdict: faultOf(script, overfull), left: null };
  const { verdict, reason, message } = judgeScript(outcome, hookLimits, [script.file], hide);
  if (verdict === 'passed') return { verdict: null, left: outcome.left };
  return { verdict: { verdict, reason, message: `${script.words}: ${message ?? ''}` }, left: null };
}

/** Makes top-level `await` and `import` work; `require` is available too. */
const asModule = { path: 'package.json', content: '{"type":"module"}' };

function ranOf({ name }: HookScript, { startedAt, stoppedAt, log }: ScriptOutcome): RanScript {
  return { name, startedAt, durationMs: stoppedAt - startedAt, log };
}

/** The verdict when a script left an invalid request or response. */
function faultOf({ words, file }: HookScript, message: string): ScriptVerdict {
  return { verdict: 'failed', reason: 'script', message: `${words}: ${message} (${file.path})` };
}

function notSent(startedAt: number, { verdict, reason, message }: ScriptVerdict): Finding {
  return { ...wrongSettings(startedAt, ''), verdict, reason, message };
}
