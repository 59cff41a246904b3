// The channels for SMS messages and calls, through services that the operator sets up: short texts, which the service
// gets in a request when they are sent.
import type { Message } from '#domain/deliveries/delivery.ts';
import type { TemplateVariables } from '#domain/deliveries/template-variables.ts';
import type { JsonObject } from '#domain/json.ts';
import type { ChannelKind } from '../../kind.ts';
import { shortened, summarize } from '../../parts/alert-summary.ts';
import { digestSentence } from '../../parts/digest-summary.ts';
import { textIn } from '../../parts/fields.ts';
import { callSchema, smsSchema } from './schema.ts';

const longestText = 300;
/** A longer link would leave too little room for the text. */
const longestLink = 150;

/** What differs between SMS messages and calls. */
interface Telephone<Schema> {
  readonly schema: Schema;
  readonly gateway: 'sms' | 'call';
  /** In the middle of a sentence. */
  readonly what: string;
  readonly missing: string;
  readonly messageTo: (number: string) => Pick<Message, 'method' | 'url'>;
  /** Whether messages end with the link of the result. */
  readonly hasLink: boolean;
  /** What to know about a text, in a sentence. */
  readonly noteOn: (text: string) => string;
}

export const smsKind = telephoneKind({
  schema: smsSchema,
  gateway: 'sms',
  what: 'SMS messages',
  missing: 'SMS messages are not set up: the operator must set TOCSIN_SMS_URL',
  messageTo: (number) => ({ method: 'SMS', url: `sms:${number}` }),
  hasLink: true,
  noteOn: segmentNote,
});

export const callKind = telephoneKind({
  schema: callSchema,
  gateway: 'call',
  what: 'calls',
  missing: 'Calls are not set up: the operator must set TOCSIN_CALL_URL',
  messageTo: (number) => ({ method: 'CALL', url: `tel:${number}` }),
  hasLink: false,
  noteOn: (text) => `Read aloud: ${text.length} characters.`,
});

function telephoneKind<const Schema extends Pick<ChannelKind, 'type' | 'config'>>({
  schema,
  gateway,
  what,
  missing,
  messageTo,
  hasLink,
  noteOn,
}: Telephone<Schema>) {
  const messageOf = (config: JsonObject, body: string): Message => ({
    ...messageTo(textIn(config, 'number')),
    headers: [],
    body,
  });
  return {
    ...schema,
    quota: 'telephone',
    templatesOf: () => [],
    missing: (gateways) => (gateways[gateway] === null ? missing : null),
    isSuperseded: true,
    render: (config, variables, { timeZone }) => {
      const { resultLink } = summarize(variables, timeZone);
      const isShown = hasLink && resultLink !== null && resultLink.length <= longestLink;
      const link = isShown ? ` ${resultLink}` : '';
      return messageOf(config, `${sentenceOf(variables, timeZone, longestText - link.length)}${link}`);
    },
    view: ({ body }) => ({ kind: 'text', text: body, note: noteOn(body) }),
    isGrouped: () => true,
    isBrief: true,
    renderDigest: (config, message) => messageOf(config, digestSentence(message, longestText)),
    loadSender: async () => {
      const { createTelephoneSender } = await import('./send.ts');
      return (options) => createTelephoneSender(options, options.gateways[gateway], what);
    },
  } as const satisfies ChannelKind;
}

function segmentNote(text: string): string {
  const { count, isUnicode } = segmentsOf(text);
  const why = isUnicode ? ', because of characters outside the GSM alphabet' : '';
  return `${text.length} characters: ${count === 1 ? '1 SMS message' : `${count} SMS messages`}${why}.`;
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

const basic = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
);
/** Each takes the room of two characters. */
const extended = new Set('^{}\\[~]|€');

/** Number of messages, and whether characters outside the GSM alphabet make them shorter. */
interface Segments {
  readonly count: number;
  readonly isUnicode: boolean;
}

/** Counts the messages of a text, as phone companies charge them. */
export function segmentsOf(text: string): Segments {
  const chars = Array.from(text);
  const isUnicode = chars.some((char) => !basic.has(char) && !extended.has(char));
  const sizes = chars.map((char) => (isUnicode ? char.length : extended.has(char) ? 2 : 1));
  const [alone, each] = isUnicode ? [70, 67] : [160, 153];
  if (sizes.reduce((sum, size) => sum + size, 0) <= alone) return { count: 1, isUnicode };
  let [count, used] = [1, 0];
  for (const size of sizes) {
    // A character is not split.
    if (used + size > each) [count, used] = [count + 1, 0];
    used += size;
  }
  return { count, isUnicode };
}
