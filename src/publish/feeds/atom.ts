// The feed of a page as Atom (RFC 4287).
import { html } from '#lib/markup/html.ts';
import type { PageView } from '../page-view.ts';
import { lastChange, newsOf } from './news.ts';

const xml = html;

export function renderAtom(view: PageView): string {
  const { page } = view.snapshot;
  const entries = newsOf(view);
  // Relative references are resolved against the address of the feed.
  const address = (path: string): string => `${view.address ?? ''}${path}`;
  const items = entries.map(({ id, title, path, at, content }) => {
    const updated = new Date(at).toISOString();
    return xml`<entry><id>urn:uuid:${id}</id><title>${title}</title><link href="${address(path)}"/><updated>${updated}</updated><published>${updated}</published><content type="html">${content.text}</content></entry>\n`;
  });
  return xml`<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${view.writer.language}"><id>urn:uuid:${page.id}</id><title>${page.name}</title><updated>${new Date(lastChange(entries)).toISOString()}</updated><author><name>${page.name}</name></author><link rel="alternate" type="text/html" href="${address('index.html')}"/><link rel="self" type="application/atom+xml" href="${address('feed.atom')}"/>
${items}</feed>
`.text;
}
