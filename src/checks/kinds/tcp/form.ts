// The form of TCP checks.
import type { CheckForm } from '../../form.ts';
import { assertionField, familyField, hostField, responseTimeFields } from '../../parts/form.ts';

export const tcpForm: CheckForm = {
  type: 'TCP',
  label: 'TCP',
  about: 'connects to a port, and checks what it sends',
  hasInterval: true,
  shortestInterval: 10,
  start: { request: { hostname: '', port: 443 } },
  target: [hostField('request', 'redis.example'), { path: 'request.port', label: 'Port', input: 'number' }],
  sections: [
    {
      title: 'Request',
      fields: [
        { path: 'request.data', label: 'Data to send', help: 'Sent after connecting.', input: 'area' },
        familyField('request'),
      ],
    },
    {
      title: 'Assertions',
      fields: [assertionField('request.assertions', ['RESPONSE_DATA', 'RESPONSE_TIME'])],
    },
    { title: 'Response time', fields: responseTimeFields(3000, 5000) },
  ],
};
