// The form of webhooks.
import type { ChannelForm } from '../../form.ts';
import { longTailField, nameField } from '../../parts/form.ts';

const methods = ['POST', 'GET', 'PUT', 'PATCH', 'DELETE'] as const;

export const webhookForm: ChannelForm = {
  type: 'WEBHOOK',
  isCommon: true,
  about: 'an HTTP request of your own, signed, with presets for Teams, Discord, ntfy and others',
  start: { url: '' },
  example: { url: 'https://hooks.example/alerts' },
  isTemplate: true,
  rotation: { secret: 'webhookSecret', previousUntil: 'previousSecretUntil' },
  target: [
    {
      path: 'config.url',
      label: 'URL',
      help: 'A template: variables are allowed.',
      input: 'text',
      placeholder: 'https://hooks.example/alerts',
      isRequired: true,
      isTemplate: true,
    },
    nameField('Webhook'),
  ],
  sections: [
    {
      title: 'Request',
      fields: [
        { path: 'config.method', label: 'Method', input: 'choice', options: methods.map((method) => [method, method]) },
        { path: 'config.headers', label: 'Headers', input: 'pairs', noun: 'header', isTemplate: true },
        {
          path: 'config.queryParameters',
          label: 'Query parameters',
          input: 'pairs',
          noun: 'parameter',
          isTemplate: true,
        },
        {
          path: 'config.template',
          label: 'Body',
          help: 'A template. Empty = all variables as JSON.',
          input: 'area',
          placeholder: '{"text": {{json ALERT_TITLE}} }',
          empty: null,
          isTemplate: true,
        },
        {
          path: 'config.webhookSecret',
          label: 'Secret',
          help: 'Signs each delivery. Empty = unsigned.',
          input: 'text',
          placeholder: 'None',
          empty: null,
        },
        longTailField,
      ],
    },
  ],
};
