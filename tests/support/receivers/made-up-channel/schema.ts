// The schema of a made-up kind of channel.
import { z } from 'zod';
import { secretText } from '#lib/schema/secrets.ts';

export const lineSchema = {
  type: 'LINE',
  config: z
    .strictObject({
      name: z.string().max(200).default(''),
      address: z.string().regex(/^[^:]+:\d+$/, 'must be a host and a port'),
      text: z.string().max(1000).default('{{ALERT_TYPE}} {{CHECK_NAME}}'),
      password: secretText(z.string().min(1).max(100)),
    })
    .meta({ id: 'LineConfigWrite' }),
} as const;
