// The page behind RESULT_LINK: one result, for whoever is woken by its alert (decisions: RESULT_LINK).
import { type Html, html, page } from '../html.ts';
import { scriptSections } from './script-sections.ts';
import type { ScriptView } from './script-view.ts';
import { milliseconds, utc } from './times.ts';

/** What the page shows. Texts are untrusted and may be anything; secrets must have been taken out before. */
export interface ResultView {
  readonly checkName: string;
  readonly outcome: 'passed' | 'degraded' | 'failed' | 'unknown' | 'missed';
  /** Why it did not pass, in a sentence. */
  readonly message: string | null;
  readonly location: string;
  /** Epoch ms. */
  readonly startedAt: number;
  readonly stoppedAt: number;
  /** From 1. */
  readonly attempt: number;
  readonly responseTimeMs: number | null;
  /** In order, ms; those that did not take place are left out. */
  readonly phases: readonly { readonly name: string; readonly ms: number }[];
  readonly assertions: readonly {
    readonly text: string;
    readonly passed: boolean;
    readonly message: string | null;
  }[];
  readonly request: ViewedMessage | null;
  readonly response: (ViewedMessage & { readonly isTruncated: boolean }) | null;
  /** null = it ran no script. */
  readonly script: ScriptView | null;
  /** How long the link works, epoch ms. */
  readonly expiresAt: number;
}

/** One side of the exchange; null in ResultView when it was not kept. */
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

/** The page of a result. Needs no script, and shows times in UTC. */
export function resultPage(view: ResultView): string {
  return page(
    `${verdicts[view.outcome]}: ${view.checkName}`,
    html`<main class="result">
      <p><strong class="verdict ${view.outcome}">${verdicts[view.outcome]}</strong></p>
      <h1>${view.checkName}</h1>
      ${view.message !== null && html`<p>${view.message}</p>`} ${facts(view)}
      ${view.script && scriptSections(view.script, view.message)} ${view.phases.length > 0 && phaseBar(view.phases)}
      ${view.assertions.length > 0 && assertionList(view.assertions)}
      ${view.request && exchange('Request', view.request, false)}
      ${view.response && exchange('Response', view.response, view.response.isTruncated)}
      <p class="soft">This link works until ${utc(view.expiresAt)}. Whoever has it can read this one result.</p>
    </main>`,
  );
}

/** The page for a link that is wrong, has expired, or leads to a result that is no longer kept. */
export function noResultPage(): string {
  return page(
    'No result here',
    html`<main class="result">
      <h1>No result here</h1>
      <p>The link is incomplete or has expired, or the result is no longer stored.</p>
    </main>`,
  );
}

/** The page for a link whose check was deleted, that of the closing alert among them. */
export function deletedCheckPage(): string {
  return page(
    'The check was deleted',
    html`<main class="result">
      <h1>The check was deleted</h1>
      <p>Its results are gone with it. What was open of it was closed when it was deleted.</p>
    </main>`,
  );
}

/** The page for the link of a test message: it works, and has no result to show. */
export function testMessagePage(): string {
  return page(
    'A test message',
    html`<main class="result">
      <h1>This was a test message</h1>
      <p>The link works. That of a real alert opens its result here.</p>
    </main>`,
  );
}

function facts(view: ResultView): Html {
  const rows: readonly (readonly [string, string])[] = [
    ['Started', utc(view.startedAt)],
    ['Took', milliseconds(view.stoppedAt - view.startedAt)],
    ...(view.responseTimeMs === null ? [] : [['Response time', milliseconds(view.responseTimeMs)] as const]),
    ['Location', view.location],
    ...(view.attempt > 1 ? [['Attempt', String(view.attempt)] as const] : []),
  ];
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

/** Every phase as its part of a bar of width 1000; a legend says the same in words. */
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
  return html`<h2>Where the time went</h2>
    <svg class="phases" viewBox="0 0 1000 24" preserveAspectRatio="none" aria-hidden="true">${parts}</svg>
    <ul class="legend">
      ${legend}
    </ul>`;
}

function assertionList(assertions: ResultView['assertions']): Html {
  const rows = assertions.map(
    ({ text, passed, message }) =>
      html`<tr>
        <td class="${passed ? 'passed' : 'failed'}">${passed ? 'held' : 'failed'}</td>
        <td><code>${text}</code>${message !== null && html`<br />${message}`}</td>
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
    ${isTruncated && html`<p class="soft">The body is longer: only its beginning was kept.</p>`}`;
}
