// The page of a RESULT_LINK: one result, for the recipient of an alert (decisions: RESULT_LINK).
import { zonedText } from '#domain/accounts/time-zone.ts';
import type { CheckType } from '#domain/checks/check.ts';
import { type Html, html, page } from '../html.ts';
import type { EvidenceView } from './evidence-view.ts';
import { scriptSections } from './script-sections.ts';
import type { ScriptView } from './script-view.ts';
import { milliseconds } from './times.ts';

/** Content of the page. Texts are untrusted; secrets must have been redacted. */
export interface ResultView {
  readonly checkName: string;
  readonly outcome: 'passed' | 'degraded' | 'failed' | 'unknown' | 'missed';
  /** Why the check did not pass, in a sentence. */
  readonly message: string | null;
  readonly checkType: CheckType;
  readonly location: string;
  /** Epoch ms. */
  readonly startedAt: number;
  readonly stoppedAt: number;
  /** Number of the attempt, starting at 1. */
  readonly attempt: number;
  readonly responseTimeMs: number | null;
  /** In order, ms; phases that did not occur are omitted. */
  readonly phases: readonly { readonly name: string; readonly ms: number }[];
  readonly assertions: readonly {
    readonly text: string;
    readonly passed: boolean;
    readonly message: string | null;
  }[];
  readonly request: ViewedMessage | null;
  readonly response: (ViewedMessage & { readonly isTruncated: boolean }) | null;
  /** null for HTTP and scripts. */
  readonly evidence: EvidenceView | null;
  /** null = no script ran. */
  readonly script: ScriptView | null;
  /** Path of the same result in the web UI, which needs a login. */
  readonly pagePath: string;
  /** When the link expires, epoch ms. */
  readonly expiresAt: number;
  /** IANA name of the zone in which times are shown. */
  readonly timeZone: string;
}

