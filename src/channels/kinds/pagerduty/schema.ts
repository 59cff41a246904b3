// Wire schema of a PagerDuty configuration (reference §1).
import { z } from 'zod';
import { secretText } from '#lib/schema/secrets.ts';
import { keyText, labelText, longTail } from '../../parts/fields.ts';

export const pagerDutyConfig = z
  .strictObject({
    name: labelText,
    account: labelText.describe('Name of the PagerDuty account. For people only.'),
    serviceName: labelText.describe('Name of the PagerDuty service. For people only.'),
    serviceKey: secretText(keyText).describe(
      'Integration key of an Events API v2 integration. A secret. Omit it in an update to keep it.',
    ),
    longTail,
  })
  .meta({ id: 'PagerDutyConfigWrite' });

export const pagerDutySchema = { type: 'PAGERDUTY', config: pagerDutyConfig } as const;
