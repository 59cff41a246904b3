// How TCP checks are presented.
import { hostAndPort } from '#lib/net/host-and-port.ts';
import type { CheckShow } from '../../show.ts';
import type { tcpSchema } from './schema.ts';

export const tcpShow: CheckShow<typeof tcpSchema> = {
  type: 'TCP',
  label: 'TCP',
  phases: 'results',
  request: ({ request }) => ({ ...request, target: hostAndPort(request.hostname, request.port) }),
  evidence: ({ request, response, address, ...part }, { bytes }) => ({
    ...part,
    hasResponse: response !== null,
    sections: [
      {
        title: 'Answer',
        note: part.requestError,
        facts: [
          ['Request', request && `${request.hostname}:${request.port}`],
          ['Address', address],
          ['Size', response && bytes(response.bytes)],
        ],
        texts: [
          { label: 'Sent', text: request?.data ?? '', look: 'titled' },
          ...(response?.data === undefined
            ? []
            : ([
                {
                  label: 'Received',
                  text: response.data,
                  look: 'titled',
                  isTruncated: response.truncated,
                  isCompared: true,
                },
              ] as const)),
        ],
        isShort: request === null,
      },
    ],
    comparable: [['Address', address]],
  }),
};
