// Renders the message of a Slack channel: blocks, and a text for notifications and for servers without blocks.
import type { Message } from '#domain/deliveries/delivery.ts';
import { mask, maskAddress, withoutUserInfo } from '#domain/deliveries/shown-url.ts';
import type { TemplateVariables } from '#domain/deliveries/template-variables.ts';
import type { JsonObject, JsonValue } from '#domain/json.ts';
import { type AlertSummary, shortened, summarize } from '../../parts/alert-summary.ts';
import { type DigestGroup, type DigestMessage, summarizeDigest } from '../../parts/digest-summary.ts';
import { textIn, jsonRequest } from '../../parts/fields.ts';
import type { NewsMessage, NewsWords } from '../../parts/news-message.ts';
import type { RenderFacts } from '../../templates/context.ts';
import type { SecretRules } from '../../kind.ts';

const signs: Readonly<Record<AlertSummary['tone'], string>> = {
  failing: '🔴',
  degraded: '🟠',
  recovered: '🟢',
  notice: '🟡',
};

/** Renders a message. Its URL is masked; the sender has the real one. */
export function renderSlack(config: JsonObject, variables: TemplateVariables, facts: RenderFacts): Message {
  const { userAgent, timeZone } = facts;
  const summary = summarize(variables, timeZone);
  return messageOf(config, formatText(summary), blocksOf(summary), userAgent);
}

export function renderSlackDigest(config: JsonObject, message: DigestMessage, facts: RenderFacts): Message {
  const { userAgent, timeZone } = facts;
  const { tone, label, headline, note, sections, overviewLink } = summarizeDigest(message, timeZone);
  const head = `${signs[tone]} ${label}: ${headline}`;
  const blocks = [
    { type: 'header', text: plain(head, 150) },
    { type: 'section', text: plain(note, 3000) },
    ...sections.flatMap(sectionBlocks),
    { type: 'actions', elements: [button('View overview', overviewLink)] },
  ];
  const lines = sections.map(
    ({ heading, checks, more }) =>
      `${heading}: ${checks.map(({ name }) => name).join(', ')}${more === 0 ? '' : ` and ${more} more`}`,
  );
  // Escaping makes it up to five times as long; Slack shows 4000 characters.
  return messageOf(config, escaped(shortened([head, ...lines, note].join('\n'), 750)), blocks, userAgent);
}

/** Texts of people are shown as they are: Slack reads other Markdown. */
export function renderSlackNews(config: JsonObject, { written }: NewsMessage, { userAgent }: RenderFacts): Message {
  const blocks = [{ type: 'header', text: plain(written.subject, 150) }, ...written.items.flatMap(newsBlocks)];
  return messageOf(config, escaped(shortened(written.subject, 750)), blocks, userAgent);
}

function newsBlocks({ name, state, time, text, affects, url }: NewsWords): JsonValue[] {
  const lines = [`${name}: ${state}`, time, ...(affects === null ? [] : [affects]), ...(text === '' ? [] : ['', text])];
  return [
    { type: 'section', text: plain(lines.join('\n'), 3000) },
    { type: 'actions', elements: [button('View', url)] },
  ];
}

/** Slack shows at most 3000 characters of a section, and 50 blocks. */
function sectionBlocks({ heading, checks, more }: DigestGroup): JsonValue[] {
  const lines = checks.map(({ name, error }) => `• ${name}${error === null ? '' : `: ${error}`}`);
  const texts: string[] = [];
  let text = heading;
  for (const line of [...lines, ...(more === 0 ? [] : [`and ${more} more`])]) {
    if (text.length + line.length > longestBlock) {
      texts.push(text);
      text = line;
    } else text += `\n${line}`;
  }
  return [...texts, text].map((each) => ({ type: 'section', text: plain(each, 3000) }));
}

const longestBlock = 2900;

function messageOf(config: JsonObject, text: string, blocks: JsonValue[], userAgent: string): Message {
  const channel = textIn(config, 'channel');
  // In a preview the URL may be unmasked or missing.
  const url = shownUrl(textIn(config, 'url'));
  const body = { ...(channel !== '' && { channel }), text, blocks };
  return jsonRequest(URL.canParse(url) ? url : `https://hooks.slack.com/${mask}`, body, userAgent);
}

function formatText({ tone, title, error, resultLink }: AlertSummary): string {
  const lines = [`${signs[tone]} ${escaped(shortened(title, 200))}`];
  if (error !== null) lines.push(escaped(shortened(error, 400)));
  if (resultLink !== null) lines.push(`<${escaped(resultLink)}|View result>`);
  return lines.join('\n');
}

function blocksOf({ tone, title, error, notes, rows, links }: AlertSummary): JsonValue[] {
  const buttons = links.map(({ action, href }) => button(action, href));
  return [
    { type: 'header', text: plain(`${signs[tone]} ${title}`, 150) },
    ...(error === null ? [] : [{ type: 'section', text: plain(error, 3000) }]),
    // Slack shows at most ten fields of a section.
    ...(rows.length === 0 ? [] : [{ type: 'section', fields: rows.slice(0, 10).map(fieldOf) }]),
    ...(notes === null ? [] : [{ type: 'section', text: plain(`Notes: ${notes}`, 3000) }]),
    ...(buttons.length === 0 ? [] : [{ type: 'actions', elements: buttons }]),
  ];
}

function fieldOf([name, value]: AlertSummary['rows'][number]): JsonValue {
  return { type: 'mrkdwn', text: shortened(`*${name}*\n${verbatim(shortened(value, 300))}`, 2000), verbatim: true };
}

function button(text: string, url: string): JsonValue {
  return { type: 'button', text: plain(text, 75), url };
}

/** Slack does not interpret such a text. */
function plain(text: string, max: number): JsonValue {
  return { type: 'plain_text', text: shortened(text, max), emoji: false };
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Escapes as Slack asks. Also keeps compatible servers, which notify people by `@name`, from doing so. */
function escaped(text: string): string {
  return text.replace(/[&<>]/g, (char) => entities[char] ?? char).replaceAll('@', '@\u200b');
}

/** Escapes, and keeps marks of formatting from pairing up. */
function verbatim(text: string): string {
  return escaped(text).replace(/[*_~`]/g, '\u200b$&');
}

/** Returns a URL with everything but scheme and host masked. */
function shownUrl(url: string): string {
  return maskAddress(withoutUserInfo(url.trim()));
}

/** Stores the shown form of the URL in the configuration. */
export const secretRules: SecretRules = {
  stored({ config, secrets }, present) {
    const kept = textIn(present, 'url');
    const written = textIn(secrets, 'url').trim();
    // The shown form, sent back, keeps what is stored.
    const url = written.includes(mask) && written === shownUrl(kept) ? kept : written;
    const { protocol = '' } = URL.parse(url) ?? {};
    if (!/^https?:$/.test(protocol) || url.includes(mask)) {
      return { issue: { path: 'config.url', message: 'must be the http or https URL of an incoming webhook' } };
    }
    return { config: { ...config, url: shownUrl(url) }, secrets: { url } };
  },
};
