// All channel kinds; the first is the default of previews. A new one is also listed in schemas.ts, shows.ts and forms.ts.
import type { ChannelKind } from './kind.ts';
import { subscribersKind } from './kinds/email/other-mails.ts';
import { emailKind } from './kinds/email/email-kind.ts';
import { opsgenieKind } from './kinds/opsgenie/opsgenie-kind.ts';
import { pagerDutyKind } from './kinds/pagerduty/pagerduty-kind.ts';
import { slackKind } from './kinds/slack/slack-kind.ts';
import { callKind, smsKind } from './kinds/telephone/telephone-kinds.ts';
import { webhookKind } from './kinds/webhook/webhook-kind.ts';

/** All kinds, looked up by channel type. */
export const channelKinds = [
  webhookKind,
  emailKind,
  slackKind,
  pagerDutyKind,
  opsgenieKind,
  smsKind,
  callKind,
] as const satisfies readonly ChannelKind[];

/** Kinds with the one that no account has a channel of: all that sends. */
export const sendingKinds: readonly ChannelKind[] = [...channelKinds, subscribersKind];
