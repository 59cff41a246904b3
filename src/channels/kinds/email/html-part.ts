// The HTML of a mail: narrow, inline styles, light and dark, nothing remote. Every value is escaped.
import { escaped } from '../../templates/text-helpers.ts';
import type { Tone } from '../../parts/alert-summary.ts';
import type { DigestGroup, DigestSummary } from '../../parts/digest-summary.ts';
import type { ReportGroup, ReportSummary } from '../../parts/report-summary.ts';
import { isolated, type MailFacts } from './mail-facts.ts';

/** Text and background of the label, which have a contrast of at least 4.5 in both schemes. */
const colours: Readonly<Record<Tone, string>> = {
  failing: '#b42318',
  degraded: '#8a5300',
  recovered: '#17703c',
  notice: '#4a4fb5',
};

const font = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";

/** Renders the HTML part of a default mail. */
export function htmlPart({ tone, label, title, error, notes, rows, links }: MailFacts): string {
  const buttons = links.map(({ name, action, href }) =>
    button(action, href, name === 'Result' ? colours[tone] : '#475467'),
  );
  const content = [
    `<p style="margin:0 0 12px"><span style="display:inline-block;padding:3px 10px;border-radius:12px;background:${colours[tone]};color:#ffffff;font-size:13px;font-weight:600">${safe(label)}</span></p>`,
    `<h1 style="margin:0 0 16px;font-size:20px;line-height:1.3;font-weight:600;word-break:break-word"><bdi>${escaped(title)}</bdi></h1>`,
    ...(error === null
      ? []
      : [
          `<p class="box" style="margin:0 0 16px;padding:12px;border-radius:6px;background:#f2f4f7;font-family:ui-monospace,Menlo,Consolas,monospace;font-size:13px;line-height:1.5;word-break:break-word">${lines(error)}</p>`,
        ]),
    ...(rows.length === 0 ? [] : [table(rows)]),
    ...(notes === null
      ? []
      : [
          `<p style="margin:16px 0 0;font-size:14px;line-height:1.5;word-break:break-word"><span class="name" style="color:#5d6878">Notes</span><br>\n${lines(notes)}</p>`,
        ]),
    ...(buttons.length === 0 ? [] : [`<p style="margin:20px 0 0">${buttons.join(' ')}</p>`]),
  ];
  return page(title, content.join('\n'));
}

/** Renders the HTML part of a text from a template of the channel. */
export function htmlOfText(subject: string, text: string): string {
  return page(subject, `<p style="margin:0;font-size:15px;line-height:1.5;word-break:break-word">${lines(text)}</p>`);
}

/** A mail with a link for its reader; `action` is the text of the button. */
export type LinkMail = Readonly<Record<'title' | 'intro' | 'action' | 'url' | 'note', string>> & {
  /** BCP 47. Default: English. */
  readonly language?: string;
};

export function htmlOfLink({ title, intro, action, url, note, language }: LinkMail): string {
  const content = [
    `<h1 style="margin:0 0 16px;font-size:20px;line-height:1.3;font-weight:600;word-break:break-word"><bdi>${escaped(title)}</bdi></h1>`,
    `<p style="margin:0 0 16px;font-size:15px;line-height:1.5;word-break:break-word">${lines(intro)}</p>`,
    `<p style="margin:0 0 16px">${button(action, url, colours.notice)}</p>`,
    `<p style="margin:0;font-size:14px;line-height:1.5">${escaped(note)}</p>`,
  ];
  return page(title, content.join('\n'), language);
}

export function htmlOfDigest({ tone, label, title, note, sections, overviewLink }: DigestSummary): string {
  const content = [
    `<p style="margin:0 0 12px"><span style="display:inline-block;padding:3px 10px;border-radius:12px;background:${colours[tone]};color:#ffffff;font-size:13px;font-weight:600">${safe(label)}</span></p>`,
    `<h1 style="margin:0 0 12px;font-size:20px;line-height:1.3;font-weight:600">${escaped(title)}</h1>`,
    `<p style="margin:0 0 16px;font-size:14px;line-height:1.5">${escaped(note)}</p>`,
    ...sections.map(digestSection),
    `<p class="screen" style="margin:20px 0 0">${button('View overview', overviewLink, '#475467')}</p>`,
  ];
  return page(title, content.join('\n'));
}

