// The forms of all channel kinds, for the web UI. A new kind is also listed in registry.ts, schemas.ts and shows.ts.
export { emailForm } from './kinds/email/form.ts';
export { opsgenieForm } from './kinds/opsgenie/form.ts';
export { pagerDutyForm } from './kinds/pagerduty/form.ts';
export { slackForm } from './kinds/slack/form.ts';
export { callForm, smsForm } from './kinds/telephone/form.ts';
export { webhookForm } from './kinds/webhook/form.ts';
