// Ready-made templates for common receivers, by `webhookType` (decisions: Presets).
import type { ChannelKind } from '../../kind.ts';
import type { Pair } from './config.ts';
import { chatTemplates } from './preset-chat.ts';
import { pagingTemplates } from './preset-paging.ts';
import { pushTemplates } from './preset-push.ts';

type Preset = NonNullable<ChannelKind['presets']>[number];

const templates = { ...chatTemplates, ...pagingTemplates, ...pushTemplates };

/** Whether the messages of a preset appear in a chat or on a phone. Paging services and logs take every alert. */
export function isReadByPeople(webhookType: unknown): boolean {
  const { WEBHOOK_CORALOGIX: _log, ...read } = { ...chatTemplates, ...pushTemplates };
  return typeof webhookType === 'string' && Object.hasOwn(read, webhookType);
}

const contentType = (value: string): Pair => ({ key: 'content-type', value, locked: false });
const authorization = (value: string): Pair => ({ key: 'authorization', value, locked: true });

function preset(
  webhookType: keyof typeof templates,
  name: string,
  url: string,
  note: string,
  more: {
    readonly method?: string;
    readonly type?: string;
    readonly headers?: readonly Pair[];
    readonly open?: readonly string[];
    readonly locked?: readonly string[];
  } = {},
): Preset {
  const { method = 'POST', type = 'application/json', headers = [], open = [], locked = [] } = more;
  return {
    webhookType,
    name,
    note,
    variables: [...open.map((key) => ({ key, locked: false })), ...locked.map((key) => ({ key, locked: true }))],
    config: {
      name,
      webhookType,
      url,
      method,
      headers: [contentType(type), ...headers],
      queryParameters: [],
      template: templates[webhookType],
      // An alert should arrive even after an outage of the chat service.
      longTail: true,
    },
  };
}

const formType = 'application/x-www-form-urlencoded';

