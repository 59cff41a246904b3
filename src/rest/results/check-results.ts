// Routes of check results and of the RESULT_LINK page (reference §4.7).
import { Readable } from 'node:stream';
import type { AssetDownload } from '#actions/results/asset-downloads.ts';
import type { CheckResultActions, ShownResult } from '#actions/results/check-results.ts';
import type { LinkedPage, ResultPageActions } from '#actions/results/result-page.ts';
import { Refusal } from '#actions/refusal.ts';
import { type CheckResultBody, resultPart } from '#contract/results/check-result.ts';
import { zonedText } from '#domain/accounts/time-zone.ts';
import { assetTypes } from '#domain/results/asset.ts';
import { isUuid } from '#lib/id.ts';
import { Html, html } from '#lib/markup/html.ts';
import { fileHeaders, pageHeaders, webPageHeaders, factTable, messagePage, page } from '../html.ts';
import { HttpRefusal } from '../http-refusal.ts';
import { Answer, pageOf, type Route, route, sliceOf } from '../route.ts';
import type { WebFiles } from '../web-files.ts';
import { isoText } from '../wire.ts';
import { isTestSource } from '#domain/sessions/test-session.ts';

/** The routes of results. @param webFiles absent = the page of a link has only what needs no JavaScript */
export function checkResultRoutes(
  actions: CheckResultActions,
  pages: ResultPageActions,
  webFiles?: Pick<WebFiles, 'loaders'>,
): Route[] {
  return [
    route('listCheckResults', async ({ caller, params, query }) =>
      pageOf(await actions.list(caller, params.checkId, query, sliceOf(query)), resultToWire),
    ),
    route('listCheckResultsV2', async ({ caller, params, query }) => {
      const after = query.nextId ?? null;
      if (after !== null && !isUuid(after)) throw wrongCursor();
      const found = await actions.walk(caller, params.checkId, query, after, query.limit);
      return { length: found.rows.length, entries: found.rows.map((row) => resultToWire(row)), nextId: found.nextId };
    }),
    route('getCheckResult', async ({ caller, params }) =>
      resultToWire(await actions.find(caller, params.checkId, params.checkResultId)),
    ),
    route('listResultAssets', async ({ caller, params: { checkId, checkResultId } }) =>
      assetsOf(await actions.find(caller, checkId, checkResultId)),
    ),
    route('getResultAsset', async ({ caller, params: { checkId, checkResultId, number }, signal }) =>
      download(await actions.asset(caller, checkId, checkResultId, number, signal)),
    ),
    route('showResult', async ({ params }) => {
      if (pages.isOfTestMessage(params.link)) return new Answer(200, testMessagePage, pageHeaders);
      try {
        const loaders = new Html(webFiles?.loaders('..') ?? '');
        return new Answer(200, resultPage(await pages.open(params.link), params.link, loaders), webPageHeaders);
      } catch (error) {
        if (!(error instanceof Refusal && error.code === 'not-found')) throw error;
        if (await pages.isOfDeletedCheck(params.link)) return new Answer(410, deletedCheckPage, pageHeaders);
        return new Answer(404, noResultPage, pageHeaders);
      }
    }),
    route('getLinkedResult', async ({ params }) => {
      const shown = await pages.open(params.link);
      const localText = (at: number): string => zonedText(at, shown.timeZone);
      const body = {
        result: resultToWire(shown),
        pingBody: shown.pingBody,
        localStartedAt: localText(shown.result.startedAt),
        localExpiresAt: localText(shown.expiresAt),
      };
      return new Answer(200, body, linkHeaders);
    }),
    route('showResultScreenshot', async ({ params, signal }) =>
      download(await pages.screenshot(params.link, params.number, signal), 'inline'),
    ),
  ];
}

/** Not for caches and search engines, like the page. */
const linkHeaders = { 'cache-control': 'no-store', 'x-robots-tag': 'noindex, nofollow' };

/** Refuses (400) a cursor that no response has given. */
export function wrongCursor(): HttpRefusal {
  const message = 'must be the nextId of a previous response';
  return new HttpRefusal(400, `nextId ${message}.`, { attributes: { nextId: message } });
}

/** A result in a response. */
export function resultToWire(shown: ShownResult): CheckResultBody {
  const { result, checkName, checkType } = shown;
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
    // The contract describes its shape for each kind of check.
    ...({ [resultPart(checkType)]: withAssets(shown) } as Pick<CheckResultBody, 'apiCheckResult'>),
  };
}

