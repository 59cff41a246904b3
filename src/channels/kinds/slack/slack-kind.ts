// The Slack channel: posts alerts to an incoming webhook of Slack or of a compatible server.
import { sendsByHttp } from '../../http/sends-by-http.ts';
import type { ChannelKind } from '../../kind.ts';
import { textIn } from '../../parts/fields.ts';
import { renderSlack, renderSlackDigest, renderSlackNews, secretRules } from './render.ts';
import { slackSchema } from './schema.ts';
import type { Message } from '#domain/deliveries/delivery.ts';
import type { MessageView } from '#domain/deliveries/message-view.ts';

export const slackKind = {
  ...slackSchema,
  secretRules,
  templatesOf: () => [],
  isSuperseded: true,
  render: renderSlack,
  view: slackView,
  isGrouped: () => true,
  renderDigest: renderSlackDigest,
  renderNews: (config, message, facts) => renderSlackNews(config, message, facts),
  loadSender: sendsByHttp(({ request, secrets }) => {
    const url = textIn(secrets, 'url');
    const { pathname, search } = new URL(url);
    const parts = pathname === '/' ? [] : [pathname + search, pathname];
    return { request: { ...request, url }, secrets: [url, ...parts] };
  }),
} as const satisfies ChannelKind;

interface Text {
  readonly type: string;
  readonly text: string;
}

interface Block {
  readonly text?: Text;
  readonly fields?: readonly Text[];
  readonly elements?: readonly { readonly text: Text }[];
}

/** Reads a message that this kind has rendered. */
function slackView({ body }: Pick<Message, 'body'>): MessageView {
  const { blocks } = JSON.parse(body) as { readonly blocks: readonly Block[] };
  const parts = blocks.map(({ text, fields = [], elements = [] }) =>
    [
      ...(text === undefined ? [] : [plainText(text)]),
      ...fields.map((field) => plainText(field)),
      ...(elements.length === 0 ? [] : [elements.map((each) => `[${plainText(each.text)}]`).join(' ')]),
    ].join('\n'),
  );
  return { kind: 'text', text: parts.join('\n\n'), note: 'Slack shows it with a heading, columns and buttons.' };
}

const entities: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' };

/** Without the marks of formatting: a field is a name in bold and its value. */
function plainText({ type, text }: Text): string {
  if (type !== 'mrkdwn') return text;
  return text
    .replace(/^\*(.*)\*\n/, '$1: ')
    .replaceAll('\u200b', '')
    .replace(/&(?:amp|lt|gt);/g, (entity) => entities[entity] ?? entity);
}
