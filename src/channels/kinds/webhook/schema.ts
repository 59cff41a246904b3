// Wire schema of a webhook configuration (spec §2.4). The URL, body and values of headers and parameters are templates.
import { z } from 'zod';
import { httpMethod, pairs } from '#lib/schema/bodies.ts';
import { bodyInstantText, instant, instantOf } from '#lib/schema/fields.ts';
import { secretText } from '#lib/schema/secrets.ts';
import { showAs } from '#lib/schema/shown.ts';
import { labelText, longTail } from '../../parts/fields.ts';

const templatePairs = pairs.describe('Values are templates.');
const text = (max: number) => z.string().max(max).nullable();

export const webhookConfig = z
  .strictObject({
    name: labelText,
    url: z.string().min(1).max(32_768).describe('Template. Must render to an http or https URL.'),
    method: httpMethod.default('POST'),
    template: text(32_768).default(null).describe('Body template. null sends all variables as JSON.'),
    headers: templatePairs.default([]),
    queryParameters: templatePairs.default([]),
    webhookSecret: showAs(
      secretText(z.string().max(1000))
        .nullable()
        .exactOptional()
        .describe('Secret that signs deliveries. Omit it or send the masked value to keep it; null removes it.'),
      z.string().nullable().describe('Masked; null = unsigned.'),
    ),
    previousSecretUntil: showAs(
      bodyInstantText
        .transform((written) => new Date(instantOf(written)).toISOString())
        .nullable()
        .exactOptional()
        .describe('Time until which the previous secret also signs deliveries after a rotation.'),
      instant.nullable(),
    ),
    webhookType: text(100)
      .default(null)
      .describe('Preset the channel was created from, see GET /v1/alert-channels/presets. Other values are allowed.'),
    longTail,
  })
  .meta({ id: 'WebhookConfigWrite' });

export const webhookSchema = { type: 'WEBHOOK', config: webhookConfig } as const;
