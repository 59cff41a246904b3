// The finding of a check with scripts around its request: what sending came to, and what the scripts did.
import type { JsonObject, JsonValue } from '#domain/json.ts';
import type { Finding } from '#domain/results/result.ts';
import type { ScriptLine } from '#domain/checks/script.ts';
import { type ApiDetails, decodeDetails, encodeDetails, locationMost } from '../../parts/http/details.ts';
import { exchangeWith } from '../../parts/http/exchange-text.ts';
import { object } from '../../parts/read.ts';
import type { ChosenRuntime } from '../../parts/scripted/runtime.ts';
import type { ScriptVerdict } from '../../parts/scripted/verdict.ts';
import type { AroundScript } from './around-scripts.ts';
import { type Hiding, overfull } from './hiding.ts';

/** A script that has run. */
export interface RanScript {
  readonly name: AroundScript['name'];
  /** Epoch ms. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly log: readonly ScriptLine[];
}

/** All of a run. */
interface AllOfIt {
  readonly ran: readonly RanScript[];
  readonly chosen: ChosenRuntime;
  /** Epoch ms: before the first script. */
  readonly startedAt: number;
  /** Epoch ms: after the last one. */
  readonly stoppedAt: number;
  /** Takes out what must not be shown, what scripts have made secret included. */
  readonly hiding: Hiding;
}

/** A finding with its scripts: it lasts from the first of them to the last; its response time stays that of the request. */
export function findingAround(finding: Finding, { ran, chosen, startedAt, stoppedAt, hiding }: AllOfIt): Finding {
  const { text: hide, told, isOverfull } = hiding;
  const { runtime, warnings } = chosen;
  const scripts = {
    runtime: runtime.name,
    node: runtime.nodeJsVersion,
    warnings,
    runs: ran.map(({ name, durationMs }) => ({ script: name, durationMs })),
  };
  const kept = decodeDetails(finding.details);
  // Those after the answer may have told what was shown of it until then.
  const hasTold = told.length > 0 || isOverfull;
  const shown = hasTold ? { ...kept, ...hiddenIn(kept, hiding) } : kept;
  const details = encodeDetails({ ...shown, scripts });
  const log: JsonObject = {
    setup: linesOf(ran, ['groupSetup', 'setup'], hide),
    teardown: linesOf(ran, ['teardown', 'groupTeardown'], hide),
  };
  const sent = hasTold ? exchangeHidden(finding.exchange, hiding) : finding.exchange;
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

/** What a script told may begin before the cut and end behind it: then it would be found nowhere. */
const cutLocation = 'omitted: the text was cut off and may contain part of a value that a script made secret';

/** What the other side has said in the details. */
function hiddenIn(details: ApiDetails, { text, isOverfull }: Hiding): Pick<ApiDetails, 'statusText' | 'redirects'> {
  const redirects = details.redirects.map(({ status, location }) => ({
    status,
    location: location.length < locationMost ? text(location) : cutLocation,
  }));
  const { statusText } = details;
  return { redirects, statusText: isOverfull || statusText === null ? null : text(statusText) };
}

/** What cannot be cleaned is left out, and in its place stands why. */
function exchangeHidden(exchange: string | null, { json }: Hiding): string | null {
  if (exchange === null) return null;
  const whole = JSON.parse(exchange) as JsonObject;
  return JSON.stringify(json(whole) ?? { request: null, response: leftOut(whole['response'] ?? null) });
}

/** Of an answer what is a number, or ours. */
function leftOut(response: JsonValue): JsonValue {
  if (response === null) return null;
  const { status = 0, truncated = false, timings = null, timingPhases = {} } = object(response);
  return { status, statusText: null, headers: null, body: overfull, truncated, timings, timingPhases };
}

/**
 * The finding of an answer that a script after it has failed over: what that would have taken out of the answer stands
 * nowhere, and nothing is asserted. A verdict that was given over status or time stands, and the script's is told with it.
 */
export function unjudged(sent: Finding, fault: ScriptVerdict): Finding {
  const exchange = exchangeWith(sent.exchange, { headers: null, body: null });
  const message = sent.verdict === 'failed' ? `${sent.message}; ${fault.message}` : fault.message;
  const told = sent.verdict === 'failed' ? { verdict: sent.verdict, reason: sent.reason } : fault;
  return { ...sent, exchange, verdict: told.verdict, reason: told.reason, message };
}

function linesOf(
  ran: readonly RanScript[],
  names: readonly RanScript['name'][],
  hide: (text: string) => string,
): JsonObject[] {
  const lines: JsonObject[] = [];
  let left = mostLog;
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

/** Characters that are kept of what the scripts before an answer, or after it, have printed. */
const mostLog = 262_144;
