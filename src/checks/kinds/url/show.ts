// How URL checks are presented.
import { httpEvidence } from '../../parts/http/show.ts';
import type { CheckShow, PartOf } from '../../show.ts';
import type { urlSchema } from './schema.ts';

export const urlShow: CheckShow<PartOf<(typeof urlSchema)['result']>> = {
  type: 'URL',
  label: 'URL',
  phases: 'intervals',
  evidence: (part, format) => httpEvidence(part, format),
};
