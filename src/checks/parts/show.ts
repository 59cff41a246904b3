// How results of checks without an HTTP request are presented.
import type { Evidence, EvidenceFacts, EvidenceSection, ObservedValues, PartOf } from '../show.ts';
import type { lightResult } from './schema.ts';

interface LightPart extends PartOf<typeof lightResult> {
  readonly request: object | null;
  readonly response: object | null;
}

/**
 * @param values by source of assertions; without those that are absent
 * @param comparable facts besides the address
 */
export function lightEvidence(
  { request, response, address, ...part }: LightPart,
  section: Partial<EvidenceSection>,
  values: ObservedValues['values'] | null,
  comparable: EvidenceFacts = [],
): Evidence {
  return {
    ...part,
    ...(values !== null && { observed: { values, text: null } }),
    hasResponse: response !== null,
    sections: [{ title: 'Answer', note: part.requestError, isShort: request === null, ...section }],
    comparable: [...comparable, ['Address', address]],
  };
}
