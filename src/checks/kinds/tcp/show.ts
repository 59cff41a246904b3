// How TCP checks are presented.
import { hostAndPort } from '#lib/net/host-and-port.ts';
import { lightEvidence } from '../../parts/show.ts';
import type { CheckShow, EvidenceSection, EvidenceText, PartOf } from '../../show.ts';
import type { tcpSchema } from './schema.ts';

export const tcpShow: CheckShow<typeof tcpSchema> = {
  type: 'TCP',
  label: 'TCP',
  phases: 'results',
  request: ({ request }) => ({ ...request, target: hostAndPort(request.hostname, request.port) }),
  evidence: (part, { bytes }) => {
    const { request, response, address } = part;
    const section: Partial<EvidenceSection> = {
      facts: [
        ['Request', request && `${request.hostname}:${request.port}`],
        ['Address', address],
        ['Size', response && bytes(response.bytes)],
      ],
      texts: [{ label: 'Sent', text: request?.data ?? '', look: 'titled' }, ...receivedText(response)],
    };
    const isWhole = response?.data !== undefined && !response.truncated;
    return lightEvidence(part, section, isWhole ? { RESPONSE_DATA: response.data } : null);
  },
};

function receivedText(response: PartOf<(typeof tcpSchema)['result']>['response']): EvidenceText[] {
  if (response?.data === undefined) return [];
  return [
    { label: 'Received', text: response.data, look: 'titled', isTruncated: response.truncated, isCompared: true },
  ];
}
