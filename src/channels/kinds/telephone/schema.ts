// Wire schema of the configurations of SMS messages and calls (reference §1).
import { z } from 'zod';
import { labelText } from '../../parts/fields.ts';

/** The schema of their `config`. @param id of the schema in responses */
function telephoneConfig(id: string) {
  return z
    .strictObject({
      name: labelText,
      number: z
        .string()
        .regex(/^\+[1-9]\d{6,14}$/, 'must be a number in E.164 form, e.g. +15551234567')
        .describe('Phone number in E.164 form.'),
    })
    .meta({ id: `${id}Write` });
}

export const smsSchema = { type: 'SMS', config: telephoneConfig('SmsConfig') } as const;
export const callSchema = { type: 'CALL', config: telephoneConfig('CallConfig') } as const;
