// Renders the mail of a report. Templates of the channel describe alerts, so they are not used.
import type { Message } from '#domain/deliveries/delivery.ts';
import type { Gateways } from '#domain/deliveries/gateways.ts';
import type { JsonObject } from '#domain/json.ts';
import {
  type ReportGroup,
  type ReportMessage,
  type ReportSummary,
  summarizeReport,
} from '../../parts/report-summary.ts';
import type { RenderFacts } from '../../templates/context.ts';
import { headerText } from '../../templates/header-text.ts';
import { TemplateError } from '../../templates/template-error.ts';
import { cut } from '../../templates/text-helpers.ts';
import { isolated } from './bidi.ts';
import { readConfig } from './config.ts';
import { htmlOfReport } from './html-part.ts';
import { longestSubject, mailOf, smtpMissing } from './render.ts';

/**
 * Renders a mail.
 *
 * @throws TemplateError if email is no longer set up
 */
export function renderEmailReport(
  config: JsonObject,
  message: ReportMessage,
  facts: RenderFacts,
  { smtp }: Gateways,
): Message {
  if (smtp === null) throw new TemplateError(smtpMissing, { line: 1, column: 1 }, 'config.address');
  const summary = summarizeReport(message);
  const subject = cut(headerText(summary.title), longestSubject);
  return mailOf(
    {
      from: smtp.from,
      address: readConfig(config).address,
      subject,
      text: formatText(summary),
      html: htmlOfReport(summary),
    },
    { DELIVERY_ID: message.variables['DELIVERY_ID'] },
    facts,
  );
}

function formatText({ title, period, figures, sections, link }: ReportSummary): string {
  const width = Math.max(...figures.map(([name]) => name.length)) + 2;
  const lines = figures.map(([name, value]) => `${`${name}:`.padEnd(width)}${value}`).join('\n');
  return `${[title, isolated(period), lines, ...sections.map(sectionText), `Report: ${link}`].join('\n\n')}\n`;
}

function sectionText({ heading, rows }: ReportGroup): string {
  return [`${heading}:`, ...rows.map(({ name, value }) => `- ${isolated(name)}: ${value}`)].join('\n');
}
