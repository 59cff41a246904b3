// The two halves of an HTTP probe with scripts after the response (docs/decisions/0086).
import { honestFinding } from '#domain/results/honest-finding.ts';
import type { JsonObject } from '#domain/json.ts';
import type { Exchange, Exchanged, ExchangeWork } from '#domain/checks/probe.ts';
import type { Finding } from '#domain/results/result.ts';
import { type Offload, workOn } from '../findings/answer-work.ts';
import { isNoProbe, outcomesOf, wrongSettings } from '../findings/judge.ts';
import { withoutTimes } from '../findings/light.ts';
import type { ProbeDeps } from '../../kind.ts';
import { keepBody } from './body.ts';
import { decodeDetails, encodeDetails } from './details.ts';
import { headersOf, judgeAnswer, type InspectedHops, timesOf } from './finding.ts';
import { type HttpKind, makePlan, type Plan } from './plan.ts';
import { createInspect } from './probe.ts';
import { object } from '../read.ts';

type Sending = Extract<ExchangeWork, { half: 'send' }>;
type Judging = Extract<ExchangeWork, { half: 'judge' }>;

/** Creates both halves. Inputs always differ, so plans are not cached. */
export function createHttpExchange(deps: ProbeDeps, kind: HttpKind): Exchange {
  const inspect = createInspect(deps);

  const send = async (plan: Plan, { wantsAnswer }: Sending, signal: AbortSignal): Promise<Exchanged> => {
    // Assertions run in the second half.
    const sent = wantsAnswer ? { ...plan, assertions: [], needsBody: false, wantsText: true } : plan;
    const { finding, seen } = await inspect(sent, signal);
    const isReadable = wantsAnswer && seen !== null && seen.body.problem === null && isWhole(seen);
    if (!wantsAnswer || seen === null || isReadable) return { finding, answer: isReadable ? answerOf(seen) : null };
    // Scripts cannot mask it any more.
    const exchange = exchangeWith(finding.exchange, { headers: null, body: null });
    const unjudged = finding.verdict !== 'failed' && !isWhole(seen) ? notRead : {};
    return { finding: { ...finding, ...unjudged, exchange }, answer: null };
  };

  return async (work, signal) => {
    const plan = makePlan(work.input, kind, deps.version);
    if (isNoProbe(plan)) return { finding: wrongSettings(Date.now(), plan), answer: null };
    return work.half === 'send'
      ? send(plan, work, signal)
      : { finding: await judged(plan, work, deps.offload), answer: null };
  };
}

function isWhole({ body }: InspectedHops): boolean {
  return body.text !== null && !body.isRefused;
}

/** Scripts and assertions need a body that Tocsin could not read. */
const notRead = {
  verdict: 'unknown',
  reason: 'observer-slow',
  message: 'Tocsin was too busy to read the body',
} as const;

function answerOf(seen: InspectedHops): Exchanged['answer'] {
  const { answer } = seen.hop;
  if (answer === null) return null;
  return {
    response: {
      status: answer.statusCode ?? 0,
      statusText: answer.statusMessage ?? '',
      headers: headersOf(answer),
      body: seen.body.text ?? '',
    },
    isCut: seen.body.isCut,
    times: timesOf(seen),
    threadDelay: { longestMs: 0, addedMs: 0 },
  };
}

/** Judges a response after scripts changed it. Times and sizes are those of the original. */
async function judged(
  plan: Plan,
  { finding, answer, isOtherBody }: Judging,
  offload: Offload | undefined,
): Promise<Finding> {
  const { status, statusText, headers, body } = answer.response;
  const { redactor } = plan;
  const responseTimeMs = finding.responseTimeMs ?? 0;
  const { outcomes } = await workOn(
    {
      accountId: plan.of.check.accountId,
      assertions: plan.assertions,
      values: { STATUS_CODE: status, HEADERS: mutable(headers), RESPONSE_TIME: responseTimeMs },
      body,
      redactor,
    },
    offload,
  );
  const came = {
    status,
    statusText,
    outcomes,
    fault: null,
    body: { problem: null, isCut: answer.isCut && !isOtherBody, isRefused: false },
  };
  const { message, ...verdict } = judgeAnswer(plan, came, responseTimeMs);
  const details = encodeDetails({
    ...decodeDetails(finding.details),
    status,
    statusText: redactor.text(statusText).slice(0, 100),
    assertions: outcomesOf(plan.assertions, outcomes, redactor.text),
  });
  const exchange = exchangeWith(finding.exchange, {
    status,
    statusText: redactor.text(statusText),
    headers: redactor.json(mutable(headers)),
    ...(isOtherBody && shownBody(body, plan)),
  });
  const shown = message === null ? null : redactor.text(message);
  const { timeMarginMs: _ofSending, ...sent } = finding;
  return honestFinding({ ...sent, ...verdict, message: shown, details, exchange }, answer.threadDelay, withoutTimes);
}

function shownBody(text: string, { redactor }: Plan): JsonObject {
  const kept = keepBody(
    { bytes: Buffer.from(text), isCut: false, problem: null },
    'text/plain; charset=utf-8',
    redactor,
  );
  return { body: kept.body, truncated: kept.truncated };
}

function mutable(headers: Readonly<Record<string, string | readonly string[]>>): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : [...value]]),
  );
}

/** Replaces parts of the response; a replaced body is text. */
export function exchangeWith(exchange: string | null, reported: JsonObject): string | null {
  if (exchange === null) return null;
  const { request = null, response } = JSON.parse(exchange) as JsonObject;
  const { bodyEncoding, ...rest } = object(response);
  const kept = bodyEncoding === undefined || 'body' in reported ? rest : { ...rest, bodyEncoding };
  return JSON.stringify({ request, response: { ...kept, ...reported } });
}
