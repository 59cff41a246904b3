// Mails about changes of a status page, to a channel of the account and to subscribers.
import type { Message } from '#domain/deliveries/delivery.ts';
import { subscribersChannel } from '#domain/deliveries/page-news.ts';
import type { Gateways } from '#domain/deliveries/gateways.ts';
import type { JsonObject } from '#domain/json.ts';
import { z } from 'zod';
import type { ChannelKind } from '../../kind.ts';
import type { NewsMessage } from '../../parts/news-message.ts';
import type { RenderFacts } from '../../templates/context.ts';
import { headerText } from '../../templates/header-text.ts';
import { cut } from '../../templates/text-helpers.ts';
import { isolated } from './bidi.ts';
import { readConfig } from './config.ts';
import { htmlOfContent } from './html-part.ts';
import { longestSubject, mailOf, mailView, smtpIn, smtpMissing } from './render.ts';

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
  const html = htmlOfContent(written.subject, written.html, written.language);
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
