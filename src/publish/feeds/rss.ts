// The feed of a page as RSS 2.0.
import { html } from '#lib/markup/html.ts';
import type { PageView } from '../page-view.ts';
import { lastChange, newsOf } from './news.ts';

const xml = html;

export function renderRss(view: PageView): string {
  const { snapshot, writer } = view;
  const { page } = snapshot;
  const entries = newsOf(view);
  const address = (path: string): string => `${view.address ?? ''}${path}`;
  const items = entries.map(
    ({ id, title, path, at, content }) =>
      xml`<item><title>${title}</title><link>${address(path)}</link><guid isPermaLink="false">${id}</guid><pubDate>${rfc822(at)}</pubDate><description>${content.text}</description></item>\n`,
  );
  const built = entries.length > 0 && xml`<lastBuildDate>${rfc822(lastChange(entries))}</lastBuildDate>`;
  return xml`<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel><title>${page.name}</title><link>${address('index.html')}</link><description>${page.description ?? page.name}</description><language>${writer.language}</language>${view.address !== null && xml`<atom:link href="${address('feed.rss')}" rel="self" type="application/rss+xml"/>`}${built}<ttl>5</ttl>
${items}</channel></rss>
`.text;
}

function rfc822(at: number): string {
  return new Date(at).toUTCString();
}
