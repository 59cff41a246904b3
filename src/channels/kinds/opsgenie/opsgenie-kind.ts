// The Opsgenie channel: creates and closes alerts through the Alert API.
import type { ChannelKind } from '../../kind.ts';
import { renderOpsgenie } from './render.ts';
import { opsgenieSchema } from './schema.ts';

export const opsgenieKind = {
  ...opsgenieSchema,
  templatesOf: () => [],
  isSuperseded: true,
  render: renderOpsgenie,
  loadSender: async () => (await import('./send.ts')).createOpsgenieSender,
} as const satisfies ChannelKind;