/** All presets, by `webhookType`. */
export const presets: readonly Preset[] = [
  preset(
    'WEBHOOK_APPRISE',
    'Apprise API',
    'https://{{{APPRISE_HOST}}}/notify/{{{APPRISE_KEY}}}',
    'Save the services to notify under a key of your Apprise API server: APPRISE_HOST is the server, APPRISE_KEY the key.',
    { open: ['APPRISE_HOST'], locked: ['APPRISE_KEY'] },
  ),
  preset(
    'WEBHOOK_CORALOGIX',
    'Coralogix',
    'https://ingress.{{{CORALOGIX_DOMAIN}}}/logs/v1/singles',
    'CORALOGIX_DOMAIN is the domain of your team, such as eu2.coralogix.com. CORALOGIX_API_KEY is a Send-Your-Data API key. Each alert becomes a log entry.',
    {
      headers: [authorization('Bearer {{{CORALOGIX_API_KEY}}}')],
      open: ['CORALOGIX_DOMAIN'],
      locked: ['CORALOGIX_API_KEY'],
    },
  ),
  preset(
    'WEBHOOK_DISCORD',
    'Discord',
    'https://discord.com/api/webhooks/{{{DISCORD_WEBHOOK}}}',
    'Channel settings, Integrations, Webhooks: DISCORD_WEBHOOK is the part of its URL after /api/webhooks/.',
    { locked: ['DISCORD_WEBHOOK'] },
  ),
  preset(
    'WEBHOOK_FIREHYDRANT',
    'FireHydrant',
    'https://signals.firehydrant.com/v1/process/{{{FIREHYDRANT_KEY}}}',
    'Signals, Event sources, Webhook: FIREHYDRANT_KEY is the part of the URL after /v1/process/. A recovery closes the alert.',
    { locked: ['FIREHYDRANT_KEY'] },
  ),
  preset(
    'WEBHOOK_GITLAB_ALERT',
    'GitLab alerts',
    '{{{GITLAB_ALERT_URL}}}',
    'Settings, Monitor, Alerts, HTTP Endpoint: GITLAB_ALERT_URL is its webhook URL, GITLAB_ALERT_KEY its authorization key. A recovery resolves the alert.',
    {
      headers: [authorization('Bearer {{{GITLAB_ALERT_KEY}}}')],
      open: ['GITLAB_ALERT_URL'],
      locked: ['GITLAB_ALERT_KEY'],
    },
  ),
  preset(
    'WEBHOOK_GOOGLECHAT',
    'Google Chat',
    'https://chat.googleapis.com/v1/spaces/{{{GOOGLE_CHAT_WEBHOOK}}}',
    'Space settings, Apps & integrations, Webhooks: GOOGLE_CHAT_WEBHOOK is the part of its URL after /v1/spaces/, key and token included.',
    { locked: ['GOOGLE_CHAT_WEBHOOK'] },
  ),
  preset(
    'WEBHOOK_GOTIFY',
    'Gotify',
    'https://{{{GOTIFY_HOST}}}/message',
    'Apps, Create application: GOTIFY_HOST is your server, GOTIFY_TOKEN the token of the application.',
    {
      headers: [{ key: 'x-gotify-key', value: '{{{GOTIFY_TOKEN}}}', locked: true }],
      open: ['GOTIFY_HOST'],
      locked: ['GOTIFY_TOKEN'],
    },
  ),
  preset(
    'WEBHOOK_ILERT',
    'ilert',
    'https://api.ilert.com/api/events',
    'Alert sources, API: ILERT_INTEGRATION_KEY is its integration key. A recovery resolves the alert.',
    { locked: ['ILERT_INTEGRATION_KEY'] },
  ),
  preset(
    'WEBHOOK_INCIDENTIO',
    'incident.io',
    'https://api.incident.io/v2/alert_events/http/{{{INCIDENTIO_ALERT_SOURCE}}}',
    'Alerts, Sources, HTTP: INCIDENTIO_ALERT_SOURCE is the last part of its URL, INCIDENTIO_TOKEN its bearer token.',
    {
      headers: [authorization('Bearer {{{INCIDENTIO_TOKEN}}}')],
      open: ['INCIDENTIO_ALERT_SOURCE'],
      locked: ['INCIDENTIO_TOKEN'],
    },
  ),
  preset(
    'WEBHOOK_MATRIX',
    'Matrix',
    'https://{{{MATRIX_HOST}}}/_matrix/client/v3/rooms/{{urlencode MATRIX_ROOM_ID}}/send/m.room.message/{{{DELIVERY_ID}}}',
    'Invite a user of your own for alerts to the room: MATRIX_HOST is its homeserver, MATRIX_TOKEN its access token, MATRIX_ROOM_ID the internal room ID from the room settings.',
    {
      method: 'PUT',
      headers: [authorization('Bearer {{{MATRIX_TOKEN}}}')],
      open: ['MATRIX_HOST', 'MATRIX_ROOM_ID'],
      locked: ['MATRIX_TOKEN'],
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
      headers: [authorization('GenieKey {{{OPSGENIE_API_KEY}}}')],
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
    'WEBHOOK_PUSHOVER',
    'Pushover',
    'https://api.pushover.net/1/messages.json',
    'Create an application: PUSHOVER_TOKEN is its API token, PUSHOVER_USER your user key or a group key. Failures have high priority.',
    { type: formType, locked: ['PUSHOVER_TOKEN', 'PUSHOVER_USER'] },
  ),
  preset(
    'WEBHOOK_ROCKETCHAT',
    'Rocket.Chat',
    'https://{{{ROCKETCHAT_HOST}}}/hooks/{{{ROCKETCHAT_WEBHOOK}}}',
    'Workspace, Integrations, Incoming: ROCKETCHAT_HOST is your server, ROCKETCHAT_WEBHOOK the part of the webhook URL after /hooks/.',
    { open: ['ROCKETCHAT_HOST'], locked: ['ROCKETCHAT_WEBHOOK'] },
  ),
  preset(
    'WEBHOOK_ROOTLY',
    'Rootly',
    'https://webhooks.rootly.com/webhooks/incoming/generic_webhooks/notify/{{{ROOTLY_TARGET}}}',
    'Alerts, Sources, Generic Webhook: ROOTLY_TARGET is the part of its URL after /notify/ (type and ID), ROOTLY_SECRET its secret. Map external_id as the identifier, title, description and external_url, and resolve alerts whose state is resolved.',
    {
      headers: [authorization('Bearer {{{ROOTLY_SECRET}}}')],
      open: ['ROOTLY_TARGET'],
      locked: ['ROOTLY_SECRET'],
    },
  ),
  preset(
    'WEBHOOK_SLACK',
    'Slack',
    'https://hooks.slack.com/services/{{{SLACK_WEBHOOK}}}',
    'Your app, Incoming Webhooks: SLACK_WEBHOOK is the part of its URL after /services/.',
    { locked: ['SLACK_WEBHOOK'] },
  ),
  preset(
    'WEBHOOK_SPIKESH',
    'Spike.sh',
    'https://hooks.spike.sh/{{{SPIKESH_TOKEN}}}/push-events',
    'Integrations, Webhook: SPIKESH_TOKEN is the part of its URL between hooks.spike.sh/ and /push-events. A recovery resolves the incident.',
    { locked: ['SPIKESH_TOKEN'] },
  ),
  preset(
    'WEBHOOK_SPLUNK',
    'Splunk On-Call',
    'https://alert.victorops.com/integrations/generic/20131114/alert/{{{SPLUNK_API_KEY}}}/{{{SPLUNK_ROUTING_KEY}}}',
    'Integrations, REST Generic: SPLUNK_API_KEY is the part of its URL after /alert/, SPLUNK_ROUTING_KEY a routing key of your team. A recovery resolves the incident.',
    { open: ['SPLUNK_ROUTING_KEY'], locked: ['SPLUNK_API_KEY'] },
  ),
  preset(
    'WEBHOOK_TELEGRAM',
    'Telegram',
    'https://api.telegram.org/bot{{{TELEGRAM_BOT_TOKEN}}}/sendMessage',
    'Create a bot with @BotFather: TELEGRAM_BOT_TOKEN is its token, TELEGRAM_CHAT_ID the chat, group or channel (such as @name) that the bot can write to.',
    { open: ['TELEGRAM_CHAT_ID'], locked: ['TELEGRAM_BOT_TOKEN'] },
  ),
  preset(
    'WEBHOOK_TWILIO',
    'Twilio SMS',
    'https://{{urlencode TWILIO_ACCOUNT_SID}}:{{urlencode TWILIO_AUTH_TOKEN}}@api.twilio.com/2010-04-01/Accounts/{{urlencode TWILIO_ACCOUNT_SID}}/Messages.json',
    'Console: TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN of your account. TWILIO_FROM is one of your numbers and TWILIO_TO the recipient, both as +15550100.',
    { type: formType, open: ['TWILIO_ACCOUNT_SID', 'TWILIO_FROM', 'TWILIO_TO'], locked: ['TWILIO_AUTH_TOKEN'] },
  ),
  preset(
    'WEBHOOK_ZULIP',
    'Zulip',
    'https://{{urlencode ZULIP_BOT_EMAIL}}:{{urlencode ZULIP_API_KEY}}@{{{ZULIP_HOST}}}/api/v1/messages',
    'Settings, Bots: ZULIP_BOT_EMAIL and ZULIP_API_KEY of a bot that is subscribed to the channel. ZULIP_HOST is your server, ZULIP_CHANNEL the name of the channel. Each check has its own topic.',
    { type: formType, open: ['ZULIP_BOT_EMAIL', 'ZULIP_HOST', 'ZULIP_CHANNEL'], locked: ['ZULIP_API_KEY'] },
  ),
];
