// Incidents of status pages that failures of checks open.
import { z } from 'zod';
import { incidentSeverities } from '#domain/status-pages/status-service.ts';
import { pathUuid } from '#lib/schema/fields.ts';

export const incidentTrigger = z
  .strictObject({
    serviceId: pathUuid('ID of a service of status pages.'),
    severity: z.enum(incidentSeverities).default('MAJOR'),
    name: z.string().trim().min(1).max(200),
    description: z.string().trim().min(1).max(5000).describe('First update. Markdown, without HTML.'),
    notifySubscribers: z.boolean().default(true),
  })
  .meta({
    id: 'IncidentTrigger',
    description:
      'An incident that is published when the check fails, and resolved when it recovers, on published pages that show the service.',
  });
