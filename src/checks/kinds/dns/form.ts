// The form of DNS checks.
import type { CheckForm, LineCheck } from '../../form.ts';
import { assertionField, responseTimeFields, shouldFailField } from '../../parts/form.ts';

const recordTypes = ['A', 'AAAA', 'CNAME', 'MX', 'NS', 'SOA', 'SRV', 'TXT', 'CAA', 'PTR'] as const;

/** `dns name`, or `dns name MX`. */
function fromLine(line: string): LineCheck | null {
  const [, query, type = 'A'] = /^dns(?:\s+|:\/\/)(\S+?)(?:\s+([a-z]+))?$/i.exec(line) ?? [];
  if (query === undefined) return null;
  const recordType = type.toUpperCase();
  return { name: recordType === 'A' ? query : `${query} ${recordType}`, body: { request: { query, recordType } } };
}

export const dnsForm: CheckForm = {
  fromLine,
  lineExample: 'dns shop.example MX',
  type: 'DNS',
  label: 'DNS',
  about: 'queries a name server and checks the records',
  hasInterval: true,
  shortestInterval: 10,
  start: { request: { query: '', recordType: 'A' } },
  target: [
    { path: 'request.query', label: 'Name', input: 'text', placeholder: 'shop.example', isRequired: true },
    { path: 'request.recordType', label: 'Record', input: 'choice', options: recordTypes.map((type) => [type, type]) },
  ],
  sections: [
    {
      title: 'Request',
      fields: [
        {
          path: 'request.nameServer',
          label: 'Name server',
          help: 'Empty = those of the machine that runs the check.',
          input: 'text',
          placeholder: 'ns1.example',
          empty: null,
        },
        { path: 'request.port', label: 'Port', input: 'number', byDefault: 53 },
        {
          path: 'request.protocol',
          label: 'Protocol',
          input: 'choice',
          options: [
            ['UDP', 'UDP'],
            ['TCP', 'TCP'],
          ],
        },
      ],
    },
    {
      title: 'Assertions',
      fields: [
        assertionField('request.assertions', ['RESPONSE_CODE', 'TEXT_ANSWER', 'JSON_ANSWER', 'RESPONSE_TIME']),
        shouldFailField('Accept any response code', 'Codes other than NOERROR then pass.'),
      ],
    },
    { title: 'Response time', fields: responseTimeFields(500, 1000) },
  ],
};
