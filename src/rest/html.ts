// Pages that the server writes: layout and security headers.
import { createHash } from 'node:crypto';
import { Html, html } from '#lib/markup/html.ts';

const style = `
:root{color-scheme:light dark;--paper:#fafaf9;--card:#fff;--ink:#1b1d21;--soft:#555b64;--line:#e2e2de;--code:#f3f3f1;
--accent:#3d52c4;--good:#0b7a5c;--slow:#8f5a00;--bad:#c02522;--odd:#5d636c}
@media (prefers-color-scheme:dark){:root{--paper:#121417;--card:#191c20;--ink:#e7e8ea;--soft:#a4abb5;--line:#2c3137;--code:#21252a;
--accent:#9fadff;--good:#55cda4;--slow:#f0b854;--bad:#ff8a82;--odd:#a4abb5}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,sans-serif;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
a{color:var(--accent);text-decoration-thickness:1px;text-underline-offset:2px}
button{font:inherit;font-weight:600;color:var(--card);background:var(--accent);border:0;border-radius:8px;padding:.6rem 1.4rem;cursor:pointer}
input{font:inherit;color:inherit;background:var(--card);border:1px solid var(--soft);border-radius:8px;padding:.5rem .7rem;width:17rem;max-width:100%;display:block;margin:.2rem 0 .8rem}
a:focus-visible,button:focus-visible,input:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:4px}
.result h1{font-size:1.7rem;line-height:1.2;margin:0 0 .5rem;letter-spacing:-.01em}
.result p{margin:.4rem 0}
code{font:.86em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
code{background:var(--code);border-radius:4px;padding:.08em .3em}
table{border-collapse:collapse;width:100%;font-size:.92rem}
th{text-align:left;font-weight:600;vertical-align:top}
td,th{padding:.4rem .8rem .4rem 0;border-top:1px solid var(--line);vertical-align:top}
tr:first-child>td,tr:first-child>th{border-top:0}
.soft{color:var(--soft)}
.card{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:1rem 1.25rem;margin:0 0 1rem}
.result{max-width:60rem;margin:0 auto;padding:2rem clamp(1rem,4vw,2rem) 4rem}
.verdict{display:inline-block;font-weight:700;border-radius:99px;padding:.15rem .8rem;border:2px solid currentColor}
.passed{color:var(--good)}.degraded{color:var(--slow)}.failed{color:var(--bad)}.unknown,.missed{color:var(--odd)}
.result .why{font-size:1.05rem;margin:0 0 1.2rem;white-space:pre-line}.result .foot{margin-top:2.5rem;font-size:.9rem}
.facts th{width:11rem;color:var(--soft);font-weight:500}
@media (max-width:34rem){.facts th,.facts td{display:block;width:auto;padding:.25rem 0}.facts td{border-top:0;padding-top:0}}
`;

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
