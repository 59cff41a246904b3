// The frame of the HTML files of a page: head, navigation and footer.
import { type Html, markup } from '#lib/markup/html.ts';
import { isLinkable } from '../markdown.ts';
import { historyPath, type PageView } from '../page-view.ts';
import { icons } from './icons.ts';

/** A file of a page. */
export interface Sheet {
  readonly title: string;
  /** Relative path to the folder of the page: empty, or `../`. */
  readonly root: '' | '../';
  readonly body: Html;
  /** Whether its content is of the time of the snapshot, so that the script renews it. */
  readonly isCurrent?: true;
}

/** What browsers may do with a page, also where no server adds headers. */
export const contentPolicy =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'";

/** The first lines of each document. */
export function opening(language: string): Html {
  return markup`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${contentPolicy}">
<meta name="viewport" content="width=device-width,initial-scale=1">`;
}

/** A whole HTML document. */
export function renderSheet(view: PageView, { title, root, body, isCurrent }: Sheet): string {
  const { snapshot, writer, assets } = view;
  const { page, builtAt } = snapshot;
  const { plain } = writer;
  const words = JSON.stringify({
    stale: plain('stale'),
    old: plain('state.stale'),
    zone: plain('times.local'),
    fine: plain('day.fine'),
  });
  const isListed = page.allowIndexing && page.visibility === 'PUBLIC';
  return markup`${opening(writer.language)}
<meta name="referrer" content="no-referrer">
${!isListed && markup`<meta name="robots" content="noindex,nofollow">\n`}<title>${title}</title>
${page.description !== null && markup`<meta name="description" content="${page.description}">\n`}<link rel="stylesheet" href="${root}${assets.style}">
<link rel="icon" href="${root}${assets.favicon ?? 'favicon.svg'}">
<link rel="alternate" type="application/atom+xml" title="${page.name}" href="${root}feed.atom">
<link rel="alternate" type="application/rss+xml" title="${page.name}" href="${root}feed.rss">
<script defer src="${root}${assets.script}"></script>
</head>
<body data-words="${words}">
<a class="skip" href="#main">${plain('page.skip')}</a>
${icons}
<header class="wrap top">${brand(view, root)}<nav aria-label="${page.name}"><ul>
${root !== '' && markup`<li><a href="${root}index.html">${plain('page.current')}</a></li>`}<li><a href="${root}${historyPath(builtAt)}">${plain('history.title')}</a></li><li><a href="${root}index.html#subscribe">${plain('subscribe.title')}</a></li></ul></nav></header>
<main class="wrap" id="main"${isCurrent && markup` data-built="${builtAt}"`}>
${isCurrent && markup`<p class="stale" id="stale" role="status" hidden></p>\n`}${body}
</main>
${footer(view)}
</body>
</html>
`.text;
}

function brand({ snapshot: { page }, assets }: PageView, root: string): Html {
  const target = page.redirectTo !== null && isLinkable(page.redirectTo) ? page.redirectTo : `${root}index.html`;
  const logo = assets.logo !== undefined && markup`<img src="${root}${assets.logo}" alt="" height="32">`;
  return markup`<a class="brand" href="${target}" rel="noopener noreferrer">${logo}<span dir="auto">${page.name}</span></a>`;
}

function footer({ snapshot: { page }, writer }: PageView): Html {
  const links = page.links
    .filter(({ url }) => isLinkable(url))
    .map(({ label, url }) => markup`<li><a href="${url}" rel="noopener noreferrer" dir="auto">${label}</a></li>`);
  return markup`<footer><div class="wrap">${links.length > 0 && markup`<ul>${links}</ul>`}${
    page.footerText !== null && markup`<p dir="auto">${page.footerText}</p>`
  }<p id="zone">${writer.plain('times.zone', { zone: page.timeZone })}</p></div></footer>`;
}
