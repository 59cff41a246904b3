// How multi-step checks are presented.
import { scriptEvidence } from '../../parts/show.ts';
import type { CheckShow } from '../../show.ts';
import type { multiStepSchema } from './schema.ts';

export const multiStepShow: CheckShow<typeof multiStepSchema> = {
  type: 'MULTI_STEP',
  label: 'Multi-step',
  timeLabel: 'Duration',
  evidence: (part) => scriptEvidence(part),
};
