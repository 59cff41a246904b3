// How URL checks are presented.
import { httpEvidence, httpRequest } from '../../parts/show.ts';
import type { CheckShow } from '../../show.ts';
import type { urlSchema } from './schema.ts';

export const urlShow: CheckShow<typeof urlSchema> = {
  type: 'URL',
  label: 'URL',
  phases: 'intervals',
  request: httpRequest,
  evidence: (part, format) => httpEvidence(part, format),
};
