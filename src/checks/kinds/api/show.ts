// How API checks are presented.
import { httpEvidence, httpRequest } from '../../parts/show.ts';
import type { CheckShow } from '../../show.ts';
import type { apiSchema } from './schema.ts';

export const apiShow: CheckShow<typeof apiSchema> = {
  type: 'API',
  label: 'API',
  phases: 'intervals',
  request: httpRequest,
  evidence: (part, format) => ({
    ...httpEvidence(part, format, [['Certificate', part.certificateProblem ?? null]]),
    logs: [
      { title: 'Output of the setup script', lines: part.jobLog?.setup ?? [] },
      { title: 'Output of the teardown script', lines: part.jobLog?.teardown ?? [] },
    ],
  }),
};
