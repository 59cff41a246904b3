// Ready-made templates for what people send alerts to, by the name that a channel's `webhookType` carries (decisions: Presets).
import type { ChannelKind } from '../../kind.ts';
import type { Pair } from './config.ts';
import { presetTemplates } from './preset-templates.ts';

type Preset = NonNullable<ChannelKind['presets']>[number];

const json: Pair = { key: 'content-type', value: 'application/json', locked: false };

function preset(
  webhookType: keyof typeof presetTemplates,
  name: string,
  url: string,
  note: string,
  more: {
    readonly headers?: readonly Pair[];
    readonly open?: readonly string[];
    readonly locked?: readonly string[];
  } = {},
): Preset {
  const { headers = [], open = [], locked = [] } = more;
  return {
    webhookType,
    name,
    note,
    variables: [...open.map((key) => ({ key, locked: false })), ...locked.map((key) => ({ key, locked: true }))],
    config: {
      name,
      webhookType,
      url,
      method: 'POST',
      headers: [json, ...headers],
      queryParameters: [],
      template: presetTemplates[webhookType],
      // People expect to hear of an alert after an outage of their chat, too.
      longTail: true,
    },
  };
}

/** Every preset, by name. */
export const presets: readonly Preset[] = [
  preset(
    'WEBHOOK_DISCORD',
    'Discord',
    'https://discord.com/api/webhooks/{{{DISCORD_WEBHOOK}}}',
    'Channel settings, Integrations, Webhooks: DISCORD_WEBHOOK is the part of its URL after /api/webhooks/.',
    { locked: ['DISCORD_WEBHOOK'] },
  ),
  preset(
    'WEBHOOK_GOOGLECHAT',
    'Google Chat',
    'https://chat.googleapis.com/v1/spaces/{{{GOOGLE_CHAT_WEBHOOK}}}',
    'Space settings, Apps & integrations, Webhooks: GOOGLE_CHAT_WEBHOOK is the part of its URL after /v1/spaces/, key and token included.',
    { locked: ['GOOGLE_CHAT_WEBHOOK'] },
  ),
  preset(
    'WEBHOOK_INCIDENTIO',
    'incident.io',
    'https://api.incident.io/v2/alert_events/http/{{{INCIDENTIO_ALERT_SOURCE}}}',
    'Alerts, Sources, HTTP: INCIDENTIO_ALERT_SOURCE is the last part of its URL, INCIDENTIO_TOKEN its bearer token.',
    {
      headers: [{ key: 'authorization', value: 'Bearer {{{INCIDENTIO_TOKEN}}}', locked: true }],
      open: ['INCIDENTIO_ALERT_SOURCE'],
      locked: ['INCIDENTIO_TOKEN'],
    },
  ),
  preset(
    'WEBHOOK_MATTERMOST',
    'Mattermost',
    'https://{{{MATTERMOST_HOST}}}/hooks/{{{MATTERMOST_WEBHOOK}}}',
    'Integrations, Incoming Webhooks: MATTERMOST_HOST is your server, MATTERMOST_WEBHOOK the part of the URL after /hooks/.',
    { open: ['MATTERMOST_HOST'], locked: ['MATTERMOST_WEBHOOK'] },
  ),
  preset(
    'WEBHOOK_MSTEAMS',
    'Microsoft Teams',
    '{{{TEAMS_WORKFLOW_URL}}}',
    'In the channel: Workflows, "Post to a channel when a webhook request is received": TEAMS_WORKFLOW_URL is the whole URL it shows.',
    { locked: ['TEAMS_WORKFLOW_URL'] },
  ),
  preset(
    'WEBHOOK_NTFY',
    'ntfy',
    'https://ntfy.sh/',
    'NTFY_TOPIC is the topic you subscribed to. For your own server, change the host. If it requires a token, add the header authorization with the value Bearer followed by the token.',
    { open: ['NTFY_TOPIC'] },
  ),
  preset(
    'WEBHOOK_OPSGENIE',
    'Opsgenie',
    "https://api.opsgenie.com/v2/alerts{{#contains ALERT_TYPE 'RECOVERY'}}/{{CHECK_ID}}/close?identifierType=alias{{/contains}}",
    'Team, Integrations, API: OPSGENIE_API_KEY is its key. In the EU the host is api.eu.opsgenie.com. A recovery closes the alert.',
    {
      headers: [{ key: 'authorization', value: 'GenieKey {{{OPSGENIE_API_KEY}}}', locked: true }],
      locked: ['OPSGENIE_API_KEY'],
    },
  ),
  preset(
    'WEBHOOK_PAGERDUTY',
    'PagerDuty',
    'https://events.pagerduty.com/v2/enqueue',
    'Service, Integrations, Events API v2: PAGERDUTY_ROUTING_KEY is its integration key. A recovery resolves the incident.',
    { locked: ['PAGERDUTY_ROUTING_KEY'] },
  ),
  preset(
    'WEBHOOK_SLACK',
    'Slack',
    'https://hooks.slack.com/services/{{{SLACK_WEBHOOK}}}',
    'Your app, Incoming Webhooks: SLACK_WEBHOOK is the part of its URL after /services/.',
    { locked: ['SLACK_WEBHOOK'] },
  ),
  preset(
    'WEBHOOK_TELEGRAM',
    'Telegram',
    'https://api.telegram.org/bot{{{TELEGRAM_BOT_TOKEN}}}/sendMessage',
    'Create a bot with @BotFather: TELEGRAM_BOT_TOKEN is its token, TELEGRAM_CHAT_ID the chat, group or channel (such as @name) that the bot can write to.',
    { open: ['TELEGRAM_CHAT_ID'], locked: ['TELEGRAM_BOT_TOKEN'] },
  ),
];
