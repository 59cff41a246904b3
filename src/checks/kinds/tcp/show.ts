// How TCP checks are presented.
import { hostAndPort } from '#lib/net/host-and-port.ts';
import { lightEvidence } from '../../parts/show.ts';
import type { CheckShow, EvidenceText, PartOf } from '../../show.ts';
import type { tcpSchema } from './schema.ts';

export const tcpShow: CheckShow<typeof tcpSchema> = {
  type: 'TCP',
  label: 'TCP',
  phases: 'results',
  request: ({ request }) => ({ ...request, target: hostAndPort(request.hostname, request.port) }),
  evidence: (part, { bytes }) => {
    const { request, response, address } = part;
    return lightEvidence(part, {
      facts: [
        ['Request', request && `${request.hostname}:${request.port}`],
        ['Address', address],
        ['Size', response && bytes(response.bytes)],
      ],
      texts: [{ label: 'Sent', text: request?.data ?? '', look: 'titled' }, ...receivedText(response)],
    });
  },
};

function receivedText(response: PartOf<(typeof tcpSchema)['result']>['response']): EvidenceText[] {
  if (response?.data === undefined) return [];
  return [
    { label: 'Received', text: response.data, look: 'titled', isTruncated: response.truncated, isCompared: true },
  ];
}
