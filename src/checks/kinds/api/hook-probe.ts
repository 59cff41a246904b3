// Probes a target with scripts around the request. Each script has its own process; the request runs in a probe thread
// (docs/decisions/0086).
import type { SeenAnswer, Probe, ProbeInput } from '#domain/checks/probe.ts';
import { honestFinding } from '#domain/results/honest-finding.ts';
import type { JsonObject, JsonValue } from '#domain/json.ts';
import { bareFinding, type Finding } from '#domain/results/result.ts';
import {
  keepsNothing,
  type ScriptOutcome,
  type ScriptSees,
  type ScriptLine,
  hookLimits,
} from '#domain/checks/script.ts';
import { hiddenOf } from '../../parts/http/plan.ts';
import { isNoProbe, wrongSettings } from '../../parts/findings/judge.ts';
import { withoutTimes } from '../../parts/findings/light.ts';
import type { HookProbeDeps } from '../../kind.ts';
import { type ChosenRuntime, chooseRuntime, environmentOf, withoutRuntime } from '../../parts/scripted/runtime.ts';
import { judgeScript, type ScriptVerdict } from '../../parts/scripted/verdict.ts';
import { type HookScript, scriptsOfHooks, setupNames, teardownNames } from './hook-scripts.ts';
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
import { type ApiDetails, decodeDetails, encodeDetails, maxLocation } from '../../parts/http/details.ts';
import { exchangeWith } from '../../parts/http/exchange.ts';
import { object } from '../../parts/read.ts';

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
  const scripts = scriptsOfHooks(input.check, input.group, input.snippets ?? []);
  if (typeof scripts === 'string') return wrongSettings(startedAt, scripts);
  const { before, after } = scripts;
  let state = requestBefore(input);
  for (const script of before) {
    const { verdict, left } = await runOne(run, script, state, null);
    if (verdict !== null) return bareFinding(startedAt, verdict);
    const next = requestAfter(state, left);
    if (typeof next === 'string') return bareFinding(startedAt, faultOf(script, hide(next)));
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

interface RanScript {
  readonly name: HookScript['name'];
  /** Epoch ms. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly log: readonly ScriptLine[];
}

/** A complete run. */
interface AllOfIt {
  readonly ran: readonly RanScript[];
  readonly chosen: ChosenRuntime;
  /** Epoch ms, before the first script. */
  readonly startedAt: number;
  /** Epoch ms, after the last script. */
  readonly stoppedAt: number;
  /** Masks secret values, including those that scripts made secret. */
  readonly hiding: Hiding;
}

/** Adds the scripts to a finding. It spans all scripts, but its response time is that of the request. */
function findingWithHooks(finding: Finding, { ran, chosen, startedAt, stoppedAt, hiding }: AllOfIt): Finding {
  const { text: hide, secrets, isOverfull } = hiding;
  const { runtime, warnings } = chosen;
  const scripts = {
    runtime: runtime.name,
    node: runtime.nodeJsVersion,
    warnings,
    runs: ran.map(({ name, durationMs }) => ({ script: name, durationMs })),
  };
  const kept = decodeDetails(finding.details);
  // A script after the response may have made something secret that was already recorded.
  const hasSecrets = secrets.length > 0 || isOverfull;
  const shown = hasSecrets ? { ...kept, ...hiddenIn(kept, hiding) } : kept;
  const details = encodeDetails({ ...shown, scripts });
  const log: JsonObject = {
    setup: linesOf(ran, setupNames, hide),
    teardown: linesOf(ran, teardownNames, hide),
  };
  const sent = hasSecrets ? exchangeHidden(finding.exchange, hiding) : finding.exchange;
  const exchange = sent ?? '{"request":null,"response":null}';
  return {
    ...finding,
    message: finding.message === null ? null : hide(finding.message),
    startedAt,
    stoppedAt,
    details,
    exchange: `{"log":${JSON.stringify(log)},${exchange.slice(1)}`,
  };
}

/** A secret may span the cut, where masking cannot find it. */
const cutLocation = 'omitted: the text was cut off and may contain part of a value that a script made secret';

/** Masked parts of the response in the details. */
function hiddenIn(details: ApiDetails, { text, isOverfull }: Hiding): Pick<ApiDetails, 'statusText' | 'redirects'> {
  const redirects = details.redirects.map(({ status, location }) => ({
    status,
    location: location.length < maxLocation ? text(location) : cutLocation,
  }));
  const { statusText } = details;
  return { redirects, statusText: isOverfull || statusText === null ? null : text(statusText) };
}

/** Replaces an exchange that cannot be masked by the reason. */
function exchangeHidden(exchange: string | null, { json }: Hiding): string | null {
  if (exchange === null) return null;
  const whole = JSON.parse(exchange) as JsonObject;
  return JSON.stringify(json(whole) ?? { request: null, response: leftOut(whole['response'] ?? null) });
}

/** Removes all text of a response except our own. */
function leftOut(response: JsonValue): JsonValue {
  if (response === null) return null;
  const { status = 0, truncated = false, timings = null, timingPhases = {} } = object(response);
  return { status, statusText: null, headers: null, body: overfull, truncated, timings, timingPhases };
}

/**
 * Returns the finding when a script after the response failed. The response was not fully masked, so it is omitted and
 * nothing is asserted. A failure by status or time stays, together with the script's.
 */
function unjudged(sent: Finding, fault: ScriptVerdict): Finding {
  const exchange = exchangeWith(sent.exchange, { headers: null, body: null });
  const message = sent.verdict === 'failed' ? `${sent.message}; ${fault.message}` : fault.message;
  const secrets = sent.verdict === 'failed' ? { verdict: sent.verdict, reason: sent.reason } : fault;
  return { ...sent, exchange, verdict: secrets.verdict, reason: secrets.reason, message };
}

function linesOf(
  ran: readonly RanScript[],
  names: readonly RanScript['name'][],
  hide: (text: string) => string,
): JsonObject[] {
  const lines: JsonObject[] = [];
  let left = maxLog;
  for (const { name, startedAt, log } of ran) {
    if (!names.includes(name)) continue;
    for (const { atMs, stream, text } of log) {
      const level = stream === 'stderr' ? 'ERROR' : 'INFO';
      left -= text.length;
      if (left < 0) return [...lines, { time: startedAt + atMs, level, msg: '… further output omitted' }];
      lines.push({ time: startedAt + atMs, level, msg: hide(text) });
    }
  }
  return lines;
}

/** Maximum recorded output, in characters, of the scripts before or after the response. */
const maxLog = 262_144;
