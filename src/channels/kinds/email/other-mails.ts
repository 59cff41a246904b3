// Renders mails that are no single alerts: digests, reports, changes of status pages, invitations and links. Templates of the channel are not used.
import { zonedMinute } from '#domain/accounts/time-zone.ts';
import type { Message } from '#domain/deliveries/delivery.ts';
import type { Gateways } from '#domain/deliveries/gateways.ts';
import type { JsonObject } from '#domain/json.ts';
import type { InvitationMessage, LinkMessage, PasswordResetMessage, ChannelKind } from '../../kind.ts';
import {
  type DigestGroup,
  type DigestMessage,
  type DigestSummary,
  summarizeDigest,
} from '../../parts/digest-summary.ts';
import {
  type ReportGroup,
  type ReportMessage,
  type ReportSummary,
  summarizeReport,
} from '../../parts/report-summary.ts';
import type { RenderFacts } from '../../templates/context.ts';
import { headerText, cut } from '../../templates/text-helpers.ts';
import { isolated } from './mail-facts.ts';
import { readConfig } from './config.ts';
import { htmlOfDigest, htmlOfLink, htmlOfReport, type LinkMail, page } from './html-part.ts';
import { longestSubject, mailOf, smtpIn, mailView, smtpMissing } from './render.ts';
import { subscribersChannel } from '#domain/deliveries/page-news.ts';
import { z } from 'zod';
import type { NewsMessage } from '../../parts/news-message.ts';

/** Renders the mail of a digest. @throws TemplateError if email is no longer set up */
export function renderEmailDigest(
  config: JsonObject,
  message: DigestMessage,
  facts: RenderFacts,
  gateways: Gateways,
): Message {
  const { from } = smtpIn(gateways);
  const { digest, variables } = message;
  const summary = summarizeDigest(message, facts.timeZone);
  const subject = cut(headerText(`[${summary.label}] ${summary.headline}`), longestSubject);
  const { address } = readConfig(config);
  return mailOf(
    { from, address, subject, text: digestText(summary), html: htmlOfDigest(summary) },
    // A digest belongs to no incident. Its time is that of its content.
    { DELIVERY_ID: variables['DELIVERY_ID'] },
    { ...facts, createdAt: Math.max(facts.createdAt, digest.at) },
  );
}

function digestText({ title, note, sections, overviewLink }: DigestSummary): string {
  return `${[title, note, ...sections.map(digestSection), `View overview: ${overviewLink}`].join('\n\n')}\n`;
}

function digestSection({ heading, checks, more }: DigestGroup): string {
  const lines = checks.flatMap(({ name, error, links }) => [
    `- ${isolated(name)}${error === null ? '' : `: ${isolated(error)}`}`,
    ...links.map(({ text, href }) => `  ${text}: ${href}`),
  ]);
  return [`${heading}:`, ...lines, ...(more === 0 ? [] : [`and ${more} more`])].join('\n');
}

/** Renders the mail of a report. @throws TemplateError if email is no longer set up */
export function renderEmailReport(
  config: JsonObject,
  message: ReportMessage,
  facts: RenderFacts,
  gateways: Gateways,
): Message {
  const { from } = smtpIn(gateways);
  const summary = summarizeReport(message);
  const subject = cut(headerText(summary.title), longestSubject);
  const { address } = readConfig(config);
  const mail = { from, address, subject, text: reportText(summary), html: htmlOfReport(summary) };
  return mailOf(mail, { DELIVERY_ID: message.variables['DELIVERY_ID'] }, facts);
}

function reportText({ title, period, figures, sections, link }: ReportSummary): string {
  const width = Math.max(...figures.map(([name]) => name.length)) + 2;
  const lines = figures.map(([name, value]) => `${`${name}:`.padEnd(width)}${value}`).join('\n');
  return `${[title, isolated(period), lines, ...sections.map(reportSection), `Report: ${link}`].join('\n\n')}\n`;
}

function reportSection({ heading, rows }: ReportGroup): string {
  return [`${heading}:`, ...rows.map(({ name, value }) => `- ${isolated(name)}: ${value}`)].join('\n');
}

