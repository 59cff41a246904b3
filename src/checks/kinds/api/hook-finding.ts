// Builds the finding of a check with scripts around its request.
import type { JsonObject, JsonValue } from '#domain/json.ts';
import type { Finding } from '#domain/results/result.ts';
import type { ScriptLine } from '#domain/checks/script.ts';
import { type ApiDetails, decodeDetails, encodeDetails, maxLocation } from '../../parts/http/details.ts';
import { exchangeWith } from '../../parts/http/exchange-text.ts';
import { object } from '../../parts/read.ts';
import type { ChosenRuntime } from '../../parts/scripted/runtime.ts';
import type { ScriptVerdict } from '../../parts/scripted/verdict.ts';
import type { HookScript } from './hook-scripts.ts';
import { type Hiding, overfull } from './hiding.ts';

/** A script that ran. */
export interface RanScript {
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
export function findingWithHooks(finding: Finding, { ran, chosen, startedAt, stoppedAt, hiding }: AllOfIt): Finding {
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
    setup: linesOf(ran, ['groupSetup', 'setup'], hide),
    teardown: linesOf(ran, ['teardown', 'groupTeardown'], hide),
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
export function unjudged(sent: Finding, fault: ScriptVerdict): Finding {
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