/** Request or response; null in ResultView if it is not stored. */
export interface ViewedMessage {
  /** `GET https://shop.example/` or `503 Service Unavailable`. */
  readonly line: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

const verdicts: Readonly<Record<ResultView['outcome'], string>> = {
  passed: 'Passed',
  degraded: 'Degraded',
  failed: 'Failed',
  unknown: 'Unknown',
  missed: 'Missed',
};

/** The page of a result. Needs no script. */
export function resultPage(view: ResultView): string {
  return page(
    `${verdicts[view.outcome]}: ${view.checkName}`,
    html`<main class="result">
      <p><strong class="verdict ${view.outcome}">${verdicts[view.outcome]}</strong></p>
      <h1>${view.checkName}</h1>
      ${view.message !== null && html`<p class="why">${capitalized(view.message)}</p>`} ${facts(view)}
      ${view.evidence?.isFirst && evidence(view.evidence)} ${view.script && scriptSections(view.script, view.message)}
      ${view.phases.length > 0 && phaseBar(view.phases)} ${view.assertions.length > 0 && assertionList(view.assertions)}
      ${view.evidence?.isFirst === false && evidence(view.evidence)}
      ${view.request && exchange('Request', view.request, false)}
      ${view.response && exchange('Response', view.response, view.response.isTruncated)}
      <p class="foot"><a href="${view.pagePath}">Open in Tocsin</a> with the history of the check; requires a login.</p>
      <p class="soft">
        This link works until ${zonedText(view.expiresAt, view.timeZone)}. Anyone with the link can read this result.
      </p>
    </main>`,
  );
}

/** The page for a link that is invalid or expired, or whose result is no longer stored. */
export function noResultPage(): string {
  return page(
    'Result not found',
    html`<main class="result">
      <h1>Result not found</h1>
      <p>The link is incomplete or has expired, or the result is no longer stored.</p>
    </main>`,
  );
}

/** The page for a link whose check was deleted, e.g. from the alert that closed it. */
export function deletedCheckPage(): string {
  return page(
    'The check was deleted',
    html`<main class="result">
      <h1>The check was deleted</h1>
      <p>Its results were deleted with it. Open alerts were resolved when it was deleted.</p>
    </main>`,
  );
}

/** The page for the link of a test message: the link works, but has no result. */
export function testMessagePage(): string {
  return page(
    'A test message',
    html`<main class="result">
      <h1>This was a test message</h1>
      <p>The link works. The link of a real alert opens its result.</p>
    </main>`,
  );
}

function facts(view: ResultView): Html {
  const { checkType, startedAt, stoppedAt, responseTimeMs, attempt, timeZone } = view;
  // Nothing runs anywhere: the job pings.
  const isPing = checkType === 'HEARTBEAT';
  return factTable([
    [isPing ? 'Time' : 'Started', zonedText(startedAt, timeZone)],
    ...(isPing || responseTimeMs !== null ? [] : [['Took', milliseconds(stoppedAt - startedAt)] as const]),
    ...(responseTimeMs === null
      ? []
      : [[timeNames[checkType] ?? 'Response time', milliseconds(responseTimeMs)] as const]),
    ...(isPing ? [] : [['Location', view.location] as const]),
    ...(attempt > 1 ? [['Attempt', String(attempt)] as const] : []),
  ]);
}

const timeNames: Partial<Record<CheckType, string>> = {
  BROWSER: 'Duration',
  MULTI_STEP: 'Duration',
  HEARTBEAT: 'Duration of the job',
  ICMP: 'Round trip',
};

function factTable(rows: EvidenceView['facts']): Html {
  const cells = rows.map(
    ([name, value]) =>
      html`<tr>
        <th scope="row">${name}</th>
        <td>${value}</td>
      </tr>`,
  );
  return html`<div class="card">
    <table class="facts">
      ${cells}
    </table>
  </div>`;
}

function evidence({ title, facts, text, isShort }: EvidenceView): Html {
  return html`<h2>${title}</h2>
    ${facts.length > 0 && factTable(facts)} ${text !== '' && html`<pre>${text}</pre>`}
    ${isShort && html`<p class="soft">Only the outcome of this result is stored.</p>`}`;
}

/** The phases as a bar of width 1000, with a legend. */
function phaseBar(phases: ResultView['phases']): Html {
  const total = phases.reduce((sum, { ms }) => sum + ms, 0) || 1;
  let left = 0;
  const parts = phases.map(({ name, ms }, index) => {
    const width = (ms / total) * 1000;
    const part = html`<rect class="p${index % 6}" x="${left.toFixed(1)}" width="${width.toFixed(1)}" height="24">
      <title>${name}</title>
    </rect>`;
    left += width;
    return part;
  });
  const legend = phases.map(
    ({ name, ms }, index) =>
      html`<li>
        <svg viewBox="0 0 10 10" aria-hidden="true"><rect class="p${index % 6}" width="10" height="10" /></svg>${name}
        <strong>${milliseconds(ms)}</strong>
      </li>`,
  );
  return html`<h2>Time</h2>
    <svg class="phases" viewBox="0 0 1000 24" preserveAspectRatio="none" aria-hidden="true">${parts}</svg>
    <ul class="legend">
      ${legend}
    </ul>`;
}

/** Messages begin in lower case, because logs and templates continue a sentence with them; code stays as it is. */
function capitalized(message: string): string {
  return /^(?!await )[a-z]+[ ,]/.test(message) ? message.charAt(0).toUpperCase() + message.slice(1) : message;
}

function assertionList(assertions: ResultView['assertions']): Html {
  const rows = assertions.map(
    ({ text, passed, message }) =>
      html`<tr>
        <td class="outcome ${passed ? 'passed' : 'failed'}">${passed ? 'Passed' : 'Failed'}</td>
        <td><code>${text}</code>${message !== null && html`<br />${capitalized(message)}`}</td>
      </tr>`,
  );
  return html`<h2>Assertions</h2>
    <table>
      ${rows}
    </table>`;
}

function exchange(title: string, message: ViewedMessage, isTruncated: boolean): Html {
  const headers = message.headers.map(([name, value]) => `${name}: ${value}`).join('\n');
  return html`<h2>${title}</h2>
    <pre>${message.line}</pre>
    ${
      headers !== '' &&
      html`<details>
        <summary>Headers</summary>
        <pre>${headers}</pre>
      </details>`
    }
    ${message.body !== '' && html`<pre>${message.body}</pre>`}
    ${isTruncated && html`<p class="soft">The body is truncated: only its beginning is stored.</p>`}`;
}
