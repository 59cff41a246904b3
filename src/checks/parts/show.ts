// How results of checks without an HTTP request are presented.
import type { Evidence, EvidenceFacts, EvidenceSection, PartOf } from '../show.ts';
import type { lightResult } from './schema.ts';

interface LightPart extends PartOf<typeof lightResult> {
  readonly request: object | null;
  readonly response: object | null;
}

/** @param comparable facts besides the address */
export function lightEvidence(
  { request, response, address, ...part }: LightPart,
  section: Partial<EvidenceSection>,
  comparable: EvidenceFacts = [],
): Evidence {
  return {
    ...part,
    hasResponse: response !== null,
    sections: [{ title: 'Answer', note: part.requestError, isShort: request === null, ...section }],
    comparable: [...comparable, ['Address', address]],
  };
}
