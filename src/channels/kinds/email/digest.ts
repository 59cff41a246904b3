// Renders the mail of a digest. Templates of the channel describe single alerts, so they are not used.
import type { Message } from '#domain/deliveries/delivery.ts';
import type { Gateways } from '#domain/deliveries/gateways.ts';
import type { JsonObject } from '#domain/json.ts';
import {
  type DigestGroup,
  type DigestMessage,
  type DigestSummary,
  summarizeDigest,
} from '../../parts/digest-summary.ts';
import type { RenderFacts } from '../../templates/context.ts';
import { headerText } from '../../templates/header-text.ts';
import { TemplateError } from '../../templates/template-error.ts';
import { cut } from '../../templates/text-helpers.ts';
import { isolated } from './bidi.ts';
import { readConfig } from './config.ts';
import { htmlOfDigest } from './html-part.ts';
import { longestSubject, mailOf, smtpMissing } from './render.ts';

/**
 * Renders a mail.
 *
 * @throws TemplateError if email is no longer set up
 */
export function renderEmailDigest(
  config: JsonObject,
  message: DigestMessage,
  facts: RenderFacts,
  { smtp }: Gateways,
): Message {
  if (smtp === null) throw new TemplateError(smtpMissing, { line: 1, column: 1 }, 'config.address');
  const { digest, variables } = message;
  const summary = summarizeDigest(message, facts.timeZone);
  const subject = cut(headerText(`[${summary.label}] ${summary.headline}`), longestSubject);
  return mailOf(
    {
      from: smtp.from,
      address: readConfig(config).address,
      subject,
      text: formatText(summary),
      html: htmlOfDigest(summary),
    },
    // A digest belongs to no incident. Its time is that of its content.
    { DELIVERY_ID: variables['DELIVERY_ID'] },
    { ...facts, createdAt: Math.max(facts.createdAt, digest.at) },
  );
}

function formatText({ title, note, sections, overviewLink }: DigestSummary): string {
  return `${[title, note, ...sections.map(sectionText), `View overview: ${overviewLink}`].join('\n\n')}\n`;
}

function sectionText({ heading, checks, more }: DigestGroup): string {
  const lines = checks.flatMap(({ name, error, links }) => [
    `- ${isolated(name)}${error === null ? '' : `: ${isolated(error)}`}`,
    ...links.map(({ text, href }) => `  ${text}: ${href}`),
  ]);
  return [`${heading}:`, ...lines, ...(more === 0 ? [] : [`and ${more} more`])].join('\n');
}
