// The webhook channel: sends alerts by HTTP, rendered by the channel's templates (spec §6).
import { sendsByHttp } from '../../http/sends-by-http.ts';
import type { ChannelKind } from '../../kind.ts';
import { templatesOf } from './config.ts';
import { isReadByPeople, presets } from './presets.ts';
import { warnAboutWebhook } from './preview.ts';
import { refusesNews, renderWebhookNews } from './news.ts';
import { renderWebhook } from './render.ts';
import { webhookSchema } from './schema.ts';
import { secretRules } from './secrets.ts';
import { prepareWebhook } from './send.ts';
import { faultsOfWebhook } from './validate.ts';

export const webhookKind = {
  ...webhookSchema,
  secretRules,
  templatesOf,
  faults: faultsOfWebhook,
  warnings: warnAboutWebhook,
  presets,
  isGrouped: ({ webhookType }) => isReadByPeople(webhookType),
  render: renderWebhook,
  renderNews: renderWebhookNews,
  refusesNews,
  loadSender: sendsByHttp(prepareWebhook),
} as const satisfies ChannelKind;
