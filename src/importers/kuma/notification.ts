// Uptime Kuma: a notification to alert channels.
import { addAddresses, addChannel, type ChannelFacts, telegramChannel, type WebhookPreset } from '../channels.ts';
import { nameOf } from '../check-parts.ts';
import type { Draft } from '../imported.ts';
import { type Foreign, jsonOf, jsonPairs, objectOf, textOf } from '../values.ts';

/** The facts of a configuration, and what is left out of it. */
type Reader = (config: Foreign, notes: string[]) => ChannelFacts | null;

const after = (url: string, prefix: RegExp): string => (prefix.test(url) ? url.replace(prefix, '') : '');

/** By `type` of the configuration. Fields are those of the providers in Uptime Kuma's sources. */
const readers: Readonly<Record<string, Reader>> = {
  slack: (config) => ({
    type: 'SLACK',
    url: textOf(config['slackwebhookURL']),
    channel: textOf(config['slackchannel']),
  }),
  PagerDuty: (config) => ({ type: 'PAGERDUTY', serviceKey: textOf(config['pagerdutyIntegrationKey']) }),
  Opsgenie: (config) => ({
    type: 'OPSGENIE',
    apiKey: textOf(config['opsgenieApiKey']),
    region: textOf(config['opsgenieRegion']),
    priority: `P${textOf(config['opsgeniePriority']) || '3'}`,
  }),
  webhook: (config, notes) => {
    notes.push('the body of its messages differs: adapt the template or the receiver');
    return {
      type: 'WEBHOOK',
      url: textOf(config['webhookURL']),
      method: textOf(config['httpMethod']).toUpperCase() === 'GET' ? 'GET' : 'POST',
      headers: jsonPairs(textOf(config['webhookAdditionalHeaders']), notes),
    };
  },
  discord: (config, notes) => {
    if (textOf(config['threadId']) !== '')
      notes.push('its thread is left out: messages go to the channel of the webhook');
    const webhook = after(
      textOf(config['discordWebhookUrl']),
      /^https:\/\/(?:\w+\.)?discord(?:app)?\.com\/api\/webhooks\//i,
    );
    return { type: 'PRESET', webhookType: 'WEBHOOK_DISCORD', variables: { DISCORD_WEBHOOK: webhook } };
  },
  telegram: (config, notes) => {
    if (textOf(config['telegramMessageThreadID']) !== '') notes.push('its topic is left out: messages go to the chat');
    return telegramChannel({
      token: textOf(config['telegramBotToken']),
      chat: textOf(config['telegramChatID']),
      server: textOf(config['telegramServerUrl']),
      notes,
    });
  },
  ntfy: (config, notes) => {
    const server = textOf(config['ntfyserverurl']).replace(/\/+$/, '');
    if (server !== 'https://ntfy.sh' || !['', 'none'].includes(textOf(config['ntfyAuthenticationMethod']))) {
      notes.push('only ntfy.sh without a login is carried over; create a channel from the ntfy preset');
      return null;
    }
    return { type: 'PRESET', webhookType: 'WEBHOOK_NTFY', variables: { NTFY_TOPIC: textOf(config['ntfytopic']) } };
  },
};

/** @returns the logical IDs of its channels; none = not carried over, and a row says why */
export function addNotification(draft: Draft, row: Foreign, presets: readonly WebhookPreset[]): readonly string[] {
  const id = textOf(row['id']);
  const config = objectOf(jsonOf(textOf(row['config'])));
  const kind = textOf(config['type']) || 'notification';
  const name = nameOf(textOf(row['name']) || textOf(config['name']), `Notification ${id}`);
  const source = { from: name, kind };
  if (kind === 'smtp') {
    const copies = textOf(config['smtpCC']) + textOf(config['smtpBCC']);
    const notes = [
      'its mail server is not carried over: Tocsin sends through the one that the operator has set',
      ...(copies === '' ? [] : ['copies (Cc, Bcc) are left out']),
    ];
    return addAddresses(draft, `notification-${id}`, name, textOf(config['smtpTo']), source, notes);
  }
  const read = Object.hasOwn(readers, kind) ? readers[kind] : undefined;
  const notes = read === undefined ? ['no channel of this kind: create one from the presets, or a webhook'] : [];
  const facts = read?.(config, notes) ?? null;
  return addChannel(draft, `notification-${id}`, name, facts, source, presets, notes);
}
