// The form of Slack channels.
import type { ChannelForm } from '../../form.ts';
import { longTailField, nameField } from '../../parts/form.ts';

export const slackForm: ChannelForm = {
  type: 'SLACK',
  isCommon: true,
  about: 'an incoming webhook of Slack, with buttons',
  start: { url: '' },
  example: { url: 'https://hooks.slack.com/services/' },
  isGrouped: true,
  target: [
    {
      path: 'config.url',
      label: 'Webhook URL',
      help: 'Of an incoming webhook in Slack. It is a secret and is shown only in part.',
      input: 'text',
      placeholder: 'https://hooks.slack.com/services/…',
      isRequired: true,
    },
    nameField('Slack'),
  ],
  sections: [
    {
      title: 'More',
      fields: [
        {
          path: 'config.channel',
          label: 'Channel',
          help: 'Only legacy webhooks and compatible servers obey it.',
          input: 'text',
          placeholder: '#ops',
        },
        longTailField,
      ],
    },
  ],
};
