// Every kind of alert channel.
import {
  EmailAlertChannel,
  IncidentioAlertChannel,
  MSTeamsAlertChannel,
  OpsgenieAlertChannel,
  PagerdutyAlertChannel,
  PhoneCallAlertChannel,
  SlackAlertChannel,
  SmsAlertChannel,
  TelegramAlertChannel,
  WebhookAlertChannel,
} from 'checkly/constructs';

export const email = new EmailAlertChannel('email', { address: 'ops@example.com', sendDegraded: true });
export const webhook = new WebhookAlertChannel('webhook', {
  name: 'Hook',
  url: 'https://hooks.example.com/{{CHECK_ID}}',
  method: 'POST',
  template: '{"check": "{{CHECK_NAME}}"}',
  headers: [{ key: 'x-team', value: 'shop' }],
  queryParameters: [{ key: 'from', value: 'tocsin' }],
  webhookSecret: 'a secret of the webhook',
  sslExpiry: true,
  sslExpiryThreshold: 14,
});

new SlackAlertChannel('slack', { url: 'https://hooks.slack.com/services/T/B/x', channel: '#ops' });
new SmsAlertChannel('sms', { name: 'On call', phoneNumber: '+4915112345678' });
new PhoneCallAlertChannel('call', { name: 'On call', phoneNumber: '+4915112345678' });
new OpsgenieAlertChannel('opsgenie', { name: 'Ops', apiKey: 'a-key-of-opsgenie', region: 'EU', priority: 'P2' });
new PagerdutyAlertChannel('pagerduty', { serviceName: 'Shop', serviceKey: '0123456789abcdef0123456789abcdef' });
new MSTeamsAlertChannel('teams', { name: 'Teams', url: 'https://teams.example.com/hook' });
new TelegramAlertChannel('telegram', { name: 'Telegram', apiKey: '1:token', chatId: '42' });
new IncidentioAlertChannel('incidentio', { name: 'Incidents', url: 'https://api.incident.example/x', apiKey: 'key' });
