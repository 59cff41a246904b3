// Sections of a result page about a script (docs/decisions/0083).
import { type Html, html } from '../html.ts';
import type { ScriptView, ViewedLine } from './script-view.ts';
import { milliseconds } from './times.ts';

/** Maximum number of steps, and of lines per output, on the page; the API returns all. */
const maxRows = 200;
/** Maximum number of characters of a line. */
const maxLine = 2000;

/** @param message the message at the top of the page, which is not repeated */
export function scriptSections(view: ScriptView, message: string | null): Html {
  const { errors, screenshots, files, steps, vitals, output, pages, warnings } = view;
  const shownErrors = errors.filter((error) => error.message !== message || error.place !== null);
  return html`${warnings.map((warning) => html`<p class="note">${warning}</p>`)}
  ${shownErrors.length > 0 && errorList(shownErrors)} ${screenshots.length > 0 && pictures(screenshots)}
  ${steps !== null && steps.length > 0 && stepTable(steps)} ${vitals.length > 0 && vitalTables(vitals)}
  ${output.length > 0 && lines('Script output', output)} ${pages.length > 0 && lines('Console output', pages)}
  ${files.length > 0 && fileList(files)}
  ${steps === null && html`<p class="soft">Only the outcome of this result is stored.</p>`}`;
}

function errorList(errors: ScriptView['errors']): Html {
  const items = errors.map(({ message, place }) => {
    const at = place !== null && [html`<b>${place}</b>`, '\n'];
    return html`<pre class="error">${at}${message}</pre>`;
  });
  return html`<h2>Errors</h2>
    ${items}`;
}

function pictures(screenshots: ScriptView['screenshots']): Html {
  const figures = screenshots.map(
    ({ address, name }) =>
      html`<figure>
        <a href="${address}"><img src="${address}" alt="Screenshot" loading="lazy" /></a>
        <figcaption class="soft">${name}</figcaption>
      </figure>`,
  );
  return html`<h2>Screenshots</h2>
    <div class="pictures">${figures}</div>`;
}

function stepTable(steps: NonNullable<ScriptView['steps']>): Html {
  const rows = steps.slice(0, maxRows).map(
    ({ title, isNamed, startMs, durationMs, hasFailed }) =>
      html`<tr>
        <td class="at">${milliseconds(startMs)}</td>
        <td>
          <span class="${hasFailed ? 'failed' : isNamed ? 'named' : 'soft'}">${title}</span>
          ${hasFailed && html`<strong class="failed">failed</strong>`}
        </td>
        <td class="at">${milliseconds(durationMs)}</td>
      </tr>`,
  );
  const left = steps.length - rows.length;
  return html`<h2>Steps</h2>
    <table class="steps">
      <tr>
        <th scope="col" class="at">After</th>
        <th scope="col">Step</th>
        <th scope="col" class="at">Took</th>
      </tr>
      ${rows}
    </table>
    ${more(left)}`;
}

function more(left: number): Html | false {
  return left > 0 && html`<p class="soft">The API returns ${left} more.</p>`;
}

function vitalTables(vitals: ScriptView['vitals']): Html {
  const rows = vitals.map(
    ({ url, values }) =>
      html`<tr>
        <td>${url}</td>
        <td>${values.map(([name, value]) => html`<span class="vital">${name} <strong>${value}</strong></span> `)}</td>
      </tr>`,
  );
  return html`<h2>Page load</h2>
    <table class="facts">
      ${rows}
    </table>`;
}

function lines(title: string, of: readonly ViewedLine[]): Html {
  const texts = of
    .slice(0, maxRows)
    .map(({ text, isError }) => [html`<span class="${isError ? 'failed' : ''}">${cut(text.trimEnd())}</span>`, '\n']);
  return html`<h2>${title}</h2>
    <pre>${texts}</pre>
    ${more(of.length - maxRows)}`;
}

function cut(text: string): string {
  return text.length > maxLine ? `${text.slice(0, maxLine)} …` : text;
}

function fileList(files: ScriptView['files']): Html {
  const items = files.map(
    ({ name, bytes, path }) =>
      html`<li>
        ${name}, ${bytes < 1e6 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`}:
        <code>GET ${path}</code>
      </li>`,
  );
  return html`<h2>Files</h2>
    <p>Download them with an API key. Open traces in the Playwright trace viewer.</p>
    <ul>
      ${items}
    </ul>`;
}
