// The configuration of a webhook on the wire (spec §2.4). URL, template and the values of headers and parameters are templates.
import { z } from 'zod';
import { httpMethod, pairs, pairsShown } from '#lib/schema/bodies.ts';
import { bodyInstantText, instant, instantOf, orNull } from '#lib/schema/fields.ts';
import { secretText } from '#lib/schema/secrets.ts';

const templatePairs = pairs.describe('Values are templates.');
const text = (most: number) => z.string().max(most).nullable();

/** As it is written. */
export const webhookConfig = z
  .strictObject({
    name: orNull(z.string().max(200), () => '').default(''),
    url: z.string().min(1).max(32_768).describe('A template; must render to an http or https URL.'),
    method: httpMethod.default('POST'),
    template: text(32_768).default(null).describe('Template of the body. null = JSON of all variables.'),
    headers: templatePairs.default([]),
    queryParameters: templatePairs.default([]),
    webhookSecret: secretText(z.string().max(1000))
      .nullable()
      .exactOptional()
      .describe('Signs deliveries. Left out, or sent back masked, it stays as it is; null removes it.'),
    previousSecretUntil: bodyInstantText
      .transform((written) => new Date(instantOf(written)).toISOString())
      .nullable()
      .exactOptional()
      .describe('With a new secret: until when the old one signs, too.'),
    webhookType: text(100)
      .default(null)
      .describe('Preset it was created from: GET /v1/alert-channels/presets. Other values are stored unchanged.'),
    longTail: z.boolean().default(false).describe('After the six attempts four more: 5 min, 30 min, 2 h, 6 h.'),
  })
  .meta({ id: 'WebhookConfigWrite' });

/** As it is shown. */
export const webhookConfigShown = z
  .strictObject({
    name: z.string(),
    url: z.string(),
    method: z.string(),
    template: z.string().nullable(),
    headers: pairsShown,
    queryParameters: pairsShown,
    webhookSecret: z.string().nullable().describe('Masked; null = unsigned.'),
    previousSecretUntil: instant.nullable(),
    webhookType: z.string().nullable(),
    longTail: z.boolean(),
  })
  .meta({ id: 'WebhookConfig' });
