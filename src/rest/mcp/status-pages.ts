// Tools about status pages: what they show now, and the draft of an incident, which a person publishes.
import { z } from 'zod';
import { incidentSeverities } from '#domain/status-pages/status-service.ts';
import { picked, tool } from './tool.ts';

export const listStatusPages = tool(
  {
    name: 'list_status_pages',
    title: 'List status pages',
    description:
      'Lists the status pages of the account with their services and the states that customers see, and the open incidents with their updates, drafts included.',
    permission: 'read',
  },
  z.strictObject({}),
  async ({ call, pageUrl }) => {
    const query = { limit: 100 };
    const pages = (await call('listStatusPages', { query })).body.entries;
    const services = (await call('listStatusServices', { query })).body;
    const incidents = (await call('listStatusIncidents', { query: { ...query, isOpen: true } })).body.entries;
    return {
      lead: 'The status pages, their services and the open incidents.',
      data: {
        openIncidents: incidents.map((incident) => ({
          ...picked(incident, ['id', 'name', 'severity', 'lastUpdateStatus', 'isDraft', 'isProposed', 'startedAt']),
          services: incident.services.map(({ name }) => name),
          updates: incident.incidentUpdates.map((update) => picked(update, ['status', 'description', 'created_at'])),
          page: pageUrl(`/status-pages/incidents/${incident.id}`),
        })),
        pages: pages.map((page) => ({
          ...picked(page, ['id', 'name', 'isPublished', 'visibility']),
          services: page.cards.flatMap((card) => card.services.map(({ name }) => name)),
          page: pageUrl(`/status-pages/${page.id}`),
        })),
        services: services.entries.map((service) => ({
          serviceId: service.id,
          ...picked(service, ['name', 'state', 'checkIds', 'groupIds', 'tags']),
        })),
        hasMoreServices: services.nextId !== null,
      },
    };
  },
);

export const draftIncident = tool(
  {
    name: 'draft_incident',
    title: 'Draft an incident',
    description:
      'Saves an incident of status pages as a draft, which only the account sees. A person reads and publishes it. Write for customers: no names of hosts, checks or people, and no error text.',
    permission: 'write',
  },
  z.strictObject({
    name: z.string().min(1).max(200).describe('Title.'),
    description: z.string().min(1).max(10_000).describe('First update, as Markdown without HTML.'),
    severity: z.enum(incidentSeverities).default('MAJOR'),
    serviceIds: z.array(z.uuid()).max(100).default([]).describe('Services that it affects, of list_status_pages.'),
    startedAt: z.iso.datetime({ offset: true }).exactOptional().describe('When it began. Default: now.'),
  }),
  async ({ call, pageUrl }, { description, serviceIds, ...incident }) => {
    const incidentUpdates = [{ status: 'INVESTIGATING' as const, description }];
    const body = { ...incident, services: serviceIds, isDraft: true, incidentUpdates };
    const { body: draft } = await call('createStatusIncident', { body });
    return {
      lead: 'Saved as a draft. Give a person the address of the page to read and publish it.',
      data: {
        ...picked(draft, ['id', 'name', 'severity', 'isDraft', 'startedAt']),
        page: pageUrl(`/status-pages/incidents/${draft.id}`),
      },
    };
  },
);