/** Renders an invitation. Its link is only in the mail, because its use proves the address. */
export function renderEmailInvitation(
  { id, address, accountName, role, url, expiresAt }: InvitationMessage,
  facts: RenderFacts,
  smtp: NonNullable<Gateways['smtp']>,
): Message {
  const title = `Invitation to ${headerText(accountName.toWellFormed())}`;
  const expires = zonedMinute(expiresAt, facts.timeZone);
  const intro = `You are invited to the account ${isolated(accountName)} of Tocsin with the role ${role}.`;
  const note = `The link works once, until ${expires}. If you did not expect this email, ignore it.`;
  return mailOfLink({ title, intro, action: 'Accept the invitation', url, note }, { id, address }, facts, smtp);
}

/** Renders a link for choosing another password. */
export function renderEmailPasswordReset(
  { id, address, url, expiresAt }: PasswordResetMessage,
  facts: RenderFacts,
  smtp: NonNullable<Gateways['smtp']>,
): Message {
  const intro = 'Somebody asked to reset the password that you sign in to Tocsin with.';
  const note = `The link works once, until ${zonedMinute(expiresAt, facts.timeZone)}. If you did not ask for it, ignore this email: your password stays the same.`;
  const title = 'Reset your password';
  return mailOfLink({ title, intro, action: 'Choose another password', url, note }, { id, address }, facts, smtp);
}

/** Renders a mail with one link. Its words may contain text of the account. */
export function renderEmailLink(
  { id, address, title, ...words }: LinkMessage,
  facts: RenderFacts,
  smtp: NonNullable<Gateways['smtp']>,
): Message {
  return mailOfLink({ ...words, title: headerText(title.toWellFormed()) }, { id, address }, facts, smtp);
}

function mailOfLink(
  link: LinkMail,
  { id, address }: Pick<PasswordResetMessage, 'id' | 'address'>,
  facts: RenderFacts,
  { from }: NonNullable<Gateways['smtp']>,
): Message {
  const { title, intro, action, url, note } = link;
  const text = `${isolated(intro)}\n\n${action}: ${url}\n\n${note}\n`;
  const subject = isolated(cut(title, longestSubject));
  return mailOf({ from, address, subject, text, html: htmlOfLink(link) }, { DELIVERY_ID: id }, facts);
}

/** Renders the mail to a channel of the account. @throws TemplateError if email is no longer set up */
export function renderEmailNews(
  config: JsonObject,
  message: NewsMessage,
  facts: RenderFacts,
  gateways: Gateways,
): Message {
  return newsMail(readConfig(config).address, message, facts, gateways);
}

function newsMail(
  address: string,
  { written, variables }: NewsMessage,
  facts: RenderFacts,
  gateways: Gateways,
): Message {
  const { from } = smtpIn(gateways);
  const subject = cut(isolated(headerText(written.subject)), longestSubject);
  const html = page(written.subject, written.html, written.language);
  const mail = { from, address, subject, text: written.text, html };
  return mailOf(mail, { DELIVERY_ID: variables['DELIVERY_ID'] }, facts);
}

/** The mail to a subscriber, whose mail program can end the subscription (RFC 8058). */
function renderToSubscriber(message: NewsMessage, facts: RenderFacts, gateways: Gateways): Message {
  const { subscriber } = message.news;
  if (subscriber === null) throw new Error('the message names no subscriber');
  const mail = newsMail(subscriber.email, message, facts, gateways);
  const unsubscribe = [
    ['List-Unsubscribe', `<${subscriber.unsubscribeUrl}>`],
    ['List-Unsubscribe-Post', 'List-Unsubscribe=One-Click'],
  ] as const;
  return { ...mail, headers: [...mail.headers, ...unsubscribe] };
}

/** Sessions for subscribers: alerts have others. */
const maxSessions = 4;
/** How long a mail waits for a session, ms. */
const longestWaitMs = 300_000;

/** How subscribers of status pages are reached. No account has such a channel of its own. */
export const subscribersKind = {
  type: subscribersChannel('').type,
  config: z.strictObject({}),
  quota: 'status',
  templatesOf: () => [],
  missing: ({ smtp }) => (smtp === null ? smtpMissing : null),
  render: () => {
    throw new Error('subscribers of status pages receive no alerts');
  },
  view: mailView,
  renderNews: (_config, message, facts, gateways) => renderToSubscriber(message, facts, gateways),
  loadSender: async () => {
    const { createEmailSender } = await import('./send.ts');
    return (options) => createEmailSender({ ...options, maxSessions, longestWaitMs });
  },
} as const satisfies ChannelKind;
