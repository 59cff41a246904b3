// The document of a RESULT_LINK: the facts of one result, which the web UI replaces with its page (decisions: RESULT_LINK).
import type { LinkedPage } from '#actions/results/result-page.ts';
import { zonedText } from '#domain/accounts/time-zone.ts';
import { isTestSource } from '#domain/sessions/test-session.ts';
import { type Html, html } from '#lib/markup/html.ts';
import { factTable, messagePage, page } from '../html.ts';

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
export const noResultPage = messagePage(
  'Result not found',
  'The link is incomplete or has expired, or the result is no longer stored.',
);

/** The page for a link whose check was deleted, e.g. from the alert that closed it. */
export const deletedCheckPage = messagePage(
  'The check was deleted',
  'Its results were deleted with it. Open alerts were resolved when it was deleted.',
);

/** The page for the link of a test message: the link works, but has no result. */
export const testMessagePage = messagePage(
  'This was a test message',
  'The link works. The link of a real alert opens its result.',
);

/** Messages begin in lower case, because logs and templates continue a sentence with them; code stays as it is. */
function capitalized(message: string): string {
  return /^(?!await )[a-z]+(?:[ ,]|$)/.test(message) ? message.charAt(0).toUpperCase() + message.slice(1) : message;
}
