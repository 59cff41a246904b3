// How browser checks are presented.
import { scriptEvidence } from '../../parts/show.ts';
import type { CheckShow } from '../../show.ts';
import type { browserSchema } from './schema.ts';

export const browserShow: CheckShow<typeof browserSchema> = {
  type: 'BROWSER',
  label: 'Browser',
  timeLabel: 'Duration',
  evidence: (part) => {
    const errors = (part.pageErrors ?? []).map((line) => ({ ...line, level: 'error' }));
    const pageLines = [...errors, ...(part.console ?? [])].toSorted((one, other) => one.time - other.time);
    return scriptEvidence(part, { pageLines, webVitals: part.webVitals });
  },
};
