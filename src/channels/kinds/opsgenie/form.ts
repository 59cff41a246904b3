// The form of Opsgenie channels.
import type { ChannelForm } from '../../form.ts';
import { longTailField, nameField } from '../../parts/form.ts';

const regions = ['US', 'EU'] as const;
const priorities = ['P3', 'P1', 'P2', 'P4', 'P5'] as const;

export const opsgenieForm: ChannelForm = {
  type: 'OPSGENIE',
  about: 'opens and closes alerts in Opsgenie',
  start: { apiKey: '', region: 'US' },
  example: { apiKey: 'key' },
  target: [
    {
      path: 'config.apiKey',
      label: 'API key',
      help: 'Of an API integration. It is a secret.',
      input: 'text',
      placeholder: 'xxxxxxxx-xxxx-…',
      isRequired: true,
    },
    { path: 'config.region', label: 'Region', input: 'choice', options: regions.map((region) => [region, region]) },
    nameField('Opsgenie'),
  ],
  sections: [
    {
      title: 'More',
      fields: [
        {
          path: 'config.priority',
          label: 'Priority',
          input: 'choice',
          options: priorities.map((priority) => [priority, priority]),
        },
        longTailField,
      ],
    },
  ],
};
