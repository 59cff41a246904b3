// Writes messages about changes of a status page, in the language of the page.
import type { NewsItem, PageNews } from '#domain/deliveries/page-news.ts';
import { longestInMessage, type MaintenanceEvent } from '#domain/status-pages/page-changes.ts';
import { cleanText, onlyLine } from '#lib/markup/clean-text.ts';
import { type Html, markup } from '#lib/markup/html.ts';
import { renderMarkdown } from '../markdown.ts';
import type { TextKey } from '#domain/status-pages/page-texts.ts';
import { createPageWriter, type PageWriter } from '../texts/page-writer.ts';

/** A change in words. Names and texts are of people; names are in one line. */
export interface WrittenItem {
  readonly name: string;
  /** Such as `Investigating` or `Maintenance has started`. */
  readonly state: string;
  readonly time: string;
  /** Markdown; '' = none. */
  readonly text: string;
  /** Such as `Affects Checkout`; null = none. */
  readonly affects: string | null;
  readonly url: string;
}

/** A message in words. */
export interface WrittenNews {
  readonly language: string;
  readonly subject: string;
  readonly pageName: string;
  readonly items: readonly WrittenItem[];
  /** The message as plain text. */
  readonly text: string;
  /** The content of the message as HTML. */
  readonly html: string;
}

/** Longest names, and texts of a line, in characters. */
const [longestName, longestText] = [200, 1000];

function lineOf(text: string, longest: number): string {
  const line = onlyLine(text);
  return line.length > longest ? `${line.slice(0, longest).toWellFormed()}…` : line;
}

export function writeNews(news: PageNews): WrittenNews {
  const texts = Object.fromEntries(
    Object.entries(news.page.texts).map(([key, text]) => [key, lineOf(text, longestText)]),
  );
  const writer = createPageWriter({ page: { ...news.page, texts } });
  const { plain } = writer;
  const pageName = lineOf(news.page.name, longestName);
  const items = news.items.map((item) => writeItem(writer, item));
  const last = items.at(-1);
  const isOne = new Set(items.map(({ name }) => name)).size === 1;
  const subject =
    isOne && last !== undefined
      ? plain('news.subject', { page: pageName, name: last.name, state: last.state })
      : plain('news.several', { page: pageName, count: items.length });
  const footer = footerOf(news, writer, pageName);
  const blocks = [...items.map((item) => itemText(writer, item)), ...(footer === null ? [] : [footer.text])];
  const parts = [...items.map((item) => itemHtml(writer, item)), ...(footer === null ? [] : [footer.html])];
  return {
    language: news.page.language,
    subject,
    pageName,
    items,
    text: `${blocks.join('\n\n')}\n`,
    html: markup`${parts}`.text,
  };
}

const eventKeys: Readonly<Record<MaintenanceEvent, TextKey>> = {
  DAY_BEFORE: 'news.dayBefore',
  HOUR_BEFORE: 'news.hourBefore',
  STARTED: 'news.started',
  ENDED: 'news.ended',
  CANCELLED: 'news.cancelled',
};

function writeItem(writer: PageWriter, item: NewsItem): WrittenItem {
  const { plain, plainTime, plainRange } = writer;
  const services = lineOf(item.services.join(', '), longestText);
  const isUpdate = item.kind === 'update';
  const text = cleanText((isUpdate ? item.update.description : item.description) ?? '').trim();
  const isCut = text.length > longestInMessage;
  return {
    name: lineOf(item.name, longestName),
    state: isUpdate
      ? plain(`update.${item.update.status.toLowerCase()}` as TextKey)
      : plain(eventKeys[item.event], { time: plainTime(item.startsAt, 'both') }),
    time: isUpdate ? plainTime(item.update.at, 'both') : plainRange(item.startsAt, item.endsAt),
    text: isCut ? `${text.slice(0, longestInMessage).toWellFormed()}…\n\n${plain('news.shortened')}` : text,
    affects: services === '' ? null : plain('incident.affects', { services }),
    url: item.url,
  };
}

function itemText({ plain }: PageWriter, { name, state, time, text, affects, url }: WrittenItem): string {
  const lines = [`${name}: ${state}`, time, ...(affects === null ? [] : [affects])];
  return [lines.join('\n'), ...(text === '' ? [] : [text]), `${plain('news.details')}: ${url}`].join('\n\n');
}

function itemHtml({ plain }: PageWriter, { name, state, time, text, affects, url }: WrittenItem): Html {
  const soft = 'margin:0 0 8px;font-size:14px;line-height:1.5;color:#5d6878;word-break:break-word';
  return markup`<h1 style="margin:0 0 4px;font-size:20px;line-height:1.3;font-weight:600;word-break:break-word"><bdi>${name}</bdi></h1>
<p style="margin:0 0 4px;font-size:15px;font-weight:600">${state}</p>
<p class="name" style="${soft}">${time}${affects !== null && markup`<br><bdi>${affects}</bdi>`}</p>
<div dir="auto" style="margin:0 0 12px;font-size:15px;line-height:1.5;word-break:break-word">${renderMarkdown(text)}</div>
<p style="margin:0 0 24px;font-size:15px"><a href="${url}" style="color:inherit">${plain('news.details')}</a></p>
`;
}

/** Why a subscriber receives it, and how to end that. */
function footerOf(
  { subscriber }: PageNews,
  { plain }: PageWriter,
  pageName: string,
): { readonly text: string; readonly html: Html } | null {
  if (subscriber === null) return null;
  const reason = plain('news.reason', { page: pageName });
  const unsubscribe = plain('news.unsubscribe');
  const { unsubscribeUrl: url } = subscriber;
  return {
    text: `-- \n${reason}\n${unsubscribe}: ${url}`,
    html: markup`<p class="name" style="margin:0;padding-top:12px;border-top:1px solid #dfe3e8;font-size:13px;line-height:1.5;color:#5d6878">${reason}<br><a href="${url}" style="color:inherit">${unsubscribe}</a></p>
`,
  };
}
