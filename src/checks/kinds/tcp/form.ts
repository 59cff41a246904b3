// The form of TCP checks.
import type { CheckForm, LineCheck } from '../../form.ts';
import { assertionField, familyField, hostField, responseTimeFields, shouldFailField } from '../../parts/form.ts';

/** `tcp://host:port`. */
function fromLine(line: string): LineCheck | null {
  const [, hostname, port] = /^tcp:\/\/(\[[\da-f:.]+\]|[^\s:/]+):(\d{1,5})\/?$/i.exec(line) ?? [];
  if (hostname === undefined) return null;
  const host = hostname.replace(/^\[|\]$/g, '');
  return { name: `${host}:${port}`, body: { request: { hostname: host, port: Number(port) } } };
}

export const tcpForm: CheckForm = {
  fromLine,
  lineExample: 'tcp://db.example:5432',
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
      fields: [
        assertionField('request.assertions', ['RESPONSE_DATA', 'RESPONSE_TIME']),
        shouldFailField('Expect no connection', 'The check then passes if connecting fails.'),
      ],
    },
    { title: 'Response time', fields: responseTimeFields(3000, 5000) },
  ],
};
