// The form of PagerDuty channels.
import type { ChannelForm } from '../../form.ts';
import { longTailField, nameField } from '../../parts/form.ts';

export const pagerDutyForm: ChannelForm = {
  type: 'PAGERDUTY',
  about: 'opens and resolves incidents in PagerDuty',
  start: { serviceKey: '' },
  example: { serviceKey: 'key' },
  target: [
    {
      path: 'config.serviceKey',
      label: 'Integration key',
      help: 'Of an Events API v2 integration. It is a secret.',
      input: 'text',
      placeholder: '32 characters',
      isRequired: true,
    },
    nameField('PagerDuty'),
  ],
  sections: [
    {
      title: 'More',
      fields: [
        { path: 'config.account', label: 'Account', help: 'For people only.', input: 'text', placeholder: 'acme' },
        { path: 'config.serviceName', label: 'Service', help: 'For people only.', input: 'text', placeholder: 'Shop' },
        longTailField,
      ],
    },
  ],
};
