// The Slack channel: posts alerts to an incoming webhook of Slack or of a compatible server.
import type { ChannelKind } from '../../kind.ts';
import { renderSlack, renderSlackDigest } from './render.ts';
import { slackSchema } from './schema.ts';
import { secretRules } from './secrets.ts';

export const slackKind = {
  ...slackSchema,
  secretRules,
  templatesOf: () => [],
  isSuperseded: true,
  render: renderSlack,
  isGrouped: () => true,
  renderDigest: renderSlackDigest,
  loadSender: async () => (await import('./send.ts')).createSlackSender,
} as const satisfies ChannelKind;
