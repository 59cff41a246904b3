// Wire schema of an email configuration. Subject and body are templates.
import { z } from 'zod';
import { labelText, longTail } from '../../parts/fields.ts';
import { readAddress } from './config.ts';

const text = (max: number) => z.string().max(max).nullable();

export const emailConfig = z
  .strictObject({
    name: labelText,
    address: z
      .string()
      .min(1)
      .max(500)
      .transform((written, context) => {
        const read = readAddress(written);
        if ('address' in read) return read.address;
        context.addIssue({ code: 'custom', message: read.problem });
        return z.NEVER;
      })
      .describe('One email address, without a name. Create a channel for each address.'),
    subject: text(1000).default(null).describe('Subject template. null = the default subject.'),
    body: text(32_768)
      .default(null)
      .describe('Body template. Its text is sent as plain text and as HTML. null = the default body.'),
    longTail,
  })
  .meta({ id: 'EmailConfigWrite' });

export const emailSchema = { type: 'EMAIL', config: emailConfig } as const;
