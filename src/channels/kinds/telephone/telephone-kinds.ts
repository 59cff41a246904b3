// The channels for SMS messages and calls, through services that the operator sets up.
import type { ChannelKind } from '../../kind.ts';
import { renderCall, renderCallDigest, renderSms, renderSmsDigest } from './render.ts';
import { callSchema, smsSchema } from './schema.ts';

export const smsKind = {
  ...smsSchema,
  quota: 'telephone',
  templatesOf: () => [],
  missing: ({ sms }) => (sms === null ? 'SMS messages are not set up: the operator must set TOCSIN_SMS_URL' : null),
  isSuperseded: true,
  render: renderSms,
  isGrouped: () => true,
  isBrief: true,
  renderDigest: renderSmsDigest,
  loadSender: async () => {
    const { createTelephoneSender } = await import('./send.ts');
    return (options) => createTelephoneSender(options, options.gateways.sms, 'SMS messages');
  },
} as const satisfies ChannelKind;

export const callKind = {
  ...callSchema,
  quota: 'telephone',
  templatesOf: () => [],
  missing: ({ call }) => (call === null ? 'Calls are not set up: the operator must set TOCSIN_CALL_URL' : null),
  isSuperseded: true,
  render: renderCall,
  isGrouped: () => true,
  isBrief: true,
  renderDigest: renderCallDigest,
  loadSender: async () => {
    const { createTelephoneSender } = await import('./send.ts');
    return (options) => createTelephoneSender(options, options.gateways.call, 'calls');
  },
} as const satisfies ChannelKind;
