// The Slack channel: posts alerts to an incoming webhook of Slack or of a compatible server.
import { sendsByHttp } from '../../http/sends-by-http.ts';
import type { ChannelKind } from '../../kind.ts';
import { textIn } from '../../parts/fields.ts';
import { renderSlack, renderSlackDigest, renderSlackNews } from './render.ts';
import { slackSchema } from './schema.ts';
import { secretRules } from './secrets.ts';
import { slackView } from './view.ts';

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
