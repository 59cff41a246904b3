// The PagerDuty channel: opens and resolves incidents through the Events API v2.
import type { ChannelKind } from '../../kind.ts';
import { renderPagerDuty } from './render.ts';
import { pagerDutySchema } from './schema.ts';

export const pagerDutyKind = {
  ...pagerDutySchema,
  templatesOf: () => [],
  isSuperseded: true,
  render: renderPagerDuty,
  loadSender: async () => (await import('./send.ts')).createPagerDutySender,
} as const satisfies ChannelKind;
