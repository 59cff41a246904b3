// The form of ICMP checks.
import type { CheckForm, LineCheck } from '../../form.ts';
import { assertionField, familyField, hostField, shouldFailField } from '../../parts/form.ts';

/** `ping host`. */
function fromLine(line: string): LineCheck | null {
  const [, hostname] = /^(?:ping\s+|(?:ping|icmp):\/\/)(\S+?)\/?$/i.exec(line) ?? [];
  return hostname === undefined ? null : { name: hostname, body: { request: { hostname } } };
}

export const icmpForm: CheckForm = {
  fromLine,
  lineExample: 'ping gateway.example',
  type: 'ICMP',
  label: 'ICMP (ping)',
  about: 'pings a host and checks loss and latency',
  hasInterval: true,
  shortestInterval: 10,
  start: { request: { hostname: '' } },
  target: [hostField('request', 'gateway.example')],
  sections: [
    {
      title: 'Request',
      fields: [{ path: 'request.pingCount', label: 'Pings', input: 'number', byDefault: 10 }, familyField('request')],
    },
    {
      title: 'Assertions',
      fields: [
        assertionField('request.assertions', ['LATENCY', 'JSON_RESPONSE']),
        shouldFailField('Expect no reply', 'A host without replies then passes.'),
      ],
    },
    {
      title: 'Packet loss',
      fields: [
        { path: 'degradedPacketLossThreshold', label: 'Degraded from', input: 'number', byDefault: 10, unit: '%' },
        { path: 'maxPacketLossThreshold', label: 'Failed from', input: 'number', byDefault: 20, unit: '%' },
      ],
    },
  ],
};
