// The show parts of all channel kinds, for the web UI. A new kind is also listed in registry.ts, schemas.ts and forms.ts.
export { emailShow } from './kinds/email/show.ts';
export { opsgenieShow } from './kinds/opsgenie/show.ts';
export { pagerDutyShow } from './kinds/pagerduty/show.ts';
export { slackShow } from './kinds/slack/show.ts';
export { callShow, smsShow } from './kinds/telephone/show.ts';
export { webhookShow } from './kinds/webhook/show.ts';
