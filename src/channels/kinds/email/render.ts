// Renders the mail of a delivery: headers, text and HTML. What is stored here is sent unchanged by every attempt.
import type { Message } from '#domain/deliveries/delivery.ts';
import type { MessageView } from '#domain/deliveries/message-view.ts';
import type { Gateways } from '#domain/deliveries/gateways.ts';
import type { TemplateVariables } from '#domain/deliveries/template-variables.ts';
import type { JsonObject } from '#domain/json.ts';
import { limits, Rendering } from '../../templates/budget.ts';
import { compileTemplate } from '../../templates/compile.ts';
import { contextOf, ownsAllNames, type RenderFacts } from '../../templates/context.ts';
import { headerText, cut } from '../../templates/text-helpers.ts';
import { inField, TemplateError } from '../../templates/template-error.ts';
import { parseSender, readConfig } from './config.ts';
import { isolated, defaultSubject, mailFacts, type MailFacts } from './mail-facts.ts';
import { htmlOfText, htmlPart } from './html-part.ts';

/** What an operator must set up first. */
export const smtpMissing = 'Email is not set up: set TOCSIN_SMTP_URL and TOCSIN_MAIL_FROM (docs/email.md)';

/** Longest subject, in characters. */
export const longestSubject = 300;

/** The part of a mail that the log does not show. */
export type MailData = { readonly html: string };

/**
 * Renders a mail.
 *
 * @throws TemplateError that names the field; the delivery fails and nothing is sent
 */
export function renderEmail(
  config: JsonObject,
  variables: TemplateVariables,
  facts: RenderFacts,
  gateways: Gateways,
): Message {
  const { from } = smtpIn(gateways);
  const { address, subject: subjectTemplate, body: bodyTemplate } = readConfig(config);
  const context = contextOf(variables, facts);
  // Tocsin escapes the HTML part itself, so templates insert values unchanged.
  const rendering = new Rendering(facts.createdAt, limits.output, ownsAllNames(context), false, facts.timeZone);
  const render = (path: string, source: string, max: number): string =>
    inField(path, () => compileTemplate(source).renderNext(context, rendering, max));
  const mail = mailFacts(variables, facts.timeZone);
  const written = bodyTemplate === null ? null : render('config.body', bodyTemplate, limits.output);
  const titled =
    subjectTemplate === null ? defaultSubject(mail) : render('config.subject', subjectTemplate, limits.line);
  const line = cut(headerText(titled.toWellFormed()), longestSubject);
  const subject = subjectTemplate === null ? line : isolated(line);
  const text = written === null ? textPart(mail) : plainText(written);
  const html = written === null ? htmlPart(mail) : htmlOfText(subject, text);
  return mailOf({ from, address, subject, text, html }, variables, facts);
}

/** How a mail program shows a mail that `mailOf` has made. */
export function mailView({ headers, data }: Message): MessageView {
  const subject = headers.find(([name]) => name === 'Subject')?.[1] ?? '';
  return { kind: 'mail', subject, html: (data as MailData).html };
}

/** The server for mails. @throws TemplateError if there is none */
export function smtpIn({ smtp }: Gateways): NonNullable<Gateways['smtp']> {
  if (smtp === null) throw new TemplateError(smtpMissing, { line: 1, column: 1 }, 'config.address');
  return smtp;
}

/** A mail with the headers that all mails have. @param variables name its delivery and incident */
export function mailOf(
  mail: Readonly<Record<'from' | 'address' | 'subject' | 'text' | 'html', string>>,
  variables: TemplateVariables,
  facts: RenderFacts,
): Message {
  const data: MailData = { html: mail.html };
  return {
    method: 'MAIL',
    url: `mailto:${mail.address}`,
    headers: [
      ['From', mail.from],
      ['To', mail.address],
      ['Subject', mail.subject],
      ['Date', new Date(facts.createdAt).toUTCString().replace('GMT', '+0000')],
      ...threadHeaders(variables, facts, parseSender(mail.from).address),
      ['Auto-Submitted', 'auto-generated'],
      ['X-Auto-Response-Suppress', 'All'],
    ],
    body: mail.text,
    data,
  };
}

/** Line breaks as \n, without other control characters. */
function plainText(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    .replace(/[^\P{Cc}\n\t]/gu, ' ');
}

/**
 * Message-ID, the same for every attempt, and the thread of the incident. The first mail of an incident is named after
 * the incident and the channel, so that later ones can refer to it without knowing its delivery.
 */
function threadHeaders(
  variables: TemplateVariables,
  { channelId, uuid }: RenderFacts,
  from: string,
): [name: string, value: string][] {
  const domain = from.slice(from.lastIndexOf('@') + 1);
  const own = `<${idIn(variables['DELIVERY_ID']) ?? uuid}@${domain}>`;
  const incident = idIn(variables['INCIDENT_ID']);
  if (incident === null || channelId === undefined) return [['Message-ID', own]];
  const first = `<${incident}.${channelId}@${domain}>`;
  if (variables['IS_FIRST_OF_INCIDENT'] === true && variables['IS_REPLAY'] !== true) return [['Message-ID', first]];
  return [
    ['Message-ID', own],
    ['In-Reply-To', first],
    ['References', first],
  ];
}

/** An ID from a variable, which may be of the user's own making. */
function idIn(value: unknown): string | null {
  return typeof value === 'string' && /^[\w-]{1,64}$/.test(value) ? value : null;
}

/** The plain text of a default mail. */
function textPart({ title, error, notes, rows, links }: MailFacts): string {
  const width = Math.max(0, ...rows.map(([name]) => name.length)) + 2;
  const isolatedLines = (text: string): string => text.split('\n').map(isolated).join('\n');
  const parts = [
    title,
    ...(error === null ? [] : [isolatedLines(error)]),
    rows.map(([name, value]) => `${`${name}:`.padEnd(width)}${isolated(value)}`).join('\n'),
    ...(notes === null ? [] : [`Notes:\n${isolatedLines(notes)}`]),
    ...(links.length === 0 ? [] : [links.map(({ name, href }) => `${name}: ${href}`).join('\n')]),
  ];
  return `${parts.join('\n\n')}\n`;
}
