// Wire schema of an Opsgenie configuration (reference §1).
import { z } from 'zod';
import { secretText } from '#lib/schema/secrets.ts';
import { keyText, labelText, longTail } from '../../parts/fields.ts';

export const opsgenieConfig = z
  .strictObject({
    name: labelText,
    apiKey: secretText(keyText).describe('Key of an API integration. A secret. Omit it in an update to keep it.'),
    region: z.enum(['US', 'EU']).default('US').describe('Region of the Opsgenie account.'),
    priority: z.enum(['P1', 'P2', 'P3', 'P4', 'P5']).default('P3').describe('Priority of the alerts.'),
    longTail,
  })
  .meta({ id: 'OpsgenieConfigWrite' });

export const opsgenieSchema = { type: 'OPSGENIE', config: opsgenieConfig } as const;
