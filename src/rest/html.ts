// Pages that the server writes: layout and security headers.
import { createHash } from 'node:crypto';
import { Html, html } from '#lib/markup/html.ts';
import { style } from './page-style.ts';

// The hash in the policy is that of the exact text between the tags.
const styleElement = new Html(`<style>${style}</style>`);

/** A whole page. */
export function page(title: string, body: Html): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex, nofollow" />
        <title>${title}</title>
        ${styleElement}
      </head>
      <body>
        ${body}
      </body>
    </html>`.text;
}

/** A page of a heading and a text. */
export function messagePage(title: string, text: string): string {
  return page(
    title,
    html`<main class="result">
      <h1>${title}</h1>
      <p>${text}</p>
    </main>`,
  );
}

/** A table of names and values. */
export function factTable(facts: readonly (readonly [name: string, value: string])[]): Html {
  const rows = facts.map(
    ([name, value]) =>
      html`<tr>
        <th scope="row">${name}</th>
        <td>${value}</td>
      </tr>`,
  );
  return html`<div class="card">
    <table class="facts">
      ${rows}
    </table>
  </div>`;
}

const styleHash = createHash('sha256').update(style).digest('base64');

/** Headers of every page: no scripts, no frames, no foreign addresses, no caching or indexing. */
export const pageHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex, nofollow',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

/** Allows the style element that React Aria adds. */
export const reactAriaStyle = "'sha256-38RhXrc7EdReTKsOm23ZPOCUgniTUUcjky8QOOrQx6o='";

/** The same for a page that the web UI replaces: also scripts, styles, pictures and data of this server. */
export const webPageHeaders: Readonly<Record<string, string>> = {
  ...pageHeaders,
  'content-security-policy': `default-src 'none'; script-src 'self'; style-src 'self' 'sha256-${styleHash}' ${reactAriaStyle}; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
};

/** Security headers of a downloaded file: its content and name are untrusted. */
export const fileHeaders = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'private, no-store',
};
