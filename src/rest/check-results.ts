// Check results over HTTP (reference §4.7), and the page that a RESULT_LINK opens.
import type { CheckResultActions, ResultQuestion, ShownResult } from '#actions/check-results.ts';
import { notFound, Refusal } from '#actions/refusal.ts';
import type { ResultPageActions } from '#actions/result-page.ts';
import type { CheckResultBody } from '#contract/check-result.ts';
import { resultParts } from '#contract/check-result-parts.ts';
import { isUuid } from '#lib/id.ts';
import { pageHeaders } from './html.ts';
import { HttpRefusal } from './http-refusal.ts';
import { noResultPage, resultPage, testMessagePage } from './result-page.ts';
import { resultView } from './result-view.ts';
import { Answer, pageOf, type Route, route, sliceOf } from './route.ts';
import { isoText } from './wire.ts';

/** The routes of results. */
export function checkResultRoutes(actions: CheckResultActions, pages: ResultPageActions): Route[] {
  return [
    route('listCheckResults', async ({ caller, params, query }) =>
      pageOf(await actions.list(caller, params.checkId, questionOf(query), sliceOf(query)), toWire),
    ),
    route('listCheckResultsV2', async ({ caller, params, query }) => {
      const after = query.nextId ?? null;
      if (after !== null && !isUuid(after)) throw wrongCursor();
      const found = await actions.walk(caller, params.checkId, questionOf(query), after, query.limit);
      return { length: found.rows.length, entries: found.rows.map((row) => toWire(row)), nextId: found.nextId };
    }),
    route('getCheckResult', async ({ caller, params }) =>
      toWire(await actions.find(caller, params.checkId, params.checkResultId)),
    ),
    route('getScreenshot', async ({ caller, params: { checkId, checkResultId, number } }) => {
      const image = imagesOf((await actions.find(caller, checkId, checkResultId)).described)[number - 1];
      if (image === undefined) throw notFound('screenshot', String(number));
      const { name, contentType, base64 } = image;
      return { name, contentType, data: base64 };
    }),
    route('showResult', async ({ params }) => {
      if (pages.isOfTestMessage(params.link)) return new Answer(200, testMessagePage(), pageHeaders);
      try {
        return new Answer(200, resultPage(resultView(await pages.open(params.link))), pageHeaders);
      } catch (error) {
        if (error instanceof Refusal && error.code === 'not-found') return new Answer(404, noResultPage(), pageHeaders);
        throw error;
      }
    }),
  ];
}

function wrongCursor(): HttpRefusal {
  const message = 'must be the nextId of an earlier answer';
  return new HttpRefusal(400, `nextId ${message}.`, { attributes: { nextId: message } });
}

/** The parts of a query that choose results. */
function questionOf({ location, checkType, hasFailures, resultType, from, to }: ResultQuestion): ResultQuestion {
  return {
    resultType,
    ...(location !== undefined && { location }),
    ...(checkType !== undefined && { checkType }),
    ...(hasFailures !== undefined && { hasFailures }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  };
}

function toWire({ result, checkName, checkType, described }: ShownResult): CheckResultBody {
  return {
    id: result.id,
    name: checkName,
    checkId: result.checkId,
    checkType,
    outcome: result.outcome,
    reason: result.reason,
    message: result.message,
    hasFailures: result.outcome === 'failed',
    hasErrors: result.outcome === 'unknown' || result.outcome === 'missed',
    isDegraded: result.outcome === 'degraded',
    isCancelled: false,
    overMaxResponseTime: result.outcome === 'failed' && result.reason === 'slow',
    runLocation: result.location,
    runSource: result.source,
    startedAt: isoText(result.startedAt),
    stoppedAt: isoText(result.stoppedAt),
    created_at: isoText(result.stoppedAt),
    responseTime: Math.round(result.responseTimeMs ?? 0),
    checkRunId: result.runId,
    attempts: result.attempt,
    slots: result.slots,
    resultType: result.isFinal ? 'FINAL' : 'ATTEMPT',
    // Its shape is that of the kind of check, which the contract describes.
    ...(partOf(checkType, linked(described, result)) as Pick<CheckResultBody, 'apiCheckResult'>),
  };
}

/** A picture as a browser check has it. */
interface Image {
  readonly name: string;
  readonly contentType: string;
  readonly base64: string;
}

function imagesOf(described: ShownResult['described']): readonly Image[] {
  const { screenshots } = (described['browserCheckResult'] ?? {}) as { readonly screenshots?: readonly Image[] | null };
  return screenshots ?? [];
}

/** Pictures by their links: a list of results with all of them would be megabytes. */
function linked(described: ShownResult['described'], { checkId, id }: ShownResult['result']): ShownResult['described'] {
  const images = imagesOf(described);
  if (images.length === 0) return described;
  const screenshots = images.map(({ name, contentType }, index) => {
    return { name, contentType, link: `/v1/check-results/${checkId}/${id}/screenshots/${index + 1}` };
  });
  return { browserCheckResult: { ...(described['browserCheckResult'] as object), screenshots } };
}

function partOf(checkType: ShownResult['checkType'], described: ShownResult['described']): ShownResult['described'] {
  const part = resultParts[checkType];
  return { [part]: described[part] ?? null };
}
