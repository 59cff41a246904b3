// The tool that acknowledges the incident of a check.
import { z } from 'zod';
import { checkId } from './results.ts';
import { picked, tool } from './tool.ts';

export const acknowledge = tool(
  {
    name: 'acknowledge',
    title: 'Acknowledge a failure',
    description:
      'Acknowledges the open incident of a check, which stops its reminders until the state of the check changes. Ask a person first: an acknowledgement says that somebody is working on the failure.',
    permission: 'write',
  },
  z.strictObject({ checkId }),
  async ({ call }, { checkId }) => {
    const { incidentId } = (await call('getCheckStatus', { params: { checkId } })).body;
    if (incidentId === null) return { lead: 'The check has no open incident.', data: null };
    const { firstAlertId } = (await call('getIncident', { params: { id: incidentId } })).body;
    const { body } = await call('acknowledgeAlert', { params: { alertId: firstAlertId } });
    const about = ['id', 'kind', 'startedAt', 'acknowledgedAt', 'acknowledgedBy'] as const;
    return { lead: 'Acknowledged. The first acknowledgement of an incident counts.', data: picked(body, about) };
  },
);
