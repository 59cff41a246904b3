// The form of the made-up channel kind.
import type { ChannelForm } from '#channels/form.ts';

export const lineForm: ChannelForm = {
  type: 'LINE',
  about: 'prints alerts on paper',
  start: {},
  example: { address: 'printer:9', password: 'none' },
  target: [
    { path: 'config.address', label: 'Printer', input: 'text', isRequired: true },
    { path: 'config.password', label: 'Password', input: 'text', isRequired: true },
  ],
  sections: [],
};
