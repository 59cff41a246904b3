// The forms of all channel kinds, for the web UI. To add a kind, add a folder, and a line here, in registry.ts, in schemas.ts
// and in shows.ts.
export { emailForm } from './kinds/email/form.ts';
export { opsgenieForm } from './kinds/opsgenie/form.ts';
export { pagerDutyForm } from './kinds/pagerduty/form.ts';
export { slackForm } from './kinds/slack/form.ts';
export { callForm, smsForm } from './kinds/telephone/form.ts';
export { webhookForm } from './kinds/webhook/form.ts';
