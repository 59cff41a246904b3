// How DNS checks are presented.
import { lightEvidence } from '../../parts/show.ts';
import type { CheckShow, EvidenceText, PartOf } from '../../show.ts';
import type { dnsSchema } from './schema.ts';

type DnsPart = PartOf<(typeof dnsSchema)['result']>;

export const dnsShow: CheckShow<typeof dnsSchema> = {
  type: 'DNS',
  label: 'DNS',
  phases: 'results',
  request: ({ request: { query, recordType, nameServer, assertions } }) => ({
    target: `${query} ${recordType}${nameServer ? ` at ${nameServer}` : ''}`,
    assertions,
  }),
  evidence: (part) => {
    const { request, response, address } = part;
    const records = response && String(response.answers);
    return lightEvidence(
      part,
      {
        facts: [
          ['Request', request && `${request.query} ${request.recordType}, ${request.protocol}`],
          ['Address', address && request ? `${address}:${request.port}` : address],
          ['Response code', response && response.code],
          ['Records', records],
        ],
        texts: textsOf(response),
      },
      response && {
        RESPONSE_CODE: response.code,
        ...(response.text !== undefined && { TEXT_ANSWER: response.text }),
        ...(response.json !== undefined && { JSON_ANSWER: response.json }),
      },
      [
        ['Response code', response?.code ?? 'No response was received.'],
        ['Records', records],
      ],
    );
  },
};

function textsOf(response: DnsPart['response']): EvidenceText[] {
  const { text, json } = response ?? {};
  return [
    ...(text === undefined ? [] : [{ label: 'Records', text, isCompared: true } as const]),
    ...(json === undefined ? [] : [{ label: 'JSON', text: JSON.stringify(json, null, 2), look: 'folded' } as const]),
  ];
}
