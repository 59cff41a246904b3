// The forms of SMS and call channels.
import type { ChannelForm } from '../../form.ts';
import { nameField } from '../../parts/form.ts';

function telephoneForm(type: string, about: string): ChannelForm {
  return {
    type,
    about,
    start: { number: '' },
    example: { number: '+15551234567' },
    isGrouped: true,
    target: [
      {
        path: 'config.number',
        label: 'Phone number',
        help: 'With the country code.',
        input: 'text',
        placeholder: '+15551234567',
        isRequired: true,
      },
      nameField('The number'),
    ],
    sections: [],
  };
}

export const smsForm = telephoneForm('SMS', 'a short text to a phone');
export const callForm = telephoneForm('CALL', 'a call that reads the alert');
