// The webhook channel: sends alerts by HTTP, rendered by the channel's templates (spec §6).
import type { ChannelKind } from '../../kind.ts';
import { templatesOf } from './config.ts';
import { isReadByPeople, presets } from './presets.ts';
import { warnAboutWebhook } from './preview.ts';
import { renderWebhook } from './render.ts';
import { webhookSchema } from './schema.ts';
import { secretRules } from './secrets.ts';
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
  loadSender: async () => (await import('./send.ts')).createWebhookSender,
} as const satisfies ChannelKind;
