// Renders the short text of an SMS message or a call. The operator's service turns it into a request when it is sent.
import type { Message } from '#domain/deliveries/delivery.ts';
import type { TemplateVariables } from '#domain/deliveries/template-variables.ts';
import type { JsonObject } from '#domain/json.ts';
import type { RenderFacts } from '../../templates/context.ts';
import { shortened, summarize } from '../../parts/alert-summary.ts';
import { type DigestMessage, digestSentence } from '../../parts/digest-summary.ts';
import { textIn } from '../../parts/config-text.ts';

const longestText = 300;
/** A longer link would leave too little room for the text. */
const longestLink = 150;

/** Renders an SMS message: what happened, and the link of the result. */
export function renderSms(config: JsonObject, variables: TemplateVariables, { timeZone }: RenderFacts): Message {
  const { resultLink } = summarize(variables, timeZone);
  const link = resultLink === null || resultLink.length > longestLink ? '' : ` ${resultLink}`;
  const body = `${sentenceOf(variables, timeZone, longestText - link.length)}${link}`;
  return { method: 'SMS', url: `sms:${textIn(config, 'number')}`, headers: [], body };
}

/** Renders the words of a call. */
export function renderCall(config: JsonObject, variables: TemplateVariables, { timeZone }: RenderFacts): Message {
  const body = sentenceOf(variables, timeZone, longestText);
  return { method: 'CALL', url: `tel:${textIn(config, 'number')}`, headers: [], body };
}

/** Renders the SMS message of a digest. */
export function renderSmsDigest(config: JsonObject, message: DigestMessage): Message {
  return {
    method: 'SMS',
    url: `sms:${textIn(config, 'number')}`,
    headers: [],
    body: digestSentence(message, longestText),
  };
}

/** Renders the words of a call about a digest. */
export function renderCallDigest(config: JsonObject, message: DigestMessage): Message {
  return {
    method: 'CALL',
    url: `tel:${textIn(config, 'number')}`,
    headers: [],
    body: digestSentence(message, longestText),
  };
}

function sentenceOf(variables: TemplateVariables, timeZone: string, max: number): string {
  const { title, error, location, rows } = summarize(variables, timeZone);
  const valueOf = (row: string): string | undefined => rows.find(([name]) => name === row)?.[1];
  const times = [
    ['began', valueOf('Began')],
    ['duration:', valueOf('Duration')],
  ].flatMap(([word, value]) => (value === undefined ? [] : `${word} ${value}`));
  const happened = times.length === 0 ? title : `${title} (${times.join(', ')})`;
  const why = error === null ? '' : `: ${error.replaceAll('\n', ' ')}`;
  const where = location === null || error === null ? '' : ` (${shortened(location, 40)})`;
  return shortened(`${happened}${why}`, max - where.length) + where;
}
