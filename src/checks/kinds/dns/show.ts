// How DNS checks are presented.
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
  evidence: ({ request, response, address, ...part }) => ({
    ...part,
    hasResponse: response !== null,
    sections: [
      {
        title: 'Answer',
        note: part.requestError,
        facts: [
          ['Request', request && `${request.query} ${request.recordType}, ${request.protocol}`],
          ['Address', address && request ? `${address}:${request.port}` : address],
          ['Response code', response && response.code],
          ['Records', response && String(response.answers)],
        ],
        texts: textsOf(response),
        isShort: request === null,
      },
    ],
    comparable: [
      ['Response code', response?.code ?? 'No response was received.'],
      ['Records', response && String(response.answers)],
      ['Address', address],
    ],
  }),
};

function textsOf(response: DnsPart['response']): EvidenceText[] {
  const { text, json } = response ?? {};
  return [
    ...(text === undefined ? [] : [{ label: 'Records', text, isCompared: true } as const]),
    ...(json === undefined ? [] : [{ label: 'JSON', text: JSON.stringify(json, null, 2), look: 'folded' } as const]),
  ];
}
