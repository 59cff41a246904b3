// The form of email channels.
import type { ChannelForm } from '../../form.ts';
import { longTailField, nameField } from '../../parts/form.ts';

export const emailForm: ChannelForm = {
  type: 'EMAIL',
  isCommon: true,
  about: 'one address; alerts of a check are one thread',
  start: { address: '' },
  example: { address: 'ops@example.com' },
  isGrouped: true,
  target: [
    { path: 'config.address', label: 'Address', input: 'text', placeholder: 'ops@example.com', isRequired: true },
    nameField('The address'),
  ],
  sections: [
    {
      title: 'Text',
      fields: [
        {
          path: 'config.subject',
          label: 'Subject',
          help: 'A template, such as {{ALERT_TITLE}}. Empty = the usual subject.',
          input: 'text',
          placeholder: 'The usual subject',
          empty: null,
          isTemplate: true,
        },
        {
          path: 'config.body',
          label: 'Body',
          help: 'A template. Empty = the usual text.',
          input: 'area',
          empty: null,
          isTemplate: true,
        },
        longTailField,
      ],
    },
  ],
};