/** Asset links only: the content could be hundreds of megabytes. */
export function assetsOf({ result, assets }: ShownResult) {
  const { checkId, id } = result;
  return assets.map((asset) => ({ ...asset, link: `/v1/check-results/${checkId}/${id}/assets/${asset.number}` }));
}

function withAssets(shown: ShownResult): ShownResult['described'] {
  if (shown.described === null || !('assets' in shown.described)) return shown.described;
  const { assets: _, ...described } = shown.described;
  return { ...described, assets: assetsOf(shown).map((asset) => ({ ...asset })) };
}

/** Maximum duration of a download, ms: 10 MB at 280 kbit/s. */
const maxDownloadMs = 300_000;

/** @param shown `inline` for a picture in one of our pages */
function download(
  { sort, contentType, bytes, number, parts, end }: AssetDownload,
  shown: 'attachment' | 'inline' = 'attachment',
): Answer {
  const name = `${sort}-${number}.${assetTypes[contentType]}`;
  // Reads a part after the previous one was sent.
  const content = Readable.from(parts, { objectMode: false, highWaterMark: 1 });
  const late = setTimeout(() => content.destroy(), maxDownloadMs);
  content.once('close', () => {
    clearTimeout(late);
    end();
  });
  return new Answer(200, content, {
    ...fileHeaders,
    'content-disposition': `${shown}; filename="${name}"`,
    'content-length': String(bytes),
    'content-type': contentType,
  });
}

/**
 * Readable without JavaScript. Texts are untrusted; secrets must have been redacted.
 * @param link the last path segment of its address, which the addresses of screenshots are relative to
 * @param loaders elements that load the web UI, at the end because they would delay the text
 */
export function resultPage(shown: LinkedPage, link: string, loaders: Html): string {
  const { result, checkName, assets, expiresAt, timeZone } = shown;
  const { outcome, message, startedAt, responseTimeMs, location, checkId, id, source } = result;
  const verdict = capitalized(outcome);
  const screenshots = assets.filter(({ sort }) => sort === 'screenshot');
  const rows: (readonly [string, string])[] = [
    ['Time', zonedText(startedAt, timeZone)],
    ...(responseTimeMs === null ? [] : [['Duration', `${Math.round(responseTimeMs)} ms`] as const]),
    // Nothing of ours runs for a heartbeat: the job pings.
    ...(shown.checkType === 'HEARTBEAT' ? [] : [['Location', location] as const]),
  ];
  return page(
    `${verdict}: ${checkName}`,
    html`<div id="root">
        <main class="result">
          <p><strong class="verdict ${outcome}">${verdict}</strong></p>
          <h1>${checkName}</h1>
          ${message !== null && html`<p class="why">${capitalized(message)}</p>`} ${factTable(rows)}
          ${screenshots.map(
            ({ number, name }) => html`<p><a href="${link}/screenshots/${number}">Screenshot: ${name}</a></p>`,
          )}
          <noscript><p>The request, the response and everything else of this result need JavaScript.</p></noscript>
          ${
            !isTestSource(source) &&
            html`<p class="foot">
              <a href="/checks/${checkId}/results/${id}">Open in Tocsin</a> with the history of the check; requires a
              login.
            </p>`
          }
          <p class="soft">
            This link works until ${zonedText(expiresAt, timeZone)}. Anyone with the link can read this result.
          </p>
        </main>
      </div>
      ${loaders}`,
  );
}

/** The page for a link that is invalid or expired, or whose result is no longer stored. */
const noResultPage = messagePage(
  'Result not found',
  'The link is incomplete or has expired, or the result is no longer stored.',
);

/** The page for a link whose check was deleted, e.g. from the alert that closed it. */
const deletedCheckPage = messagePage(
  'The check was deleted',
  'Its results were deleted with it. Open alerts were resolved when it was deleted.',
);

/** The page for the link of a test message: the link works, but has no result. */
const testMessagePage = messagePage(
  'This was a test message',
  'The link works. The link of a real alert opens its result.',
);

/** Messages begin in lower case, because logs and templates continue a sentence with them; code stays as it is. */
function capitalized(message: string): string {
  return /^(?!await )[a-z]+(?:[ ,]|$)/.test(message) ? message.charAt(0).toUpperCase() + message.slice(1) : message;
}
