// Types of channels with the schemas of their configurations, for the contract. A new kind is also listed in registry.ts,
// shows.ts and forms.ts. The first is the default of previews.
import { emailSchema } from './kinds/email/schema.ts';
import { opsgenieSchema } from './kinds/opsgenie/schema.ts';
import { pagerDutySchema } from './kinds/pagerduty/schema.ts';
import { slackSchema } from './kinds/slack/schema.ts';
import { callSchema, smsSchema } from './kinds/telephone/schema.ts';
import { webhookSchema } from './kinds/webhook/schema.ts';

export const channelSchemas = [
  webhookSchema,
  emailSchema,
  slackSchema,
  pagerDutySchema,
  opsgenieSchema,
  smsSchema,
  callSchema,
] as const;
