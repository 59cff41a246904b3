// How results of scripts are presented.
import type { Evidence, PartOf, ScriptEvidence } from '../../show.ts';
import type { scriptResult } from './schema.ts';

type ScriptPart = PartOf<typeof scriptResult> & Pick<ScriptEvidence, 'assets'>;

/** @param ofPages what the pages of a browser reported */
export function scriptEvidence(
  part: ScriptPart,
  ofPages: Pick<ScriptEvidence, 'pageLines' | 'webVitals'> = { pageLines: [], webVitals: [] },
): Evidence {
  return {
    script: { ...part, ...ofPages },
    sections: [],
    comparable: [
      ['Failed tests', `${part.failedTests} of ${part.tests}`],
      ['Runtime', part.runtimeVersion],
    ],
  };
}