function digestSection({ heading, checks, more }: DigestGroup): string {
  const items = checks.map(({ name, error, links }) => {
    const why = error === null ? '' : `<br><span class="name" style="color:#5d6878">${safe(error)}</span>`;
    const linked = links.map(({ text, href }) => `<a href="${escaped(href)}" style="color:inherit">${text}</a>`);
    const below = linked.length === 0 ? '' : `<br><span style="font-size:13px">${linked.join(' · ')}</span>`;
    return `<li style="margin:0 0 8px;word-break:break-word">${safe(name)}${why}${below}</li>`;
  });
  const rest = more === 0 ? '' : `<p style="margin:0 0 16px;font-size:14px">and ${more} more</p>`;
  return `<h2 style="margin:0 0 8px;font-size:15px;font-weight:600">${escaped(heading)}</h2>
<ul style="margin:0 0 16px;padding:0 0 0 20px;font-size:14px;line-height:1.4">
${items.join('\n')}
</ul>${rest}`;
}

export function htmlOfReport({ title, period, figures, sections, link }: ReportSummary): string {
  const content = [
    `<h1 style="margin:0 0 4px;font-size:20px;line-height:1.3;font-weight:600">${escaped(title)}</h1>`,
    `<p class="name" style="margin:0 0 16px;font-size:14px;line-height:1.5;color:#5d6878">${safe(period)}</p>`,
    table(figures),
    ...sections.map(reportSection),
    `<p class="screen" style="margin:20px 0 0">${button('View report', link, '#475467')}</p>`,
  ];
  return page(title, content.join('\n'));
}

function reportSection({ heading, rows }: ReportGroup): string {
  const cells = rows.map(
    ({ name, value, link }) =>
      `<tr><td style="width:40%;padding:4px 16px 4px 0;vertical-align:top;word-break:break-word"><a href="${escaped(link)}" style="color:inherit">${safe(name)}</a></td><td style="padding:4px 0;vertical-align:top">${safe(value)}</td></tr>`,
  );
  return `<h2 style="margin:20px 0 4px;font-size:15px;font-weight:600">${escaped(heading)}</h2>
<table style="width:100%;border-collapse:collapse;font-size:14px;line-height:1.4">
${cells.join('\n')}
</table>`;
}

/** A mail. @param content safe HTML */
export function page(title: string, content: string, language = 'en'): string {
  return `<!doctype html>
<html lang="${escaped(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escaped(title)}</title>
<style>
:root { color-scheme: light dark; }
@media (prefers-color-scheme: dark) {
  .page { background: #101418 !important; color: #e6e8eb !important; }
  .card { background: #1a2027 !important; border-color: #323a44 !important; }
  .box { background: #262d36 !important; }
  .name { color: #9aa4b2 !important; }
}
@media print {
  .page { padding: 0 !important; background: #ffffff !important; color: #000000 !important; }
  .card { max-width: none !important; padding: 0 !important; border: 0 !important; background: #ffffff !important; }
  .name { color: #475467 !important; }
  .screen { display: none !important; }
  tr, h2 { break-inside: avoid; break-after: avoid-page; }
}
</style>
</head>
<body class="page" style="margin:0;padding:16px;background:#f5f6f8;color:#1d2430;${font}">
<div class="card" style="max-width:560px;margin:0 auto;padding:20px;border:1px solid #dfe3e8;border-radius:8px;background:#ffffff">
${content}
</div>
<p class="name" style="max-width:560px;margin:12px auto 0;color:#5d6878;font-size:12px">Sent by Tocsin</p>
</body>
</html>
`;
}

function table(rows: MailFacts['rows']): string {
  const cells = rows.map(
    ([name, value]) =>
      `<tr><th class="name" scope="row" style="padding:4px 16px 4px 0;text-align:left;vertical-align:top;font-weight:400;color:#5d6878;white-space:nowrap">${escaped(name)}</th><td style="padding:4px 0;vertical-align:top;word-break:break-word">${safe(value)}</td></tr>`,
  );
  return `<table role="presentation" style="border-collapse:collapse;font-size:14px;line-height:1.4">\n${cells.join('\n')}\n</table>`;
}

function button(label: string, link: string, colour: string): string {
  return `<a href="${escaped(link)}" style="display:inline-block;margin:0 8px 8px 0;padding:9px 16px;border-radius:6px;background:${colour};color:#ffffff;font-size:14px;font-weight:600;text-decoration:none">${label}</a>`;
}

function safe(value: string): string {
  return `<bdi>${escaped(isolated(value))}</bdi>`;
}

function lines(text: string): string {
  return text
    .split('\n')
    .map((line) => (line === '' ? '' : safe(line)))
    .join('<br>\n');
}
